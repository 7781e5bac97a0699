"""Entry of `python -m plimsoll.profile`."""
import sys

from plimsoll.profile.command import main

sys.exit(main(sys.argv[1:]))
