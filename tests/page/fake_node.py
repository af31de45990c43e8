"""Serves the built page with answers in the admin's format that a short real campaign lacks: 5,000 nodes, texts with
markup in every place, prices, interrupted streams.
"""

from __future__ import annotations

import json
import random
import threading
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

BUILT = Path(__file__).resolve().parents[2] / "runtime" / "node" / "page" / "built"
ID = "ab12" * 8
TOKEN = "a-token-of-the-fake-node"
MARKUP = """</script></pre><img src=x onerror="window.broken=1"><svg onload="window.broken=1"><b>bold</b>\u202e"""
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

Answer = Callable[[dict[str, str]], Any]


def event(sequence: int, kind: str, data: dict[str, Any], campaign: bool = True) -> dict[str, Any]:
    seconds, day = sequence // 10, 1
    time = f"2026-01-{day:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{sequence % 10}00Z"
    return {"sequence": sequence, "campaign": ID if campaign else None, "time": time, "kind": kind, "data": data}


VERDICTS = ["pass"] * 12 + ["compile_error", "wrong_result", "timeout", "crashed", "cheating", None]


def story(nodes: int, seed: int = 1, priced: bool = False) -> list[dict[str, Any]]:
    """Returns a campaign's history: a tree with deep and broad parts."""
    dice = random.Random(seed)
    out = [event(1, "campaign_submitted", {"name": "tree"}), event(2, "session_started", {"epoch": 1})]
    best, alive = 1.0, [0]

    def add(kind: str, data: dict[str, Any]) -> None:
        out.append(event(len(out) + 1, kind, data))

    peaks = {"peak.flops_per_s": "2.6e11", "peak.dram_bytes_per_s": "4e10", "peak.l1_bytes_per_s": "4e11"}
    add("campaign_prepared", {"peaks": peaks})
    for i in range(1, nodes):
        parent = dice.choice(alive[-40:]) if dice.random() < 0.8 else dice.choice(alive)
        parents = [parent] if dice.random() < 0.95 or len(alive) < 3 else sorted({parent, dice.choice(alive)}, reverse=True)
        add("node_selected", {"index": i, "parents": parents, "policy": "uct", "draft": parent == 0})
        verdict = dice.choice(VERDICTS)
        speedup = max(0.1, dice.gauss(0.5 + 8 * i / nodes, 1)) if verdict == "pass" else 0.0
        cost: dict[str, Any] = {"compile_s": 0.2, "judge_s": 0.5, "wall_s": 1.0}
        if priced:
            cost["cost"] = None if i % 5 == 0 else 0.002
        add("node_finished", {
            "index": i, "parents": parents, "verdict": verdict, "rule": None, "speedup": speedup,
            "interval": [speedup * 0.98, speedup * 1.02] if speedup else None, "estimate": False, "confirmed": False,
            "baseline": 0, "duplicate_of": None, "cost": cost,
            "proposal": {"generator": ["transform", "llm", MARKUP][i % 3], "summary": f"step {i} {MARKUP}"},
        })  # fmt: skip
        if verdict == "pass":
            alive.append(i)
            if speedup > best * 1.05:
                best = speedup
                add("champion_changed", {"index": i, "speedup": speedup, "interval": [speedup * 0.98, speedup * 1.02]})
    return out


def hostile_node(index: int) -> dict[str, Any]:
    spread = {"median": 150.0, "min": 100.0, "max": 200.0, "samples": 3}
    shape = {
        "shape": "n=1", "held_out": False, "weight": 1.0, "decision": "faster", "speedup": 2.0, "interval": [1.9, None],
        "reference_ns": spread, "candidate_ns": spread, "floor_ns": None,
        "samples": {"baseline_ns": [] if index == 2 else [200.0, 210.0, 205.0], "candidate_ns": [] if index == 2 else [100.0, 104.0, 101.0]},
    }  # fmt: skip
    outcome = {
        "verdict": "wrong_result", "fault": {"kind": MARKUP, "detail": MARKUP, "retried": 1}, "rule": MARKUP,
        "detail": MARKUP, "evidence": {MARKUP: MARKUP}, "correctness": {"cases": 1, "max_abs": None, "bit_equal": False},
        "decision": "faster", "speedup": 2.0, "interval": [1.9, 2.1], "estimate": False, "shapes": [shape],
        "sandbox_level": MARKUP, "judge_s": 0.1,
    }  # fmt: skip
    mark = {"harness": "a" * 64, "toolchain": MARKUP, "device": "c" * 64}
    return {
        "index": index, "node": "0" * 32, "parents": [0], "state": "finished", "verdict": "wrong_result",
        "fault": {"kind": MARKUP, "detail": MARKUP, "retried": 0}, "rule": MARKUP, "detail": MARKUP, "speedup": 2.0,
        "interval": [1.9, 2.1], "estimate": False, "confirmed": False, "baseline": 0, "duplicate_of": None,
        "proposal": {"language": MARKUP, "flags": MARKUP, "generator": MARKUP, "genome": MARKUP, "summary": MARKUP},
        "cost": {"propose_s": 0.1, "compile_s": 0.2, "judge_s": 0.3, "wall_s": 0.6}, "source": MARKUP + "\nint x;\n",
        "diff_to_parents": [{"parent": 0, "diff": f"--- reference\n+++ candidate {index}\n@@ -1 +1 @@\n-{MARKUP}\n+{MARKUP}\n"}],
        "diff_to_reference": f"+{MARKUP}\n", "prompt": MARKUP, "reply": MARKUP,
        "skills": [{"id": "1" + "0" * 31, "version": 2, "state": "confirmed", "weight": 0.25, "gain": 1.28, "interval": [1.2, 1.37], "applications": 3,
                    "step": {"moves": MARKUP, "words": MARKUP}, "applied": True}],
        "evaluations": [
            {"id": "1" * 32, "stage": "compile", "baseline": "reference", "wall_s": 0.1, "fingerprint": mark, "verdict": "pass", "log": MARKUP},
            {"id": "2" * 32, "stage": "race", "baseline": "reference", "wall_s": 0.1, "fingerprint": mark, "outcome": outcome},
        ],
    }  # fmt: skip


def hostile_profile() -> dict[str, Any]:
    """Returns a profile: three loops of one call, and texts with markup."""
    loop = {"line": 2, "last": 9, "function": MARKUP, "parent": -1, "entries": 1, "trips": 8, "ns": 900.0, "self_ns": 100.0, "share": 0.1,
            "vector_lanes": 4}  # fmt: skip
    finding = {"bound": "denormals", "share": 0.5, "confidence": 0.9, "headroom": 2.0, "pass": MARKUP, "words": MARKUP, "evidence": {"flush_ns": 412.5},
               "lines": [{"first": 3, "last": 5}], "title": MARKUP, "strategy": MARKUP}  # fmt: skip
    done = {"name": MARKUP, "state": "ran", "uses": "core", "instrumented_build": True, "seconds": 1.5, "perturbation": 0.25, "reason": None,
            "remedy": None, "artefacts": {"loops": "a" * 64}}  # fmt: skip
    return {
        "candidate": 1, "shape": MARKUP, "budget_s": 2.0, "seconds": 1.5, "time_ns": 1, "sandbox_level": MARKUP,
        "passes": [done, {**done, "name": "second", "seconds": 0.5, "perturbation": None, "instrumented_build": False, "uses": "compiler"},
                   {**done, "name": "stored", "state": "reused", "seconds": 7.0},
                   {**done, "state": "skipped", "reason": MARKUP, "remedy": MARKUP}],
        "diagnosis": {
            "schema": "kevolve-diagnosis-1", "task": MARKUP, "target": "cpu", "candidate": 1, "shape": MARKUP, "call_ns": 990.0,
            "probed_call_ns": 1000.0, "timed_share": 0.97, "roof": {"ns": 100.0, "by": "l2_bandwidth", "headroom": 9.9},
            "bound": {"class": "denormals", "title": MARKUP, "confidence": 0.9, "share": 0.5, "strategy": MARKUP},
            "loops": [loop, {**loop, "line": 3, "parent": 0, "ns": 500.0}, {**loop, "line": 6, "parent": 0, "ns": 300.0},
                      {**loop, "line": 8, "parent": 77, "ns": 300.0}],
            "assembly": "vaddps " + MARKUP, "findings": [finding], "further_findings": 0,
        },
    }  # fmt: skip


def hostile_device_profile() -> dict[str, Any]:
    """Returns the profile of a candidate for a device: two kernels of one call, and no loops."""
    profile = hostile_profile()
    kernel = {"kernel": MARKUP, "launches": 2, "ns": 60_000.0, "share": 0.75, "registers": 40, "occupancy": 0.5, "limit": "shared_memory"}
    profile["diagnosis"] |= {"loops": [], "kernels": [
        kernel, {"kernel": "second", "launches": 1, "ns": None, "share": None, "registers": None, "occupancy": None, "limit": None}]}  # fmt: skip
    return profile


def hostile_explanation() -> dict[str, Any]:
    """Returns an explanation: a free loop, one that stays in order, one that cannot be vectorised, and texts with markup."""
    obstacle = {"obstacle": "same_place", "why": MARKUP, "rewrite": MARKUP, "assertion": MARKUP, "task_lines": "[[assert]]\n" + MARKUP}
    bound = {"candidate": 4, "relation": MARKUP, "class": "denormals", "title": MARKUP, "confidence": 0.9, "share": 0.5, "line": None, "strategy": MARKUP}
    loop = {"line": 3, "label": MARKUP, "source": MARKUP, "order": None, "vectors": None}
    return {
        "campaign": ID, "name": MARKUP, "task": MARKUP, "target": "cpu", "best": 1, "speedup": 1.25, "profiled": False,
        "diagnosis": hostile_profile()["diagnosis"], "bound": bound, "why_no_bound": [MARKUP], "nothing_found": MARKUP,
        "other_diagnosis": {**hostile_profile()["diagnosis"], "candidate": 4},
        "profiles": [bound, {**bound, "candidate": 5, "class": "unknown"}, {**bound, "candidate": 6}],
        "reasons": [{"kind": "bottleneck", "line": None, "words": MARKUP, "rewrite": MARKUP}],
        "reference": {"file": MARKUP, "rewritable": True, "kept": [{"line": 9, "why": MARKUP}],
                      "loops": [loop, {**loop, "line": 5, "order": obstacle},
                                {**loop, "line": 7, "vectors": {**obstacle, "assertion": None, "task_lines": None}}]},
        "tried_without_gain": [{"candidate": 2, "parent": 0, "summary": MARKUP, "outcome": "no difference", "gain": 1.004}],
    }  # fmt: skip


def actor(number: int, parent: int | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "kind": "search_node", "name": MARKUP, "parent": parent, "alive": True, "state": MARKUP,
        "message": MARKUP, "since": "2026-01-01T00:00:00Z", "spawned": None, "ended": None, "handled": 7,
        "in_flight": 0, "mailbox": 0, "restarts": 0, "last_failure": MARKUP, **more,
    }  # fmt: skip


def hostile_cluster() -> dict[str, Any]:
    """Returns a cluster of four nodes as its home answers it: one live, one draining, one quarantined, one gone."""
    offers = [{"kind": "compile", "target": "cpu", "hardware": "a" * 64, "slots": 4, "about": MARKUP},
              {"kind": "judge", "target": "cpu", "hardware": "b" * 64, "slots": 1, "about": "Some CPU"},
              {"kind": "wait", "target": "cpu", "hardware": "", "slots": 9, "about": ""}]  # fmt: skip
    node = {"name": "home/1", "role": "home", "version": "0.1.0", "state": "live", "reason": "", "epoch": 3, "seen_s": 0.4,
            "labels": ["rack-3", MARKUP], "jobs": 2, "resources": offers}  # fmt: skip
    rest = {"role": "worker", "labels": [], "jobs": 0, "resources": [offers[1], offers[1]]}
    return {
        "node": "home/1", "state": "joined", "reason": MARKUP, "epoch": 3, "draining": False, "sent": 7, "received": 6, "waiting": 1, "done": 5,
        "returned": 0, "refused": 1, "reused": 2, "guests": 2,
        "queue": [{"kind": "judge", "target": "cpu", "queued": 3, "running": 2, "dead": 1, "oldest_s": 12.5}],
        "items": [node, {**node, **rest, "name": "worker-2", "state": "draining"},
                  {**node, **rest, "name": MARKUP, "state": "quarantined", "reason": MARKUP},
                  {**node, **rest, "name": "worker-4", "state": "gone", "seen_s": 7500.0}],
    }  # fmt: skip


def hostile_skill(number: int, state: str = "confirmed") -> dict[str, Any]:
    """Returns a skill with two applications, one of which made a wrong candidate, and texts with markup."""
    application = {"campaign": ID, "parent": 1, "candidate": 2, "task": MARKUP, "time": "2026-01-31T12:00:00Z", "verdict": "pass", "gain": 1.5,
                   "interval": [1.4, 1.6], "hardware": [MARKUP], "signals": [], "share": 0.6, "origin": True}  # fmt: skip
    return {
        "id": f"{number:032x}"[::-1], "version": 2, "features": 1, "state": state, "reason": MARKUP, "weight": 0.25, "gain": 1.28, "interval": [1.2, 1.37],
        "brought": {"applications": 3, "valid": 2, "best_gain": 1.5, "campaign": ID, "candidate": 2},
        "conditions": {"target": "cpu", "language": None, "families": ["matmul"], "dtypes": [], "hardware": [], "bound": None, "pattern": MARKUP},
        "not_for": [MARKUP], "step": {"moves": MARKUP, "words": f"step {number} {MARKUP}", "before": MARKUP, "after": MARKUP},
        "provenance": {"campaign": ID, "campaign_name": MARKUP, "task": MARKUP, "parent": 1, "candidate": 2, "by": MARKUP},
        "weighing": {"prior_share": 0.1, "mean": 0.5, "contradictions": 1, "halved": state == "hypothesis"},
        "applications": [application, {**application, "candidate": 3, "verdict": "wrong_result", "gain": None, "interval": None, "origin": False}],
        "history": [{"version": 2, "time": "2026-01-31T12:00:00Z", "state": state, "reason": MARKUP, "by": MARKUP}],
    }  # fmt: skip


class FakeNode:
    """A node with one campaign. Use as a context manager."""

    def __init__(self, policy: str, events: list[dict[str, Any]], live: list[dict[str, Any]] | None = None,
                 cut_every: int = 0, campaigns: bool = True) -> None:  # fmt: skip
        self.policy = policy
        self.events = events
        self.live = live or []
        self.cut_every = cut_every
        self.ends_at: int | None = None  # last event of the log; a later position is refused
        self.asked_after: list[int] = []  # the Last-Event-ID of every stream
        self.refused = 0  # number of refused streams
        self.gone = False  # the campaign was forgotten
        self.asked_when_gone: list[str] = []
        last = events[-1]["sequence"] if events else 0
        self.campaign = {
            "id": ID, "name": MARKUP, "target": "cpu", "state": "running", "reason": MARKUP, "stop_reason": None,
            "candidates": 3, "valid": 2, "in_flight": 0,
            "best": {"candidate": 1, "speedup": 2.0, "interval": [1.9, 2.1], "final": False, "summary": MARKUP, "shapes": []},
            "budget": {"candidates": 10, "wall_s": None}, "spent": {"wall_s": 5.0, "compile_s": 1.0, "device_s": 1.0},
            "last_sequence": last,
            "profiling": {"share": 0.1, "seconds": 12.3, "profiles": 3, "failed": 1, "perturbation": None, "last_failure": MARKUP,
                          "bounds": {"denormals": 2, "unknown": 1}},
        }  # fmt: skip
        self.profile = hostile_profile()  # of candidate 0
        self.made_profile: dict[str, Any] | None = None  # the answer to a wish for one; None: refused
        self.explanation = hostile_explanation()
        self.campaigns = [self.campaign] if campaigns else []
        self.cluster: dict[str, Any] | None = None  # the node works alone
        self.skills: list[dict[str, Any]] = []
        self.changes: list[tuple[str, Any]] = []  # path and body of every request to change something
        node = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                node.reply(self)

            def do_POST(self) -> None:
                node.change(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._ended = threading.Event()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def reply(self, h: BaseHTTPRequestHandler) -> None:
        path, _, query = h.path.partition("?")
        name = "index.html" if path == "/" else path.removeprefix("/page/")
        if path == "/" or path.startswith("/page/"):
            self._send(h, 200, TYPES[Path(name).suffix], (BUILT / name).read_bytes())
        elif h.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._problem(h, 401, "a bearer token is required")
        elif self.gone and (ID in path or ID in query):
            self.asked_when_gone.append(path)
            self._problem(h, 404, MARKUP)
        elif path == "/v1/events":
            self._stream(h)
        elif (answer := self._answer(path, dict(p.split("=", 1) for p in query.split("&") if "=" in p))) is not None:
            self._send(h, 200, "application/json", json.dumps(answer).encode())
        else:
            self._problem(h, 404, MARKUP)

    def change(self, h: BaseHTTPRequestHandler) -> None:
        """Drains or undrains a node, revokes a skill, or profiles candidate 0; refuses other changes."""
        body = json.loads(h.rfile.read(int(h.headers.get("Content-Length", "0"))))
        if h.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._problem(h, 401, "a bearer token is required")
            return
        self.changes.append((h.path, body))
        parts = h.path.split("/")
        for n in self.cluster["items"] if self.cluster else []:
            if parts[:3] == ["", "v1", "nodes"] and parts[3] == urllib.parse.quote(n["name"], safe="") and parts[4] in ("drain", "undrain"):
                n["state"] = "draining" if parts[4] == "drain" else "live"
                self._send(h, 200, "application/json", json.dumps({"node": n["name"]}).encode())
                return
        for s in self.skills:
            if h.path == f"/v1/skills/{s['id']}/revoke":
                s |= {"state": "revoked", "reason": body["why"]}
                self._send(h, 200, "application/json", json.dumps(s).encode())
                return
        if h.path == f"/v1/campaigns/{ID}/candidates/0/profile" and self.made_profile is not None:
            self.profile = self.made_profile
            self._send(h, 200, "application/json", json.dumps(self.profile).encode())
            return
        self._problem(h, 409, MARKUP)

    def _answer(self, path: str, query: dict[str, str]) -> Any:
        def page(items: list[Any]) -> dict[str, Any]:
            return {"items": items, "total": len(items), "truncated": False, "next": None, "complete": True, "forgotten": 0}

        own = f"/v1/campaigns/{ID}"
        if path == own + "/history":
            rest = [e for e in self.events if e["sequence"] > int(query.get("after", "0"))]
            part = rest[:4096]
            last = part[-1]["sequence"] if part else int(query.get("after", "0"))
            return {"items": part, "last_sequence": last, "truncated": len(rest) > len(part)}
        if path == own + "/candidates/0/profile":
            return self.profile
        if path == own + "/candidates/0/profile/artefacts/" + "a" * 64:
            return {"pass": MARKUP, "kind": "loops", "digest": "a" * 64, "bytes": 5, "text": "[] " + MARKUP, "base64": None}
        if path == own + "/candidates/0":
            return {"index": 0, "reference": True, "language": "c", "source": "int x;", "path": MARKUP, "speedup": 1.0}
        if path.startswith(own + "/candidates/") and (index := int(path.rsplit("/", 1)[1])) < 5000:
            return hostile_node(index)
        task = {"name": "t", "summary": MARKUP, "language": "c", "prototype": MARKUP, "work": {"flops": "n", "bytes": "8*n"},
                "shapes": [{"shape": "n=1", "held_out": False, "weight": 1.0, "flops": 100, "bytes": 800}]}  # fmt: skip
        kinds = {"kind": MARKUP, "live": 2, "busy": 1, "dead": 1, "failed": 1, "restarts": 3, "mailbox": 500, "handled": 9}
        unfit = {"resource": "device", "id": MARKUP, "epoch": 1, "up": True, "leased": False, "granted": 1, "unfit": MARKUP}
        if path == "/v1/skills":
            return page([s for s in self.skills if query.get("state", s["state"]) == s["state"]])
        if path.startswith("/v1/skills/"):
            return next((s for s in self.skills if s["id"].startswith(path.rsplit("/", 1)[1])), None)
        document = {"id": "cpu/one", "title": MARKUP, "category": "guidance", "targets": ["cpu"], "signals": [], "checked": "2026-01-31", "file": MARKUP,
                    "sections": 2}  # fmt: skip
        figure = {"document": "cpu/one", "steps": 3, "valid": 2, "best_gain": 1.25, "campaign": ID, "candidate": 2}
        answers: dict[str, Any] = {
            "/v1/knowledge": page([document, {**document, "id": "cpu/two"}]),
            "/v1/knowledge/figures": {"items": [figure], "exchanges": 50_000, "complete": False},
            "/v1/node": {"version": "0.1.0", "in_cluster": self.cluster is not None},
            "/v1/nodes": self.cluster,
            "/v1/campaigns": page(self.campaigns),
            own: self.campaign,
            own + "/task": task,
            own + "/explanation": self.explanation,
            "/v1/actors": page(
                [actor(3, 2, alive=False, ended="2026-01-01T00:00:00Z")]
                if query.get("state") == "dead"
                else [actor(1, restarts=3, mailbox=500), actor(2, 1)]
            ),
            "/v1/actors/summary": page([kinds]),
            "/v1/resources": page([unfit]),
        }  # fmt: skip
        return answers.get(path)

    def _stream(self, h: BaseHTTPRequestHandler) -> None:
        after = int(h.headers.get("Last-Event-ID", "0"))
        self.asked_after.append(after)
        if self.ends_at is not None and after > self.ends_at:
            self.refused += 1
            self._problem(h, 409, f"the log ends at event {self.ends_at}, before {after}: the store was restored")
            return
        h.close_connection = True
        h.send_response(200)
        h.send_header("Content-Type", "text/event-stream")
        h.end_headers()
        h.wfile.write(b": kevolve\n\n")
        rest = [e for e in self.live if after < e["sequence"] <= (self.ends_at or e["sequence"])]
        part = rest[: self.cut_every] if self.cut_every else rest
        for e in [e for e in self.live if e["sequence"] == after] + part:  # the last event seen is repeated
            text = f"id: {e['sequence']}\nevent: {e['kind']}\ndata: {json.dumps(e)}\n\n"
            h.wfile.write(text.encode())
        h.wfile.flush()
        if len(part) == len(rest):
            self._ended.wait(120)
        else:  # cuts the stream in the middle of an event
            h.wfile.write(f"id: {rest[len(part)]['sequence']}\ndata: {{".encode())

    def _send(self, h: BaseHTTPRequestHandler, status: int, kind: str, body: bytes) -> None:
        h.send_response(status)
        h.send_header("Content-Type", kind)
        h.send_header("Content-Length", str(len(body)))
        h.send_header("Content-Security-Policy", self.policy)
        h.send_header("X-Content-Type-Options", "nosniff")
        h.end_headers()
        h.wfile.write(body)

    def _problem(self, h: BaseHTTPRequestHandler, status: int, detail: str) -> None:
        body = {"type": "urn:kevolve:problem:x", "title": MARKUP if status != 401 else "Unauthorised", "status": status, "detail": detail}
        self._send(h, status, "application/problem+json", json.dumps(body).encode())
