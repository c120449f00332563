"""The command `tacit`: `python -m tacit`, and what the wheel installs."""

import sys

from ._tacit import command


def main() -> int:
    """Runs the command with the arguments of this process, and gives its exit code."""
    return command([sys.executable, "-m", "tacit"], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
