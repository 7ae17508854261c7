"""`python -m ferrata`: the command line, where the `ferrata` script is not on the path."""

from ferrata.cli import main

main()
