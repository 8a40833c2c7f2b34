"""What a user runs beside main.py: `python -m tools.NAME`."""
