"""What the world is like: machines, tiers, zones and versions as typed rows, each with its source."""
