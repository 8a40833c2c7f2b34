"""What NeMo RL asks of a run: rules, command lines and entrypoints, from a job file and a site. No Terraform."""
