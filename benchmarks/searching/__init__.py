"""Two searches for the same defects, and how many steps each takes: see `benchmarks/finding.py`."""
