"""A picture of a site, drawn from its synthesized JSON."""
