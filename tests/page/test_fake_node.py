"""Tests the page with a fake node, for content that a short real campaign lacks."""

from __future__ import annotations

import statistics
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import real_node
from browser_case import BrowserCase
from fake_node import ID, MARKUP, TOKEN, FakeNode, event, story
from tree_hands import find_node, frame_times

NODES = 5_000
SHOWN = MARKUP.replace("\u202e", "⟨U+202E⟩")  # the page names invisible characters


@cache
def policy() -> str:
    """Returns the content policy of the real node."""
    with TemporaryDirectory(prefix="kevolve-page-") as folder, real_node.daemon(Path(folder) / "data") as node:
        return node.answer("/")[1]["content-security-policy"]


class FakeCase(BrowserCase):
    def serve(self, *arguments: Any, **named: Any) -> FakeNode:
        node: FakeNode = self.enterContext(FakeNode(policy(), *arguments, **named))
        self.browser.sign_in(node.url, TOKEN)
        return node

    def colour_by(self, by: str) -> None:
        self.browser.run("""const s = document.querySelector('section[aria-label="search tree"] select');
                         s.value = arguments[0]; s.dispatchEvent(new Event('change', {bubbles: true}))""", by)  # fmt: skip
        legend = ".scale" if by == "speedup" else "ul.legend"
        self.browser.wait("its legend", partial(self.browser.run, "return !!document.querySelector(arguments[0])", legend))


class BigTree(FakeCase):
    def test_a_tree_of_5000_nodes_is_drawn_panned_and_zoomed(self) -> None:
        b = self.browser
        events = story(NODES)
        self.serve(events)
        self.go(f"#/campaigns/{ID}")
        b.wait(
            "the whole tree",
            lambda: f"tree of {NODES} candidates" in (b.run("return document.querySelector('canvas.tree')?.getAttribute('aria-label')") or ""),
        )
        self.assertTrue(b.run("return !!document.querySelector('.scale')"))  # by speedup at first
        self.colour_by("verdict")
        finished = [e["data"] for e in events if e["kind"] == "node_finished"]
        said = b.text("ul.legend")
        for label, verdicts in (("pass", ["pass"]), ("does not build", ["compile_error"]), ("wrong", ["wrong_result"]),
                                ("crashed or over a limit", ["crashed", "timeout"]), ("broke a rule", ["cheating"]),
                                ("fault of the machine", [None])):  # fmt: skip
            count = sum(d["verdict"] in verdicts for d in finished)
            self.assertIn(f"{label} {count}", said)
        times = frame_times(b)
        for what, ms in times.items():
            ordered = sorted(ms)
            print(f"  {what}: median {statistics.median(ms):.1f} ms a frame, 95th of 100 {ordered[int(len(ms) * 0.95)]:.1f}, worst {ordered[-1]:.1f}")
        for by in ("speedup", "generator"):
            self.colour_by(by)
        self.assertIn("llm", b.text("ul.legend"))
        self.check_console()

    def test_failed_nodes_are_seen_and_opened(self) -> None:
        b = self.browser
        events = story(60)
        self.serve(events)
        self.go(f"#/campaigns/{ID}")
        b.wait_text("Search tree")
        self.colour_by("verdict")
        pixels = """
          const c = document.querySelector('canvas.tree'), seen = {};
          const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          for (let i = 0; i < data.length; i += 4) {
            const colour = data[i] + ',' + data[i + 1] + ',' + data[i + 2];
            seen[colour] = (seen[colour] ?? 0) + 1;
          }
          return seen;"""
        # Marks of wrong, failed and passed candidates, and a path longer than the buffer.
        least = {"192,38,38": 5, "122,79,192": 5, "18,128,106": 50, "194,80,10": 500}
        b.wait("marks and path on the canvas", lambda: (seen := b.run(pixels)) and all(seen.get(k, 0) >= n for k, n in least.items()))
        failed = next(e["data"]["index"] for e in events if e["data"].get("verdict") == "wrong_result")
        at = find_node(b, f"candidate {failed}: wrong result", 4)
        b.click_at(at["x"], at["y"])
        b.wait_text(f"Candidate {failed}", "h1")


class HostileText(FakeCase):
    expected_messages = ("404",)

    def nothing_ran(self) -> None:
        self.assertIsNone(self.browser.run("return window.broken ?? null"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#page img, #page svg, #page script').length"), 0)
        self.check_no_sideways_scrolling()

    def test_text_that_tries_to_be_markup_stays_text_wherever_it_stands(self) -> None:
        b = self.browser
        live = [event(1000 + i, "campaign_state", {"state": "running", "reason": MARKUP}) for i in range(3)]
        self.serve(story(8), live)
        b.wait_text(SHOWN, "tbody")
        self.nothing_ran()
        self.go(f"#/campaigns/{ID}")
        b.wait_text(SHOWN, "h1")
        b.wait_text(SHOWN, "[aria-label=candidates] table")
        self.nothing_ran()
        self.go(f"#/campaigns/{ID}/node/1")
        b.wait_text("Verdict and evidence")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the roofline", lambda: b.run("return document.querySelectorAll('.plot canvas').length") == 2)
        self.assertGreaterEqual(b.run("return document.querySelector('main').textContent.split(arguments[0]).length - 1", SHOWN), 20)
        for section in ("Prompt", "Reply"):
            self.assertIn(section, b.text("main"))
        self.assertEqual(b.run("return document.querySelectorAll('pre.code b').length"), 0)
        self.nothing_ran()
        self.go(f"#/campaigns/{ID}/node/7000")
        b.wait_text(SHOWN, ".trouble")
        self.nothing_ran()
        self.go("#/actors")
        b.wait_text(SHOWN, "table")
        self.assertEqual(b.text("td .crowded"), "500")
        self.assertEqual(b.text("td .chip.restarts"), "3")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait_text("ended", "[aria-label='dead actors']")
        self.assertNotIn("\u202e", b.text())
        self.nothing_ran()
        self.go("#/events")
        b.wait_text(SHOWN.replace("_", " "), ".events")
        self.nothing_ran()
        self.check_console()


class Unknowns(FakeCase):
    def choose(self, value: str) -> None:
        self.browser.run("""const s = document.querySelector('section[aria-label="best so far"] select');
            s.value = arguments[0]; s.dispatchEvent(new Event('change', {bubbles: true}))""", value)  # fmt: skip

    def test_a_campaign_shows_its_best_beside_each_baseline_of_pytorch(self) -> None:
        b = self.browser
        node = self.serve(story(10))
        node.campaign["best"] |= {
            "final": True, "baseline_headline": "slower than torch.compile (default): 0.5x as fast, 0.49 to 0.51",
            "baselines": [
                {"name": "eager PyTorch", "speedup": 2.0, "interval": [1.9, 2.1], "note": None},
                {"name": "torch.compile default", "speedup": 0.5, "interval": [0.49, 0.51], "note": None},
                {"name": "torch.compile max-autotune", "speedup": None, "interval": None, "note": "no time left"},
            ],
        }  # fmt: skip
        self.go(f"#/campaigns/{ID}")
        b.wait_text("slower than torch.compile (default): 0.5x as fast, 0.49 to 0.51")
        said = b.text("main")
        for line in ("eager PyTorch: 2.000×", "torch.compile default: 0.500×", "torch.compile max-autotune: not timed: no time left"):
            self.assertIn(line, said)
        self.check_console()

    def test_cost_nobody_knows_is_unknown_and_never_nothing(self) -> None:
        b = self.browser
        self.serve(story(31))
        self.go(f"#/campaigns/{ID}")
        b.wait_text("Best so far")
        self.choose("cost")
        b.wait_text("The cost of all 30 candidates is unknown")
        self.assertIn("cost\nunknown", b.text("dl.facts"))
        self.choose("time")
        b.wait("the curve", lambda: b.run("return document.querySelectorAll('.plot canvas').length") == 1)

    def test_a_curve_over_partly_known_cost_says_what_it_leaves_out(self) -> None:
        b = self.browser
        self.serve(story(31, priced=True))
        self.go(f"#/campaigns/{ID}")
        b.wait_text("Best so far")
        self.choose("cost")
        b.wait_text("6 candidates of unknown cost are left out")

    def test_samples_that_were_not_kept_are_not_drawn(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}/node/2")
        b.wait_text("The samples of this comparison were not kept")
        self.assertEqual(b.run("return document.querySelectorAll('.plot').length"), 0)

    def test_an_estimate_is_not_the_fastest_and_an_unfinished_candidate_is_abandoned(self) -> None:
        events = story(8)

        def add(kind: str, **data: Any) -> None:
            events.append(event(len(events) + 1, kind, data))

        add("champion_changed", index=1, speedup=20.0, interval=[19.0, 21.0])
        add("node_selected", index=8, parents=[1], policy="uct")
        add("node_finished", index=8, verdict="pass", rule="same_object", speedup=20.0, interval=None, estimate=True)
        add("node_selected", index=9, parents=[1], policy="uct")
        add("champion_changed", index=1, speedup=15.0, interval=[14.0, 16.0])  # measured again
        add("campaign_finished", state="finished", stop_reason="cancelled", best=None, speedup=0.0)
        self.serve(events)
        self.go(f"#/campaigns/{ID}")
        self.browser.wait_text("~15.0×", "[aria-label=candidates] table")
        self.colour_by("verdict")
        self.assertIn("abandoned 1", self.browser.text("ul.legend"))
        self.assertNotIn("in flight", self.browser.text("ul.legend"))

    def test_a_node_without_campaigns_says_how_to_start_one(self) -> None:
        self.serve([], campaigns=False)
        self.browser.wait_text("No campaign yet")


class CutStreams(FakeCase):
    expected_messages = ("ERR_INCOMPLETE_CHUNKED_ENCODING",)

    def test_a_stream_that_is_cut_again_and_again_shows_every_event_once_and_in_order(self) -> None:
        b = self.browser
        live = [event(1000 + i, "campaign_state", {"state": "running", "reason": f"reason {i}"}) for i in range(40)]
        node = self.serve(story(8), live, cut_every=4)
        self.go("#/events")
        b.wait("the last event", lambda: "reason 39" in b.text(".events"), 60)
        shown = b.run("return [...document.querySelectorAll('.events small')].map((x) => Number(x.innerText))")
        self.assertEqual(shown, [1000 + i for i in reversed(range(40))])
        self.assertEqual(node.asked_after[1:], [1003 + 4 * i for i in range(9)])
        self.check_console()


class ForgottenCampaign(FakeCase):
    expected_messages = ("ERR_INCOMPLETE_CHUNKED_ENCODING", "404")

    def test_a_campaign_that_is_gone_is_not_asked_for_again_and_again(self) -> None:
        b = self.browser
        live = [event(1000 + i, "campaign_state", {"state": "running", "reason": f"reason {i}"}) for i in range(400)]
        node = self.serve(story(8), live, cut_every=1)
        self.go(f"#/campaigns/{ID}")
        b.wait("a part of the stream", lambda: node.asked_after and node.asked_after[-1] >= 1001)
        node.gone = True
        b.wait("that the page heard of it twice", lambda: {"/v1/events", f"/v1/campaigns/{ID}"} <= set(node.asked_when_gone))
        b.wait_text(SHOWN, ".trouble")
        # An earlier event may make the page ask once more for the campaign's state, within some 1.2 s.
        heard = b.run("return performance.now()")
        b.wait("that events from before are dealt with", lambda: b.run("return performance.now()") > heard + 3000)
        asked, begun = list(node.asked_when_gone), b.run("return performance.now()")
        b.wait("longer than the page waits between two questions", lambda: b.run("return performance.now()") > begun + 6000)
        self.assertEqual(node.asked_when_gone, asked)


class RestoredStore(FakeCase):
    expected_messages = ("ERR_INCOMPLETE_CHUNKED_ENCODING", "409")

    def begins_anew(self, route: str) -> None:
        b = self.browser
        live = [event(1000 + i, "campaign_state", {"state": "running", "reason": f"reason {i}"}) for i in range(40)]
        node = self.serve(story(8), live, cut_every=1)
        self.go(route)
        b.wait("a part of the stream", lambda: node.asked_after and node.asked_after[-1] >= 1001)
        node.ends_at = 500  # simulates a restore
        b.wait_text("the log ends at event 500, before 1", ".trouble")
        b.wait("what it read anew", lambda: node.asked_after[-1] < 500)
        self.assertEqual(node.refused, 1)
        self.check_console()

    def test_a_stream_that_would_go_on_behind_the_end_of_the_log_says_so_and_begins_anew_once(self) -> None:
        self.begins_anew("#/events")
        self.assertIn("Nothing has happened yet", self.browser.text(".empty"))

    def test_a_campaign_whose_log_ends_before_its_story_does_is_told_anew(self) -> None:
        self.begins_anew(f"#/campaigns/{ID}")
        self.browser.wait("its tree", lambda: "tree of 8 candidates" in (self.browser.run("return document.querySelector('canvas.tree')?.getAttribute('aria-label')") or ""))
