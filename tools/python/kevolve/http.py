"""Requests to a node over HTTP, with the standard library alone."""

from __future__ import annotations

import http.client
import json
import ssl
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from .errors import KevolveError, NodeError


class Http:
    """A node's address. Each request has a connection of its own, so threads may share it."""

    def __init__(self, url: str, token: str, ca_file: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KevolveError(f"{url!r} is no address of a node, such as http://127.0.0.1:7700")
        self.url = url.rstrip("/")
        self._parts = parts
        self.token = token
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        host = self._parts.hostname or ""
        if self._tls is not None:
            return http.client.HTTPSConnection(host, self._parts.port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, self._parts.port, timeout=timeout)

    def _ask(self, method: str, path: str, body: Any, headers: dict[str, str], timeout: float) -> http.client.HTTPResponse:
        connection = self._open(timeout)
        data = None if body is None else json.dumps(body).encode()
        given = {"Authorization": f"Bearer {self.token}", **headers}
        if data is not None:
            given["Content-Type"] = "application/json"
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, body=data, headers=given)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise KevolveError(f"the node at {self.url} does not answer: {error}") from error
        if answer.status >= 300:
            text = answer.read(1 << 20)
            connection.close()
            raise NodeError(answer.status, _object(text))
        return answer

    def get(self, path: str, **query: Any) -> Any:
        wanted = {k: v for k, v in query.items() if v is not None}
        answer = self._ask("GET", path + ("?" + urlencode(wanted) if wanted else ""), None, {}, 60)
        return json.loads(answer.read())

    def post(self, path: str, body: Any) -> Any:
        return json.loads(self._ask("POST", path, body, {"Idempotency-Key": uuid.uuid4().hex}, 60).read())

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Yields the items of all pages of a list."""
        cursor = None
        while True:
            page = self.get(path, cursor=cursor, limit=1000, **query)
            yield from page["items"]
            cursor = page.get("next")
            if not page.get("truncated") or cursor is None:
                return

    def stream(self, path: str, after: int, silence_s: float = 60) -> Iterator[dict[str, Any]]:
        """Yields server-sent events until the node closes the stream, or says nothing for so long."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        answer = self._ask("GET", path, None, headers, silence_s)
        data: list[str] = []
        try:
            while line := answer.readline(1 << 24):
                text = line.decode(errors="replace").rstrip("\r\n")
                if text.startswith("data:"):
                    data.append(text[5:].strip())
                elif text == "" and data:
                    yield json.loads("\n".join(data))
                    data = []
        except (TimeoutError, OSError, http.client.HTTPException):
            return
        finally:
            answer.close()


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
