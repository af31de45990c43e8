#!/usr/bin/env python3
"""Stands where kevolved does: records how it is started and signalled, and ends with 0 after SIGTERM.

RECORD names a folder. Each run writes RECORD/PID.settings, RECORD/PID.gpus and then RECORD/PID.started, and RECORD/PID.ended when
it ends in order. A file RECORD/fail lets it end with exit status 3 at once.
"""

import os
import signal
import sys
from pathlib import Path

record = Path(os.environ["RECORD"])
name = str(os.getpid())
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
settings = Path(sys.argv[1])
(record / f"{name}.settings").write_text(settings.read_text())
(record / f"{name}.gpus").write_text(os.environ.get("CUDA_VISIBLE_DEVICES", ""))
(record / f"{name}.started").write_text(str(settings.parent))
if (record / "fail").exists():
    sys.exit(3)
signal.sigwait({signal.SIGTERM})
(record / f"{name}.ended").touch()
