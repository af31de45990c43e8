"""Fills the tables of the pages of docs/results from the JSON documents beside them, each made by `tools/bench/run NAME …
--json`. A page marks each table: `<!-- table: NAME … -->` before it, `<!-- end -->` after it. All other text stays."""

from __future__ import annotations

import argparse
import importlib
import json
import re
from pathlib import Path

import common
from common import Json

FOLDER = common.ROOT / "docs" / "results"
TABLE = re.compile(r"(<!-- table: ([^>]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def source_of(name: str, document: Json) -> str:
    return f"Command: `{document['command']}` ({common.provenance(document)}). [Raw data]({name}.json)."


def table_of(names: list[str]) -> str:
    """Returns one table of the documents, with the command, machine and raw data of each."""
    documents = {n: json.loads((FOLDER / f"{n}.json").read_text(encoding="utf-8")) for n in names}
    # A name consists of the benchmark's name and, after a dash, a name of the run.
    module = importlib.import_module(f"bench_{names[0].partition('-')[0]}")
    text = module.page_table(documents) if hasattr(module, "page_table") else module.render(documents[names[0]])
    sources = [source_of(n, d) for n, d in documents.items()]
    return text + "\n\n" + (sources[0] if len(sources) == 1 else "\n".join(f"- {s}" for s in sources))


def filled(page: str) -> str:
    return TABLE.sub(lambda m: f"{m[1]}{table_of(m[2].split())}\n{m[3]}", page)


def outdated() -> list[Path]:
    """Returns the pages whose tables differ from their raw data."""
    return [f for f in sorted(FOLDER.glob("*.md")) if (text := f.read_text(encoding="utf-8")) != filled(text)]


def unlinked() -> list[Path]:
    """Returns the files of the folder that no page links to."""
    linked = {link for f in FOLDER.glob("*.md") for link in re.findall(r"\]\(([^)#]+)", f.read_text(encoding="utf-8"))}
    return [f for f in sorted(FOLDER.rglob("*")) if f.is_file() and f.name != "README.md"
            and str(f.relative_to(FOLDER)) not in linked]


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--check", action="store_true", help="writes nothing; exit status 1 if a table differs from its raw data")
    pages = outdated()
    if p.parse_args().check:
        raise SystemExit("\n".join(f"{f}: its tables differ from their raw data" for f in pages) or 0)
    for f in pages:
        f.write_text(filled(f.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
