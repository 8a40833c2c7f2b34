"""What a plan does and what is dangerous about it, for a terminal and as the comment of a pull request."""
