"""Prints the system call filter of tools/systemd/kevolved.service as a seccomp profile of container runtimes.

Both confine the daemon alike, and both leave what the judge needs to confine candidates further. systemd-analyze expands
systemd's sets of system calls.

usage: python3 tools/lib/seccomp_profile.py > tools/kubernetes/seccomp.json
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

UNIT = Path(__file__).resolve().parents[1] / "systemd" / "kevolved.service"
EPERM = 1


def calls_of(name: str) -> set[str]:
    """The system calls of a set such as @mount, or the one that is named."""
    if not name.startswith("@"):
        return {name}
    said = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    members = re.findall(r"^ {4}([@\w-]+)$", said, re.MULTILINE)
    return set().union(*(calls_of(member) for member in members))


def allowed() -> list[str]:
    """Returns the system calls that the unit allows, sorted. A line that begins with ~ takes calls away."""
    out = calls_of("@default")  # systemd allows these without being asked
    for value in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.MULTILINE):
        calls = set().union(*(calls_of(name) for name in value.removeprefix("~").split()))
        out = out - calls if value.startswith("~") else out | calls
    return sorted(out)


def profile() -> dict:
    """Returns the profile, in the form of the runtimes' own ones."""
    return {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": EPERM,
            "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
            "syscalls": [{"names": allowed(), "action": "SCMP_ACT_ALLOW"}]}


if __name__ == "__main__":
    print(json.dumps(profile(), indent=2))
