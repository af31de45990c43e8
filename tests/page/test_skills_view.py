"""Tests the views of skills and of what documents have brought, with a fake node."""

from __future__ import annotations

from fake_node import ID, TOKEN, FakeNode, hostile_skill, story
from test_fake_node import SHOWN, FakeCase, policy

ROWS = "return [...document.querySelectorAll(`table[aria-label='${arguments[0]}'] tbody tr`)].map((r) => [...r.children].map((c) => c.innerText.trim()))"


class SkillCase(FakeCase):
    expected_messages = ("409",)

    def serve_skills(self) -> FakeNode:
        node = FakeNode(policy(), story(8))
        node.skills = [hostile_skill(1), hostile_skill(2, "hypothesis"), hostile_skill(3, "rejected")]
        self.enterContext(node)
        self.browser.sign_in(node.url, TOKEN)
        return node


class Skills(SkillCase):
    def test_skills_are_listed_with_state_weight_and_what_each_has_brought(self) -> None:
        b = self.browser
        self.serve_skills()
        b.run("[...document.querySelectorAll('header nav a')].find((a) => a.innerText === 'Skills').click()")
        b.wait("three skills", lambda: len(b.run(ROWS, "skills")) == 3)
        first = b.run(ROWS, "skills")[0]
        self.assertEqual(first, ["10000000", f"step 1 {SHOWN}", "confirmed", "0.250", "1.28×", "3", "2", "1.50×", "cpu matmul"])
        b.run("""const s = document.querySelector('main select'); s.value = 'rejected'; s.dispatchEvent(new Event('change', {bubbles: true}))""")
        b.wait("the rejected one", lambda: [r[2] for r in b.run(ROWS, "skills")] == ["rejected"])
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_skill_shows_why_it_is_believed_and_leads_to_its_candidates(self) -> None:
        b = self.browser
        node = self.serve_skills()
        self.go(f"#/skills/{node.skills[1]['id']}")
        b.wait_text("Applies where")
        applications = b.run(ROWS, "applications")
        self.assertEqual(applications[0][2:5], ["1.50×", "1.400 to 1.600", "60 %"])
        self.assertEqual(applications[1][2:4], ["wrong result", ""])
        for text in (SHOWN, "the mean of the log gains below is 0.500", "10 % for no gain", "divided by 2", "halved, because it is a hypothesis"):
            self.assertIn(text, b.text("main"))
        links = b.run("return [...document.querySelectorAll('table[aria-label=applications] a')].map((a) => a.getAttribute('href'))")
        self.assertEqual(links, [f"#/campaigns/{ID}/node/2", f"#/campaigns/{ID}/node/3"])
        self.assertEqual(b.run("return document.querySelectorAll('#page img, #page svg, #page script').length"), 0)
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_no_sideways_scrolling()
        self.check_console()

    def test_a_skill_is_revoked_with_a_reason_and_only_with_one(self) -> None:
        b = self.browser
        node = self.serve_skills()
        self.go(f"#/skills/{node.skills[0]['id']}")
        b.wait_text("Revoke…", "main")
        b.run("[...document.querySelectorAll('button')].find((x) => x.innerText === 'Revoke…').click()")
        b.run("document.querySelector('dialog button.grave').click()")  # without a reason the form stays
        self.assertTrue(b.run("return document.querySelector('dialog').open"))
        self.assertEqual(node.changes, [])
        b.type("dialog input[name=why]", "wrong with denormals")
        b.run("document.querySelector('dialog button.grave').click()")
        b.wait_text("revoked", ".bar .chip")
        self.assertEqual(node.changes, [(f"/v1/skills/{node.skills[0]['id']}/revoke", {"why": "wrong with denormals"})])
        self.assertNotIn("Revoke…", b.text("main"))
        self.check_console()

    def test_a_node_without_skills_says_where_they_come_from(self) -> None:
        self.serve(story(8))
        self.go("#/skills")
        self.browser.wait_text("A campaign distils them from its confirmed gains")
        self.check_console()


class Candidate(SkillCase):
    def test_a_candidate_shows_the_skills_that_its_step_was_given(self) -> None:
        b = self.browser
        self.serve_skills()
        self.go(f"#/campaigns/{ID}/node/1")
        b.wait_text("Skills it was given")
        self.assertEqual(b.run(ROWS, "skills given"), [["10000000", SHOWN, "confirmed", "0.250", "1.28×", "yes"]])
        b.run("document.querySelector(\"table[aria-label='skills given'] a\").click()")
        b.wait_text("Applies where")
        self.assertIsNone(b.run("return window.broken ?? null"))
        self.check_console()


class Documents(SkillCase):
    def test_documents_show_the_steps_that_quoted_them_and_the_best_gain(self) -> None:
        b = self.browser
        self.serve_skills()
        self.go("#/knowledge")
        b.wait("the figures", lambda: [r[5:8] for r in b.run(ROWS, "documents")] == [["3", "67 %", "1.25×"], ["0", "—", "—"]])
        self.assertIn("Figures are of 50,000 prompts; there are more", b.text("main"))
        self.check_no_sideways_scrolling()
        self.check_console()


class OnAPhone(SkillCase):
    width = 390

    def test_skills_fit_on_a_phone(self) -> None:
        node = self.serve_skills()
        for route, text in (("#/skills", "step 1"), (f"#/skills/{node.skills[0]['id']}", "Applies where"), ("#/knowledge", "cpu/one")):
            self.go(route)
            self.browser.wait_text(text, "main")
            self.check_no_sideways_scrolling()
