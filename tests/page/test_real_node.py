"""Tests the page with real nodes: a running campaign, and a daemon on its data."""

from __future__ import annotations

import unittest
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import real_node
from browser_case import BrowserCase
from tree_hands import find_node
from webdriver import WebDriverError

POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
    "img-src": "'self' data:", "font-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
    "frame-ancestors": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "'none'",
}  # fmt: skip


class _Stored:
    """One short campaign, run once, and a daemon that serves it to every case. Cases that change what is stored change their own part."""

    node: real_node.Node | None = None

    @classmethod
    def serve(cls) -> real_node.Node:
        if cls.node is None:
            with ExitStack() as kept:
                data = Path(kept.enter_context(TemporaryDirectory(prefix="kevolve-page-"))) / "data"
                with real_node.campaign(data, budget__candidates="8", budget__wall="1h", search__policy="evolution") as node:
                    node.finish()
                cls.node = kept.enter_context(real_node.daemon(data))
                unittest.addModuleCleanup(kept.pop_all().close)
        return cls.node


class OnADaemon(BrowserCase):
    def setUp(self) -> None:
        super().setUp()
        self.node = _Stored.serve()
        self.campaign: dict[str, Any] = self.node.get("/v1/campaigns")["items"][0]

    def sign_in(self) -> None:
        self.browser.sign_in(self.node.url, self.node.token)


class Documents(OnADaemon):
    def test_documents_are_listed_searched_and_shown_with_their_sources(self) -> None:
        self.sign_in()
        b = self.browser
        b.open(f"{self.node.url}/#/knowledge")
        b.wait_text("cpu/overview-vectorisation")
        b.type("input[name=query]", "independent accumulators")
        b.click("main form button")
        b.wait_text("A reduction needs independent accumulators")
        b.open(f"{self.node.url}/#/knowledge/cpu/overview-vectorisation")
        b.wait_text("Auto-Vectorization in LLVM")


class Skills(OnADaemon):
    def test_a_skill_is_listed_explained_and_revoked(self) -> None:
        skill = {
            "conditions": {"target": "cpu", "language": "c", "families": ["reduction"]},
            "step": {"moves": "tile(_1,64)", "words": "tile the outer loop"},
            "provenance": {"campaign": self.campaign["id"], "campaign_name": "hostile", "task": "hostile", "parent": 0, "candidate": 1},
        }
        self.assertEqual(self.node.post("/v1/skills/import", {"format": 1, "skills": [skill]})["taken"], 1)
        self.sign_in()
        b = self.browser
        self.go("#/skills")
        b.wait_text("tile the outer loop", "table[aria-label=skills]")
        b.click("table[aria-label=skills] a")
        b.wait_text("Applies where")
        self.assertIn("hypothesis", b.text(".bar"))
        b.run("[...document.querySelectorAll('button')].find((x) => x.innerText === 'Revoke…').click()")
        b.type("dialog input[name=why]", "wrong with denormals")
        b.click("dialog button.grave")
        b.wait_text("revoked", ".bar .chip")
        stored = self.node.get("/v1/skills?state=revoked")["items"]
        self.assertEqual([s["reason"] for s in stored], ["wrong with denormals"])
        self.assertNotIn("Nodes", b.text("header nav"))  # it works alone
        self.check_console()


class SigningIn(OnADaemon):
    expected_messages = ("401",)

    def test_a_wrong_token_is_refused_and_the_right_one_stays_in_this_tab_alone(self) -> None:
        b = self.browser
        b.open(self.node.url)
        b.wait_text("Token")
        b.type("#token", "wrong" * 8)
        b.click("button[type=submit]")
        b.wait_text("The node refused this token")
        self.assertIsNone(b.run("return sessionStorage.getItem('kevolve.token')"))
        b.sign_in(self.node.url, self.node.token)
        b.wait_text("hostile")
        self.assertEqual(b.run("return sessionStorage.getItem('kevolve.token')"), self.node.token)
        self.assertEqual(b.run("return localStorage.length"), 0)
        self.assertEqual(b.run("return document.cookie"), "")
        asked = b.run("return performance.getEntriesByType('resource').map((e) => e.name).concat(location.href)")
        self.assertFalse([x for x in asked if self.node.token in x])
        self.assertTrue(all(x.startswith(self.node.url) for x in asked), asked)
        self.check_console()
        b.click("header button")  # sign out
        b.wait_text("Token")
        self.assertIsNone(b.run("return sessionStorage.getItem('kevolve.token')"))

    def test_a_token_that_is_no_longer_taken_leads_back_to_signing_in(self) -> None:
        self.sign_in()
        self.browser.run("sessionStorage.setItem('kevolve.token', 'stale')")
        self.go("#/actors")
        self.browser.wait_text("no longer takes the token")
        self.check_console()


class Served(OnADaemon):
    def test_the_page_is_open_but_strict_and_what_it_shows_is_not_open(self) -> None:
        for path, kind in (("/", "text/html"), ("/page/app.js", "text/javascript"), ("/page/app.css", "text/css"), ("/page/icon.svg", "image/svg+xml")):
            status, headers, body = self.node.answer(path)
            self.assertEqual(status, 200, path)
            self.assertTrue(headers["content-type"].startswith(kind), path)
            said = dict(x.strip().split(" ", 1) for x in headers["content-security-policy"].split(";"))
            self.assertEqual(said, POLICY)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            name = "index.html" if path == "/" else path.rsplit("/", 1)[1]
            self.assertEqual(body, (real_node.SOURCE / "runtime/node/page/built" / name).read_bytes())
        for path in ("/v1/campaigns", "/v1/openapi.json", "/page/", "/page/token", "/page/../token", "/page/%2e%2e/token"):
            self.assertIn(self.node.answer(path)[0], (400, 401, 404), path)
            self.assertNotIn(self.node.token.encode(), self.node.answer(path)[2])

    def test_the_page_cannot_turn_a_text_into_markup_whatever_its_code(self) -> None:
        self.browser.open(self.node.url)
        self.browser.wait_text("Token")
        for script in ("document.body.innerHTML = '<b>x</b>'", "document.write('<b>x</b>')", "document.createElement('script').src = 'data:,'"):
            with self.assertRaises(WebDriverError, msg=script) as refused:
                self.browser.run(script)
            self.assertIn("javascript error", str(refused.exception))


class Campaigns(OnADaemon):
    def test_campaigns_lead_to_the_tree_and_a_click_there_to_the_node_whole(self) -> None:
        b = self.browser
        self.sign_in()
        b.wait_text("finished", "tbody")
        best = self.campaign["best"]
        self.assertIn(f"{best['speedup']:.3f}×", b.text("tbody"))
        b.click("tbody a")
        b.wait_text("Best so far")
        label = b.run("return document.querySelector('canvas.tree').getAttribute('aria-label')")
        self.assertIn(f"tree of {self.campaign['candidates'] + 1} candidates", label)
        b.wait("the curve", lambda: b.run("return document.querySelectorAll('.plot canvas').length") == 1)
        islands = self.node.get(f"/v1/campaigns/{self.campaign['id']}")["search"]["islands"]
        for island in islands:
            self.assertIn(f"island {island['island']}", b.text("[aria-label=islands]"))
            for cell in island["cells"]:
                self.assertIn(f"{cell['speedup']:.3f}"[:4], b.text("[aria-label=islands]"))
        self.assertTrue(any(i["cells"] for i in islands))
        at = find_node(b, f"candidate {best['candidate']}:")
        b.click_at(at["x"], at["y"])
        b.wait_text(f"Candidate {best['candidate']}", "h1")
        self.assertTrue(b.url().endswith(f"#/campaigns/{self.campaign['id']}/node/{best['candidate']}"))
        node = self.node.get(f"/v1/campaigns/{self.campaign['id']}/candidates/{best['candidate']}")
        b.wait_text("Verdict and evidence")
        shown = b.run("return document.querySelector('pre.code').textContent")
        self.assertEqual(shown.strip(), node["source"].replace("\u202e", "⟨U+202E⟩").strip())
        self.assertIn('<img src=x onerror="', shown)  # the candidate kept the reference's hostile comment
        self.assertEqual(b.run("return document.querySelectorAll('#page img, #page svg, #page script').length"), 0)
        for section in ("Difference to its parent", "Difference to the reference", "Samples", "Roofline", "Logs", "Cost"):
            self.assertIn(section, b.text("main"))
        self.assertIn("physics floor", b.text("main"))
        self.assertEqual(b.run("return document.querySelectorAll('.plot canvas').length"), 1)  # the histogram
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the roofline", lambda: b.run("return document.querySelectorAll('.plot canvas').length") == 2)
        b.wait_text("Gflop/s at 0.500 flops a byte")
        self.assertIn("cost\nunknown", b.text("main"))
        self.check_console()

    def test_a_source_that_tries_to_be_markup_is_shown_as_text(self) -> None:
        b = self.browser
        self.sign_in()
        self.go(f"#/campaigns/{self.campaign['id']}/node/0")
        b.wait_text("onerror=")
        self.assertIn("""</script><img src=x onerror="document.title='broken into'"><svg onload=alert(1)>&amp; ⟨U+202E⟩ turned""", b.text("pre.code"))
        self.assertEqual(b.run("return document.querySelectorAll('#page img, #page svg, #page script').length"), 0)
        self.assertNotEqual(b.run("return document.title"), "broken into")
        self.check_console()

    def test_the_tree_is_walked_and_opened_by_keys(self) -> None:
        b = self.browser
        self.sign_in()
        self.go(f"#/campaigns/{self.campaign['id']}")
        b.wait_text("Search tree")
        b.run("document.querySelector('canvas.tree').focus()")
        b.keys("ArrowRight")
        b.wait_text("the reference", ".unseen")
        b.keys("ArrowRight")
        b.wait_text("candidate 1:", ".unseen")
        b.keys("ArrowDown")
        b.wait_text("candidate 2:", ".unseen")
        b.keys("b")
        b.wait_text(f"candidate {self.campaign['best']['candidate']}:", ".unseen")
        b.keys("Enter")
        b.wait_text(f"Candidate {self.campaign['best']['candidate']}", "h1")

    def test_a_missing_campaign_candidate_or_view_is_named(self) -> None:
        b = self.browser
        self.sign_in()
        self.go("#/campaigns/00000000")
        b.wait_text("no campaign 00000000")
        self.go(f"#/campaigns/{self.campaign['id']}/node/4000")
        b.wait_text("has no candidate 4000")
        self.go("#/nowhere")
        b.wait_text("There is no view of this name")

    def test_actors_and_events_are_shown(self) -> None:
        b = self.browser
        self.sign_in()
        self.go("#/actors")
        b.wait_text("compiler worker", "table")
        total = self.node.get("/v1/actors/summary")["total"]
        b.wait("every kind", lambda: b.run("return document.querySelectorAll('[aria-label=\"actors by kind\"] tbody tr').length") == total)
        self.go("#/events")
        b.wait_text("campaign finished", ".events")
        self.assertIn("champion changed", b.text(".events"))
        self.check_console()


class OnAPhone(OnADaemon):
    width = 390

    def test_no_view_is_wider_than_a_phone(self) -> None:
        self.browser.open(self.node.url)
        self.browser.wait_text("Token")
        self.check_no_sideways_scrolling()
        self.sign_in()
        id_ = self.campaign["id"]
        for route, text in (("#/campaigns", "finished"), (f"#/campaigns/{id_}", "Best so far"), (f"#/campaigns/{id_}/node/1", "Verdict and evidence"),
                            ("#/actors", "By kind"), ("#/events", "campaign finished")):  # fmt: skip
            self.go(route)
            self.browser.wait_text(text, "main")
            self.check_no_sideways_scrolling()


class InTheDark(OnADaemon):
    dark = True

    def test_the_page_and_its_canvases_follow_the_readers_dark_scheme(self) -> None:
        b = self.browser
        self.sign_in()
        self.go(f"#/campaigns/{self.campaign['id']}")
        b.wait_text("Best so far")
        paper = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(b.run(f"return {paper}"), "rgb(20, 23, 27)")
        corner = "return [...document.querySelector('canvas.tree').getContext('2d').getImageData(3, 3, 1, 1).data]"
        b.wait("a dark canvas", lambda: b.run(corner) == [20, 23, 27, 255])
        b.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
        b.wait("a light canvas", lambda: b.run(corner) == [255, 255, 255, 255])


class Live(BrowserCase):
    expected_messages = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "401")

    def test_a_running_campaign_grows_can_be_paused_and_outlives_its_node_without_a_reload(self) -> None:
        b = self.browser
        data = self.folder / "data"
        nodes = "return Number(document.querySelector('canvas.tree')?.getAttribute('aria-label').match(/of (\\d+) candidates/)[1] ?? 0)"
        with real_node.campaign(data, budget__wall="1h", stop__stall="100000") as running:
            port, token = running.port, running.token
            b.sign_in(running.url, token)
            b.wait("a campaign", lambda: b.run("return document.querySelector('tbody a')?.click() ?? !!location.hash.match(/campaigns\\//)"))
            b.run("window.never_reloaded = true")
            first = b.wait("a node", lambda: b.run(nodes), 300)
            b.wait("more nodes", lambda: b.run(nodes) > first, 300)
            b.wait("the stream", lambda: b.run("return !!document.querySelector('.stream.live')"))
            b.run("[...document.querySelectorAll('button')].find((x) => x.innerText === 'Pause').click()")
            b.wait_text("paused", ".chip")
            self.assertEqual(running.get("/v1/campaigns")["items"][0]["state"], "paused")
            b.run("[...document.querySelectorAll('button')].find((x) => x.innerText === 'Resume').click()")
            b.wait_text("running", ".chip")
        b.wait_text("reconnecting", limit_s=60)
        seen = b.run(nodes)
        with real_node.daemon(data, port) as again:
            self.assertEqual(again.port, port)
            b.wait("the stream again", lambda: b.run("return !!document.querySelector('.stream.live')"), 60)
            b.wait("nodes of the new process", lambda: b.run(nodes) > seen, 300)
            self.assertTrue(b.run("return window.never_reloaded"))
        self.check_console()


if __name__ == "__main__":
    unittest.main()
