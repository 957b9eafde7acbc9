"""`python -m holdfast` is the command line."""

from holdfast.surfaces.cli.main import main

if __name__ == "__main__":
    main()
