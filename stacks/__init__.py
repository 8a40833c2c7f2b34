"""The layers: one Terraform root module a class, each made of constructs, providers and outputs."""
