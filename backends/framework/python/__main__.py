"""The zip application's entry."""

import sys

from kevolve_torch.__main__ import main

sys.exit(main())
