"""What a user may write: typed models of the YAML files, and clear words for what is wrong in them."""
