"""A fake server of Chat Completions. It streams valid candidates for tests/node/tasks/row_energy, different ones after
a short delay, and records requests and their times.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CANDIDATE = """summary: four partial sums, version {serial}
```c candidate.c
#include <stdint.h>
void row_energy(const float *x, float *y, int64_t rows, int64_t cols) {{
  volatile int version = {serial};
  (void)version;
  for (int64_t r = 0; r < rows; ++r) {{
    float s[4] = {{0}};
    int64_t c = 0;
    for (; c + 4 <= cols; c += 4)
      for (int k = 0; k < 4; ++k)
        s[k] += x[r * cols + c + k] * x[r * cols + c + k];
    float sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (; c < cols; ++c)
      sum += x[r * cols + c] * x[r * cols + c];
    y[r] = sum;
  }}
}}
```
"""


@dataclass
class Asked:
    """One request with the digest of its body."""

    sha256: str
    at_ns: int  # wall clock


class FakeModel:
    """Serves on a loopback port until `close`."""

    def __init__(self, seed: int, longest_s: float = 1.0) -> None:
        self.asked: list[Asked] = []
        self.random = random.Random(seed)
        self.guard = threading.Lock()
        self.longest_s = longest_s
        self.gate = threading.Event()  # while it is not set, answers stay incomplete
        self.gate.set()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with fake.guard:
                    fake.asked.append(Asked(hashlib.sha256(body).hexdigest(), time.time_ns()))
                    serial, wait = len(fake.asked), fake.random.uniform(0, fake.longest_s)
                try:
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream")
                    self.send_header("connection", "close")
                    self.end_headers()
                    text = CANDIDATE.format(serial=serial)
                    for part in (text[:40], text[40:]):
                        self.event({"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]})
                        time.sleep(wait / 2)  # simulates thinking time
                        fake.gate.wait()
                    self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                                "usage": {"prompt_tokens": 1000, "completion_tokens": 300}})
                    self.wfile.write(b"data: [DONE]\n\n")
                    self.wfile.flush()
                except OSError:
                    pass
                self.close_connection = True

            def event(self, data: dict[str, object]) -> None:
                self.wfile.write(b"data: " + json.dumps({"id": "c", "model": "fake-1", **data}).encode() + b"\n\n")
                self.wfile.flush()

            def log_message(self, *words: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def main() -> None:
    """Runs in its own process without delays until standard input ends; prints its address."""
    fake = FakeModel(1, longest_s=0)
    print(fake.url, flush=True)
    sys.stdin.read()
    fake.close()


if __name__ == "__main__":
    main()
