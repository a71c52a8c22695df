"""`python -m tpuherd` is the `tpuherd` command."""

from tpuherd.cli import main

if __name__ == "__main__":
    main()
