"""``python -m weft.compat NAME`` prints the folder to put on PYTHONPATH."""

import argparse

from . import NAMES, path

parser = argparse.ArgumentParser(prog="python -m weft.compat", description="Prints the folder to put on PYTHONPATH.")
parser.add_argument("name", choices=NAMES)
print(path(parser.parse_args().name))
