"""The modules that `weft run --compat numpy` puts on PYTHONPATH."""
