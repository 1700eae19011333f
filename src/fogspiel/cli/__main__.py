"""`python -m fogspiel.cli` is `fogspiel`."""

from fogspiel.cli.app import main

main()
