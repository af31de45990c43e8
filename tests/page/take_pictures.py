"""Takes the pictures of docs/ from real campaigns: take_pictures.py [SECONDS [PART]]. A part is campaign, islands, profile,
explanation, retrieval or skills; without one, all are taken. KEVOLVE_BIN names the programs' folder. Made smaller by pngquant where there
is one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import real_node
from webdriver import Browser

PICTURES = real_node.SOURCE / "docs" / "pictures"


def colour_by(b: Browser, what: str) -> None:
    b.run("""const s = document.querySelector('section[aria-label="search tree"] select');
             s.value = arguments[0]; s.dispatchEvent(new Event('change', {bubbles: true}))""", what)
    time.sleep(0.5)


def open_campaign(b: Browser, node: real_node.Node) -> None:
    b.sign_in(node.url, node.token)
    b.wait("the campaign", lambda: b.run("return document.querySelector('tbody a')?.click() ?? location.hash.includes('campaigns/')"))


def islands(seconds: int, folder: Path, b: Browser) -> None:
    """Shows a campaign of the policy evolution, its tree coloured by island."""
    file = real_node.SOURCE / "config" / "examples" / "row_statistics.toml"
    with real_node.campaign(folder / "islands", file, budget__wall=f"{seconds + 60}s", stop__speedup="1e6", stop__stall="1000000",
                            search__policy="evolution", evolution__islands="3", evolution__migration="0.1") as node:
        open_campaign(b, node)
        time.sleep(seconds)  # the picture needs a large tree
        colour_by(b, "island")
        b.resize(1280, 520)
        b.run("""const tree = document.querySelector('section[aria-label="search tree"]');
                 tree.scrollIntoView();
                 [...tree.querySelectorAll('button')].find((x) => x.innerText === 'fit').click()""")
        time.sleep(0.5)
        b.screenshot(PICTURES / "islands.png")


def campaign(seconds: int, folder: Path, b: Browser) -> None:
    file = real_node.SOURCE / "config" / "examples" / "gemm.toml"
    with real_node.campaign(folder / "data", file, budget__wall=f"{seconds + 60}s", stop__speedup="1e6", stop__stall="1000000") as node:
        open_campaign(b, node)
        time.sleep(seconds)  # the picture needs a large tree
        first = node.get("/v1/campaigns")["items"][0]
        colour_by(b, "speedup")
        b.screenshot(PICTURES / "campaign.png")
        b.run("document.querySelector('section[aria-label=\"best so far\"]').scrollIntoView()")
        time.sleep(0.5)
        b.screenshot(PICTURES / "progress.png")
        b.run("location.hash = '#/actors'")
        b.wait_text("search node")
        b.screenshot(PICTURES / "actors.png")
        b.run("location.hash = arguments[0]", f"#/campaigns/{first['id']}/node/{first['best']['candidate']}")
        b.wait_text("Verdict and evidence")
        b.run("""for (const d of document.querySelectorAll('details.fold')) {
                   const title = d.querySelector('h2').innerText;
                   d.open = title === 'Samples' || title === 'Roofline';
                 }
                 document.querySelectorAll('details.fold')[1].open = true;  // to its first parent""")  # fmt: skip
        b.wait("both charts", lambda: b.run("return document.querySelectorAll('.plot canvas').length") == 2)
        b.run("document.querySelectorAll('.code').forEach((c) => c.style.maxHeight = '14rem'); scrollTo(0, 0)")
        b.resize(1280, min(1500, b.run("return document.documentElement.scrollHeight")))
        time.sleep(0.5)
        b.screenshot(PICTURES / "node.png")


def open_fold(b: Browser, title: str) -> None:
    """Opens a part of a candidate's page alone, and scrolls to it."""
    b.wait(title, lambda: b.run("return [...document.querySelectorAll('details.fold h2')].some((h) => h.innerText === arguments[0])", title))
    b.run("""for (const d of document.querySelectorAll('details.fold')) d.open = d.querySelector('h2').innerText === arguments[0];
             document.querySelector('details.fold[open]').scrollIntoView()""", title)  # fmt: skip


def picture_of_fold(b: Browser, name: str) -> None:
    """Takes a picture of the open part of a candidate's page."""
    b.run("""const d = document.querySelector('details.fold[open]');
             for (const x of d.parentElement.children) if (x !== d) x.style.display = 'none';
             scrollTo(0, 0)""")  # fmt: skip
    b.resize(1280, min(1500, b.run("return Math.ceil(document.querySelector('details.fold[open]').getBoundingClientRect().bottom + 24)")))
    time.sleep(0.5)
    b.screenshot(PICTURES / f"{name}.png")


def profile(seconds: int, folder: Path, b: Browser) -> None:
    """The profile of a campaign's best candidate, made by the verb after a short search; of the reference if there is none."""
    file = real_node.SOURCE / "config" / "examples" / "row_statistics.toml"
    data = folder / "profile"
    with real_node.campaign(data, file, budget__candidates="4") as node:
        node.finish(600)
    with real_node.daemon(data) as node:
        best = node.get("/v1/campaigns")["items"][0]
        index = str(best["best"]["candidate"] if best["best"] else 0)  # on a busy machine nothing may be confirmed
        subprocess.run([real_node.BIN / "kevolve", "profile", best["id"], index, "--data", data, "--budget", f"{seconds}s"],
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
        b.sign_in(node.url, node.token)
        b.run("location.hash = arguments[0]", f"#/campaigns/{best['id']}/node/{index}")
        open_fold(b, "Why it is slow")
        b.wait("the passes", lambda: b.run("return [...document.querySelectorAll('h3')].some((h) => h.innerText === 'Passes')"))
        picture_of_fold(b, "profile")


def explanation(_: int, folder: Path, b: Browser) -> None:
    """Shows the explanation of a campaign whose reference sums into places that the data choose."""
    file = real_node.SOURCE / "tests" / "diagnosis" / "operators" / "bins.toml"
    data = folder / "explanation"
    with real_node.campaign(data, file, budget__wall="600s", budget__candidates="4") as node:
        node.finish(600)
    with real_node.daemon(data) as node:
        first = node.get("/v1/campaigns")["items"][0]
        b.sign_in(node.url, node.token)
        b.run("location.hash = arguments[0]", f"#/campaigns/{first['id']}")
        open_fold(b, "Why it is not faster")
        b.wait_text("Loops of the reference")
        picture_of_fold(b, "explanation")


def retrieval(_: int, folder: Path, b: Browser) -> None:
    """The documents that were found for a prompt. The answer to the prompt is the reference, with other flags."""
    file = real_node.SOURCE / "config" / "examples" / "softmax_relay.toml"
    data = folder / "retrieval"
    kevolve = [str(real_node.BIN / "kevolve"), "relay"]
    with real_node.campaign(data, file, budget__candidates="1") as node:
        b.sign_in(node.url, node.token)  # the page changes while the prompt is made
        b.wait("a prompt", lambda: subprocess.run([*kevolve, "next", "--data", data, "--json"], stdout=(folder / "prompt").open("wb"),
                                                  stderr=subprocess.DEVNULL, check=False).returncode == 0, 300)  # fmt: skip
        source = (real_node.SOURCE / "config" / "tasks" / "softmax_rows.c").read_text()
        (folder / "reply").write_text(f"summary: let the compiler reorder the sums\nflags: Ofast\n```c candidate.c\n{source}```\n")
        prompt = json.loads((folder / "prompt").read_text())["id"]
        subprocess.run([*kevolve, "answer", prompt, folder / "reply", "--model", "a person", "--data", data], check=True)
        node.finish(600)
    with real_node.daemon(data) as node:
        b.sign_in(node.url, node.token)
        b.run("location.hash = arguments[0]", f"#/campaigns/{node.get('/v1/campaigns')['items'][0]['id']}/node/1")
        open_fold(b, "Diagnosis and documents")
        picture_of_fold(b, "retrieval")


def skills(_: int, folder: Path, b: Browser) -> None:
    """The skills that three campaigns of one node have left behind, and the one that was applied most often."""
    data = folder / "skills"
    for seed, name in enumerate(("row_statistics", "layernorm", "softmax"), 1):
        file = real_node.SOURCE / "config" / "examples" / f"{name}.toml"
        with real_node.campaign(data, file, seed=str(seed), budget__candidates="16", stop__speedup="1e6", stop__stall="1000000") as node:
            node.finish(900)
    with real_node.daemon(data) as node:
        b.sign_in(node.url, node.token)
        b.run("location.hash = '#/skills'")
        b.wait("a skill", lambda: b.run("return document.querySelectorAll('table[aria-label=skills] tbody tr').length") > 0)
        b.resize(1280, min(900, b.run("return Math.ceil(document.querySelector('main').getBoundingClientRect().bottom + 24)")))
        b.screenshot(PICTURES / "skills.png")
        most = max(node.get("/v1/skills")["items"], key=lambda s: s["brought"]["applications"])
        b.run("location.hash = arguments[0]", f"#/skills/{most['id']}")
        b.wait_text("Applies where")
        b.resize(1280, min(1200, b.run("return document.documentElement.scrollHeight")))
        b.screenshot(PICTURES / "skill.png")


PARTS = {"campaign": campaign, "islands": islands, "profile": profile, "explanation": explanation, "retrieval": retrieval,
         "skills": skills}


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    parts = [PARTS[sys.argv[2]]] if len(sys.argv) > 2 else list(PARTS.values())
    PICTURES.mkdir(exist_ok=True)
    for part in parts:
        with TemporaryDirectory(prefix="kevolve-page-") as folder, Browser(1280, 880) as b:
            part(seconds, Path(folder), b)
    if small := shutil.which("pngquant"):
        subprocess.run([small, "--force", "--ext", ".png", "128", *map(str, PICTURES.glob("*.png"))], check=True)
    for file in sorted(PICTURES.glob("*.png")):
        print(f"{file.name}: {file.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
