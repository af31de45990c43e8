"""A PostgreSQL of its own for a test, reached through a socket in its data directory."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

UNPRIVILEGED = "nobody"


def programs() -> str:
    """The folder of PostgreSQL's programs; an empty text if this machine has none."""
    places = [*sorted((str(p) for p in Path("/usr/lib/postgresql").glob("*/bin")), reverse=True), *os.environ["PATH"].split(":")]
    found = [p for p in places if all(Path(p, name).exists() for name in ("initdb", "postgres", "psql"))]
    return found[0] if found else ""


def as_ordinary_user() -> dict[str, object]:
    """Arguments of subprocess functions: root becomes an ordinary user, because PostgreSQL refuses root."""
    return {"user": UNPRIVILEGED, "group": pwd.getpwnam(UNPRIVILEGED).pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}


class Postgres:
    """The server is a child of this process. `stop` ends it and removes its files."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-postgres-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, UNPRIVILEGED)
        subprocess.run([f"{programs()}/initdb", "--pgdata", str(self.data), "--username", "owner", "--auth", "trust", "--no-sync"],
                       check=True, capture_output=True, cwd="/", **as_ordinary_user())
        with (self.folder / "log").open("w") as log:
            self.server = subprocess.Popen([f"{programs()}/postgres", "-D", str(self.data), "-k", str(self.data), "-c", "listen_addresses="],
                                           stdout=log, stderr=subprocess.STDOUT, cwd="/", **as_ordinary_user())

    def stop(self) -> None:
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder)

    def connection(self, user: str) -> str:
        """Returns the connection string of a user."""
        return f"host={self.data} dbname=postgres user={user}"

    def ready(self) -> bool:
        return subprocess.run([f"{programs()}/pg_isready", "-h", str(self.data)], check=False, capture_output=True).returncode == 0

    def ask(self, query: str) -> str:
        """Returns the values of a query, as the owner; a line a row."""
        return subprocess.run([f"{programs()}/psql", "-qtA", self.connection("owner"), "-c", query], check=True, capture_output=True,
                              text=True).stdout.strip()
