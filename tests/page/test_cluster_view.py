"""Tests the view of a cluster's nodes with a fake node that is a member of one."""

from __future__ import annotations

from fake_node import MARKUP, TOKEN, FakeNode, hostile_cluster, story
from test_fake_node import SHOWN, FakeCase, policy

ROW = "return [...document.querySelectorAll('table[aria-label=nodes] tbody tr')].map((r) => [...r.children].map((c) => c.innerText.trim()))"


class ClusterCase(FakeCase):
    def serve_cluster(self) -> FakeNode:
        node = FakeNode(policy(), story(8))
        node.cluster = hostile_cluster()
        self.enterContext(node)
        self.browser.sign_in(node.url, TOKEN)
        return node


class Nodes(ClusterCase):
    expected_messages = ("409",)

    def test_nodes_are_listed_with_state_heartbeat_offers_labels_and_jobs(self) -> None:
        b = self.browser
        self.serve_cluster()
        b.wait_text("Nodes", "header nav")
        b.run("[...document.querySelectorAll('header nav a')].find((a) => a.innerText === 'Nodes').click()")
        b.wait("four nodes", lambda: len(b.run(ROW)) == 4)
        home, draining, sick, gone = b.run(ROW)
        self.assertEqual(home[0].split(), ["home/1", "0.1.0"])
        self.assertEqual(home[1:5], ["home", "live", "400 ms ago", "2"])
        self.assertEqual(home[5].splitlines(), [f"4 × compile cpu, {SHOWN}", "1 × judge cpu, Some CPU"])  # what only waits is left out
        self.assertIn("rack-3", home[6])
        self.assertEqual(home[7], "Drain")
        self.assertEqual((draining[2], draining[5], draining[7]), ("draining", "2 × judge cpu, Some CPU", "Undrain"))
        self.assertEqual((sick[0].removesuffix("0.1.0").strip(), sick[2].split("\n")[0], sick[7]), (SHOWN, "quarantined", ""))
        self.assertIn(SHOWN, sick[2])
        self.assertEqual((gone[2], gone[3], gone[7]), ("gone", "2 h 5 min ago", ""))
        queue = b.run("return [...document.querySelectorAll('table[aria-label=queue] tbody td')].map((c) => c.innerText)")
        self.assertEqual(queue, ["judge", "cpu", "3", "2", "1", "12.5 s"])
        self.assertIn("7 sent, 6 results, 1 without one", b.text("dl.facts"))
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_node_is_drained_and_undrained_by_its_button(self) -> None:
        b = self.browser
        node = self.serve_cluster()
        self.go("#/nodes")
        b.wait_text("Drain", "table[aria-label=nodes]")
        b.run("document.querySelector('button[aria-label=\"drain home/1\"]').click()")
        b.wait("that it drains", lambda: b.run(ROW)[0][2] == "draining")
        b.run("document.querySelector('button[aria-label=\"undrain home/1\"]').click()")
        b.wait("that it works again", lambda: b.run(ROW)[0][2] == "live")
        self.assertEqual(node.changes, [("/v1/nodes/home%2F1/drain", {}), ("/v1/nodes/home%2F1/undrain", {})])
        self.check_console()

    def test_a_refused_drain_says_why_beside_the_node(self) -> None:
        b = self.browser
        node = self.serve_cluster()
        self.go("#/nodes")
        b.wait_text("Drain", "table[aria-label=nodes]")
        assert node.cluster is not None
        node.cluster["items"][0]["name"] = "another"  # the one on the page is gone
        b.run("document.querySelector('button[aria-label=\"drain home/1\"]')?.click()")
        b.wait_text(SHOWN, "table[aria-label=nodes] .trouble")

    def test_a_worker_that_may_not_list_the_others_says_so(self) -> None:
        b = self.browser
        node = self.serve_cluster()
        assert node.cluster is not None
        node.cluster |= {"items": [], "queue": [], "state": "away", "reason": MARKUP}
        self.go("#/nodes")
        b.wait_text("This node may not list the others")
        self.assertIn("away", b.text("dl.facts"))
        self.assertIn(SHOWN, b.text("dl.facts"))


class OnAPhone(ClusterCase):
    width = 390

    def test_the_views_links_and_the_nodes_fit_on_a_phone(self) -> None:
        self.serve_cluster()
        self.browser.wait_text("Nodes", "header nav")
        self.check_no_sideways_scrolling()
        self.go("#/nodes")
        self.browser.wait_text("home/1", "main")
        self.check_no_sideways_scrolling()


class Alone(FakeCase):
    def test_a_node_that_works_alone_has_no_view_of_nodes(self) -> None:
        b = self.browser
        self.serve(story(8))
        b.wait("what the node is", lambda: b.run("return performance.getEntriesByType('resource').some((e) => e.name.endsWith('/v1/node') && e.responseEnd > 0)"))
        self.go("#/events")
        b.wait_text("Nothing has happened yet", ".empty")
        self.assertNotIn("Nodes", b.text("header"))
        self.check_console()
