"""Network namespaces, one a node, on one bridge: each can be cut off. Needs root and iproute2."""

from __future__ import annotations

import os
import shutil
import subprocess

BRIDGE = "kvbench0"
ADDRESS = "10.77.0.1"


def available() -> str:
    """Returns why there are none; empty: there are."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    return "" if shutil.which("ip") else "iproute2 is not installed: apt-get install iproute2"


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, stderr=subprocess.DEVNULL if not check else None)


class Network:
    """The bridge, which this machine reaches under ADDRESS, and the namespaces on it."""

    def __init__(self) -> None:
        self.names: list[str] = []
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{ADDRESS}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")

    def add(self, name: str) -> list[str]:
        """Makes a node's namespace, if there is none, and returns the words before a command in it."""
        space = f"kv-{name}"
        if name not in self.names:
            self.names.append(name)
            ip("netns", "add", space)
            ip("link", "add", f"kv{name}", "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", f"kv{name}", "master", BRIDGE, "up")
            inside = ("netns", "exec", space, "ip")
            ip(*inside, "addr", "add", f"10.77.0.{len(self.names) + 10}/24", "dev", "eth0")
            ip(*inside, "link", "set", "lo", "up")
            ip(*inside, "link", "set", "eth0", "up")
        return ["ip", "netns", "exec", space]

    def cut(self, name: str, on: bool) -> None:
        ip("link", "set", f"kv{name}", "down" if on else "up")

    def remove(self) -> None:
        for name in self.names:
            ip("netns", "del", f"kv-{name}", check=False)
        ip("link", "del", BRIDGE, check=False)
