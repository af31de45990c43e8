"""Runs a command under a seccomp profile of container runtimes: run_filtered.py PROFILE COMMAND….

Root becomes an ordinary user first, as in the manifests. It uses the C library libseccomp.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import sys
from pathlib import Path

ALLOW = 0x7FFF0000
NOBODY = 65534
UNKNOWN = -1


def refuse(number: int) -> int:
    """Returns the action that lets a system call fail with this error."""
    return 0x00050000 | number


def install(profile: dict) -> None:
    """Filters this process and those that it starts. Names that this kernel's library does not know are left out."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(refuse(profile["defaultErrnoRet"]))))
    for rule in profile["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ALLOW" and set(rule) == {"names", "action"}, rule
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            failed = library.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0) if number > UNKNOWN else 0
            assert failed in (0, -errno.EEXIST), (name, failed)
    assert library.seccomp_load(context) == 0


def main() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    install(json.loads(Path(sys.argv[1]).read_text()))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
