"""``python -m unfold_live`` is the command ``unfold``."""

import sys

from ._binary import main

sys.exit(main())
