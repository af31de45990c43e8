"""Takes the pictures of docs/operations.md and docs/search.md from real campaigns: take_pictures.py [SECONDS [PART]].
A part is campaign or islands; without one, both are taken. KEVOLVE_BIN names the programs' folder. Made smaller by
pngquant where there is one."""

from __future__ import annotations

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
    """A campaign of the policy evolution, its tree coloured by island."""
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


PARTS = {"campaign": campaign, "islands": islands}


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
