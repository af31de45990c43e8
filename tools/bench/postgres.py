"""A PostgreSQL of one's own for benchmarks: a fresh folder, on loopback, run as an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path


def programs() -> Path | None:
    """Returns the folder of PostgreSQL's programs; None: they are not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    if found:
        folders.append(Path(found).resolve().parent)
    return next((f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()), None)


class Postgres:
    """One server. Its owner needs no password from loopback."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        """Makes a server. Beyond loopback it speaks TLS alone, with a certificate for its address, which authority() signs."""
        self.address = address
        folder = programs()
        if folder is None:
            raise FileNotFoundError("PostgreSQL's programs are not installed: apt-get install postgresql")
        self.programs = folder
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-postgres-"))
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        if self.user is not None:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "owner", "-A", "trust")
        rule = "host" if address == "127.0.0.1" else "hostssl"
        (self.folder / "data" / "pg_hba.conf").write_text(
            f"host all owner {address}/32 trust\nhost all owner 127.0.0.1/32 trust\n{rule} all all {address}/24 trust\n",
            encoding="utf-8")
        if rule == "hostssl":
            self._certify()
        self.server: subprocess.Popen[bytes] | None = None
        self.start()

    def _identity(self) -> dict[str, int]:
        return {} if self.user is None else {"user": self.user.pw_uid, "group": self.user.pw_gid}

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run([self.programs / program, *arguments], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder, **self._identity())  # type: ignore[call-overload]

    def authority(self) -> Path:
        return self.folder / "authority.pem"

    def _certify(self) -> None:
        """Makes an authority and the server's certificate."""
        f = self.folder
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bench authority",
                        "-keyout", f / "authority.key", "-out", self.authority()], **quiet)  # type: ignore[call-overload]
        subprocess.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={self.address}", "-keyout",
                        f / "data" / "server.key", "-out", f / "server.csr"], **quiet)  # type: ignore[call-overload]
        (f / "names").write_text(f"subjectAltName=IP:{self.address}\n", encoding="utf-8")
        subprocess.run(["openssl", "x509", "-req", "-in", f / "server.csr", "-CA", self.authority(), "-CAkey", f / "authority.key",
                        "-CAcreateserial", "-days", "2", "-extfile", f / "names", "-out", f / "data" / "server.crt"],
                       **quiet)  # type: ignore[call-overload]
        (f / "data" / "server.key").chmod(0o600)
        f.chmod(0o755)
        if self.user is not None:
            for name in ("server.key", "server.crt"):
                os.chown(f / "data" / name, self.user.pw_uid, self.user.pw_gid)
        with (f / "data" / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write("ssl = on\n")

    def start(self) -> None:
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.server = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-k", self.folder, "-c",
                 f"listen_addresses=127.0.0.1,{self.address}", "-c", "max_connections=200"],
                stdout=log, stderr=log, cwd=self.folder, **self._identity())  # type: ignore[call-overload]
        while not self.answers():
            if self.server.poll() is not None:
                raise RuntimeError("PostgreSQL ended")
            time.sleep(0.05)  # it says nothing when it is ready

    def answers(self) -> bool:
        return subprocess.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              check=False).returncode == 0

    def kill(self) -> None:
        """Ends it as a power failure would: the next start recovers from the log."""
        if self.server is not None:
            self.server.send_signal(signal.SIGQUIT)
            self.server.wait()
            self.server = None

    def stop(self) -> None:
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait()
            self.server = None
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder.parent / f"{self.folder.name}.log").unlink(missing_ok=True)

    def connection(self, login: str, database: str) -> str:
        """Returns the connection string of a login. Beyond loopback the server's certificate is verified by default."""
        trusted = "" if self.address == "127.0.0.1" or login == "owner" else f" sslrootcert={self.authority()}"
        host = "127.0.0.1" if login == "owner" else self.address
        return f"host={host} port={self.port} user={login} dbname={database}{trusted}"

    def sql(self, text: str, database: str = "postgres") -> list[list[str]]:
        done = subprocess.run([self.programs / "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "owner", "-d", database,
                               "-v", "ON_ERROR_STOP=1", "-qAt", "-F", "\t", "-c", text],
                              check=True, stdout=subprocess.PIPE, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]
