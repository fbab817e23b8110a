"""What `weft run --compat numpy` puts on PYTHONPATH."""
