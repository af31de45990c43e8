"""Takes the pictures of docs/operations.md from a real campaign: take_pictures.py [SECONDS]. KEVOLVE_BIN names
the programs' folder. Made smaller by pngquant where there is one."""

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


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="kevolve-page-") as folder, Browser(1280, 880) as b:
        file = real_node.SOURCE / "config" / "examples" / "gemm.toml"
        with real_node.campaign(Path(folder) / "data", file, budget__wall=f"{seconds + 60}s", stop__speedup="1e6", stop__stall="1000000") as node:
            b.sign_in(node.url, node.token)
            b.wait("the campaign", lambda: b.run("return document.querySelector('tbody a')?.click() ?? location.hash.includes('campaigns/')"))
            time.sleep(seconds)  # the picture needs a large tree
            campaign = node.get("/v1/campaigns")["items"][0]
            b.run("""const s = document.querySelector('section[aria-label="search tree"] select');
                     s.value = 'speedup'; s.dispatchEvent(new Event('change', {bubbles: true}))""")
            time.sleep(0.5)
            b.screenshot(PICTURES / "campaign.png")
            b.run("document.querySelector('section[aria-label=\"best so far\"]').scrollIntoView()")
            time.sleep(0.5)
            b.screenshot(PICTURES / "progress.png")
            b.run("location.hash = '#/actors'")
            b.wait_text("search node")
            b.screenshot(PICTURES / "actors.png")
            b.run("location.hash = arguments[0]", f"#/campaigns/{campaign['id']}/node/{campaign['best']['candidate']}")
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
    if small := shutil.which("pngquant"):
        subprocess.run([small, "--force", "--ext", ".png", "128", *map(str, PICTURES.glob("*.png"))], check=True)
    for file in sorted(PICTURES.glob("*.png")):
        print(f"{file.name}: {file.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
