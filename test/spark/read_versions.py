"""Reads older versions with deltalake and with polars; programs.py has the arguments."""

import sys

from programs import answer
from read_lake import READERS

if __name__ == "__main__":
    answer(sys.argv[1:], READERS)
