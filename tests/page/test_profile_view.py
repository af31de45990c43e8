"""Tests the views of profiles and explanations, with a fake node."""

from __future__ import annotations

from fake_node import ID, hostile_device_profile, hostile_profile, story
from test_fake_node import SHOWN, FakeCase


class Profiles(FakeCase):
    def cells(self, table: str) -> list[list[str]]:
        return self.browser.run("""return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(
                                     (r) => [...r.children].map((c) => c.innerText.trim()))""", table)  # fmt: skip

    def test_a_profile_shows_its_findings_and_the_loops_of_a_call_within_each_other(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}/node/0")
        b.wait_text("Why it is slow")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the flame graph", lambda: b.run("return document.querySelectorAll('svg.flame rect.loop').length") == 3)
        box = b.run("""return [...document.querySelectorAll('svg.flame rect')].map((r) => {
                       const x = r.getBoundingClientRect(); return [x.left, x.right, x.top]; })""")  # fmt: skip
        call, outer, first, second = box
        self.assertLessEqual(outer[1], call[1] + 1)
        self.assertLessEqual(second[1], outer[1] + 1)
        self.assertLessEqual(first[1], second[0] + 1)  # side by side
        self.assertLess(first[2], outer[2])  # inner loops stand above
        self.assertEqual(first[2], second[2])
        for text in ("lines 3 to 5", "50 % of the call", "2 times as fast without it", "flush ns 412.5", f"advice\n{SHOWN}", f"vaddps {SHOWN}", "add up to 97 % of the instrumented call"):
            self.assertIn(text, b.text("main"))
        self.assertEqual(self.cells("table.loops")[0], ["line 2", "100.0 ns", "10 %", "1", "8", "4"])
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_profile_shows_the_share_of_its_time_that_each_pass_took_and_what_it_disturbs(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}/node/0")
        b.wait_text("Why it is slow")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the passes", lambda: b.run("return document.querySelectorAll('table.passes tbody tr').length") == 3)
        first, second, stored = self.cells("table.passes")
        self.assertEqual([first[0], *first[1:5]], [SHOWN, "1.5 s", "75 %", "core", "the call is 25 % slower, on another build"])
        self.assertEqual(second[:5], ["second", "500 ms", "25 %", "compiler", "nothing"])
        self.assertEqual(stored[1:3], ["stored before", ""])  # it took none of this profile's time
        widths = b.run("return [...document.querySelectorAll('.part')].map((x) => getComputedStyle(x).getPropertyValue('--part'))")
        self.assertEqual(widths, ["75%", "25%"])

    def test_an_artefact_of_a_pass_is_shown_when_it_is_asked_for(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}/node/0")
        b.wait_text("Why it is slow")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the artefacts", lambda: b.run("return document.querySelectorAll('button.artefact').length") == 3)
        self.assertNotIn(f"loops of {SHOWN}", b.text("main"))
        b.run("document.querySelector('button.artefact').click()")
        b.wait_text("loops of ")
        self.assertIn(f"loops of {SHOWN}\n[] {SHOWN}", b.text("main"))
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_candidate_without_a_profile_is_profiled_from_its_page(self) -> None:
        b = self.browser
        node = self.serve(story(8))
        node.profile, node.made_profile = {**hostile_profile(), "passes": [], "diagnosis": None}, hostile_profile()
        self.go(f"#/campaigns/{ID}/node/0")
        b.wait_text("Why it is slow")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait_text("Not profiled")
        b.run("[...document.querySelectorAll('button')].find((x) => x.innerText.startsWith('Profile it now')).click()")
        b.wait("the passes", lambda: b.run("return document.querySelectorAll('table.passes tbody tr').length") == 3)
        self.assertEqual(node.changes, [(f"/v1/campaigns/{ID}/candidates/0/profile", {"budget_s": 2})])
        self.check_console()

    def test_a_campaign_explains_why_its_best_is_not_faster_and_what_would_unlock_each_loop(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}")
        b.wait_text("Why it is not faster")
        b.run("document.querySelectorAll('details.fold').forEach((d) => d.open = true)")
        b.wait_text("Tried without gain")
        said = b.text("main")
        for text in ("Candidate 1 is the best: 1.250×", f"bound by\n{SHOWN}", "50 % of the call", "By its figures alone", "Free to be reordered and vectorised",
                     f"Why nothing is named:\n\n{SHOWN}", f"candidate 4: {SHOWN}", f"candidate 5 ({SHOWN}): its profile names no bottleneck",
                     f"candidate 6 ({SHOWN}): bound by {SHOWN} (confidence 90 %)", f"What would change it\n{SHOWN}\nrewrite\n{SHOWN}",
                     f"Its iterations stay in order: {SHOWN}", f"or assert\n{SHOWN}", f"[[assert]]\n{SHOWN}", f"rewrite\n{SHOWN}",
                     f"It cannot be vectorised as it stands: {SHOWN}", f"line 9: {SHOWN}", f"candidate 2 from the reference: {SHOWN}: no difference, 1.00×"):  # fmt: skip
            self.assertIn(text, said)
        self.assertEqual(b.run("return document.querySelectorAll('.reading li').length"), 3)
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_profile_of_a_device_shows_its_kernels_in_place_of_loops(self) -> None:
        b = self.browser
        self.serve(story(8)).profile = hostile_device_profile()
        self.go(f"#/campaigns/{ID}/node/0")
        b.wait_text("Why it is slow")
        b.run("document.querySelectorAll('details').forEach((d) => d.open = true)")
        b.wait("the kernels", lambda: b.run("return document.querySelectorAll('table.kernels tbody tr').length") == 2)
        rows = b.run("""return [...document.querySelectorAll('table.kernels tbody tr')].map((r) => [...r.children].map((c) => c.innerText))""")
        self.assertEqual(rows[0], [SHOWN, "2", "60 µs", "75 %", "40", "50 %", "shared memory"])
        self.assertEqual(rows[1], ["second", "1", *["unknown"] * 5])
        self.assertNotIn("No pass timed the loops", b.text("main"))
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_campaign_shows_what_its_profiles_took_and_what_bounds_its_candidates(self) -> None:
        b = self.browser
        self.serve(story(8))
        self.go(f"#/campaigns/{ID}")
        b.wait_text("3 candidates in 12.3 s, at most 10 % of the time allowed; bound by denormals 2, unknown 1; 1 failed, the last: ")
        self.check_no_sideways_scrolling()
        self.check_console()
