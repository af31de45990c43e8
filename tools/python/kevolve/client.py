"""A node and its campaigns, over HTTP."""

from __future__ import annotations

import getpass
import json
import re
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import KevolveError, NodeError
from .http import Http
from .progress import Progress, status_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDED = ("finished", "failed")
_NAMED = re.compile(r"""^\s*(?:task|file|weights)\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')""", re.MULTILINE)


class Campaign:
    """A campaign of a node. Every method asks the node; nothing is kept here but the id."""

    def __init__(self, node: Node, identifier: str) -> None:
        self.node = node
        self.id = identifier
        self._path = f"/v1/campaigns/{identifier}"

    def status(self) -> dict[str, Any]:
        """Returns state, counts, budget and best."""
        return dict(self.node.http.get(self._path))

    def tree(self) -> list[dict[str, Any]]:
        """Returns a row for each candidate; row 0 is the reference."""
        return list(self.node.http.pages(self._path + "/tree"))

    def best(self) -> dict[str, Any]:
        """Returns the best candidate with its source and evaluations."""
        return dict(self.node.http.get(self._path + "/best"))

    def candidate(self, index: int) -> dict[str, Any]:
        return dict(self.node.http.get(f"{self._path}/candidates/{int(index)}"))

    def history(self) -> list[dict[str, Any]]:
        """Returns the campaign's events so far, in short."""
        out: list[dict[str, Any]] = []
        after = 0
        while True:
            page = self.node.http.get(self._path + "/history", after=after)
            out.extend(page["items"])
            after = page["last_sequence"]
            if not page.get("truncated"):
                return out

    def events(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """Yields events as they happen, over restarts of the node, until the campaign has ended."""
        patience = 0
        while True:
            try:
                ended = self.status()["state"] in ENDED
                for event in self._stored(after) if ended else self._live(after):
                    after = event["sequence"]
                    patience = 0
                    yield event
                if ended:
                    return
            except NodeError:
                raise
            except KevolveError:
                patience += 1
                if patience > 30:
                    raise
                time.sleep(1)

    def _stored(self, after: int) -> Iterator[dict[str, Any]]:
        while True:
            page = self.node.http.get("/v1/events", campaign=self.id, after=after, limit=1000)
            yield from page["items"]
            if not page["truncated"]:
                return
            after = int(page["next"])

    def _live(self, after: int) -> Iterator[dict[str, Any]]:
        """Yields events until the campaign may have ended, or the node is silent for a while."""
        for event in self.node.http.stream(f"/v1/events?campaign={self.id}", after, silence_s=5):
            yield event
            if event["kind"] in ("campaign_finished", "campaign_state"):
                return

    def wait(self, progress: bool = True, timeout: float | None = None) -> dict[str, Any]:
        """Returns the status once the campaign has ended, is paused, or lives on another node. KevolveError: `timeout` seconds have passed."""
        view = Progress() if progress else None
        until = None if timeout is None else time.monotonic() + timeout
        status = self.status()
        after = int(status["last_sequence"])
        while True:
            if view is not None:
                view.show(status_line(status))
            if status["state"] in (*ENDED, "paused", "elsewhere"):
                if view is not None:
                    view.done()
                return status
            if until is not None and time.monotonic() > until:
                raise KevolveError(f"campaign {self.id[:8]} has not ended after {timeout:g} s; it goes on")
            for event in self.node.http.stream(f"/v1/events?campaign={self.id}", after, silence_s=2):
                after = event["sequence"]
                if event["kind"] in _TELLING or (until is not None and time.monotonic() > until):
                    break
            status = self.status()

    def pause(self, reason: str = "") -> dict[str, Any]:
        return self._command("pause", reason)

    def resume(self, reason: str = "") -> dict[str, Any]:
        return self._command("resume", reason)

    def cancel(self, reason: str = "") -> dict[str, Any]:
        return self._command("cancel", reason)

    def _command(self, verb: str, reason: str) -> dict[str, Any]:
        return dict(self.node.http.post(f"{self._path}/{verb}", {"reason": reason} if reason else {}))

    def plot(self) -> Figure:
        """Returns a figure: best so far over candidates, and the tree coloured by speed-up. It needs matplotlib."""
        from .plot import figure_of

        return figure_of(self.status(), self.tree())

    def __repr__(self) -> str:
        return f"<kevolve campaign {self.id[:8]} at {self.node.http.url}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(status_line(self.status()))}</pre>"


# Events after which the status line says something else.
_TELLING = frozenset(
    (
        "campaign_prepared",
        "node_finished",
        "node_faulted",
        "node_confirmed",
        "node_amended",
        "champion_changed",
        "campaign_state",
        "campaign_finished",
    )
)


class Node:
    """A running node."""

    def __init__(self, http: Http) -> None:
        self.http = http

    def campaigns(self, state: str | None = None) -> list[Campaign]:
        """Returns the node's campaigns, running and ended."""
        return [Campaign(self, c["id"]) for c in self.http.pages("/v1/campaigns", state=state)]

    def campaign(self, identifier: str) -> Campaign:
        """Returns the campaign with this id, or with these first digits."""
        return Campaign(self, self.http.get(f"/v1/campaigns/{identifier}")["id"])

    def submit(self, file: str | Path, overrides: list[str] | None = None) -> Campaign:
        """Starts a campaign from its file and the files that it names. The same files are the same campaign."""
        path = Path(file).resolve()
        files = named_files(path)
        folder = common_folder(list(files))
        body: dict[str, Any] = {
            "file": path.relative_to(folder).as_posix(),
            "files": {p.relative_to(folder).as_posix(): text for p, text in files.items() if isinstance(text, str)},
            "directory": str(path.parent),
            "by": caller(),
        }
        binary = {p.relative_to(folder).as_posix(): b64encode(x).decode() for p, x in files.items() if isinstance(x, bytes)}
        if binary:
            body["binary_files"] = binary
        if overrides:
            body["overrides"] = overrides
        return Campaign(self, self.http.post("/v1/campaigns", body)["id"])

    def __repr__(self) -> str:
        return f"<kevolve node at {self.http.url}>"


def caller() -> str:
    try:
        return getpass.getuser()[:64]
    except (KeyError, OSError):
        return "operator"


def named_files(path: Path) -> dict[Path, str | bytes]:
    """Returns the contents of a campaign's or task's file and of all files that it names; bytes of a module's weights."""
    out: dict[Path, str | bytes] = {}
    waiting = [path]
    while waiting:
        at = waiting.pop().resolve()
        if at in out:
            continue
        try:
            text = out[at] = at.read_bytes() if at.suffix == ".safetensors" else at.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise KevolveError(f"{at}: {error}") from error
        if at.suffix == ".toml" and isinstance(text, str):
            waiting.extend(at.parent / (a or b) for a, b in _NAMED.findall(text))
    return out


def common_folder(files: list[Path]) -> Path:
    folder = files[0].parent
    for f in files:
        while folder not in f.parents:
            folder = folder.parent
    return folder


def connect(
    url: str | None = None, token: str | None = None, *, data: str | Path | None = None, ca_file: str | None = None
) -> Node:
    """Returns the node at an address, or the one that runs on a data directory of this machine.

    The token is the content of the file `token` in the node's data directory.
    """
    if (url is None) == (data is None):
        raise KevolveError("name the node by its url and token, or by the data directory that it runs on")
    if data is not None:
        folder = Path(data)
        try:
            announced = json.loads((folder / "admin.json").read_text(encoding="utf-8"))
            url = str(announced["url"])
            token = token or (folder / "token").read_text(encoding="utf-8").strip()
            ca_file = ca_file or announced.get("certificate") or None
        except (OSError, ValueError, KeyError) as error:
            raise KevolveError(f"no node runs on {folder}: start kevolved with that data directory ({error})") from error
    if not token:
        raise KevolveError("the node's token is missing: it stands in the file `token` of its data directory")
    assert url is not None
    node = Node(Http(url, token, ca_file))
    node.http.get("/v1/campaigns", limit=1)  # tells a wrong address or token now
    return node
