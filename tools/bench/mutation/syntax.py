"""The syntax tree of a C or CUDA source, by libclang."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    from clang import cindex
except ModuleNotFoundError:  # Debian's package serves any Python 3: it is one file over libclang
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from clang import cindex
    except ModuleNotFoundError:
        cindex = None

K: Any = cindex.CursorKind if cindex else None
# Where no toolkit is installed, CUDA's headers are empty and its names come from the stubs.
STUBS = Path(__file__).with_name("cuda_stubs.h")
CUDA_FLAGS = ["-x", "c++", "-std=c++17", "-w", "-ferror-limit=0", "-Imutant_stubs", "-include", str(STUBS)]
CUDA_HEADERS = [(f"mutant_stubs/{h}", "") for h in ("cuda_fp16.h", "cuda_bf16.h", "cuda.h", "mma.h", "cooperative_groups.h", "cuda_pipeline.h",
                                                   "cuda/barrier", "cuda/pipeline")]


def missing() -> str:
    """Returns what is missing to read sources, and how to get it."""
    return "" if cindex else "libclang's Python package is missing: apt-get install python3-clang-19"


@dataclass
class Tree:
    """A parsed source with parents, and the text of its nodes."""

    source: bytes
    nodes: list[Any] = field(default_factory=list)
    parents: dict[int, Any] = field(default_factory=dict)

    def text(self, node: Any) -> str:
        return self.source[node.extent.start.offset:node.extent.end.offset].decode()

    def ancestors(self, node: Any) -> Iterator[Any]:
        at = self.parents.get(node.hash)
        while at is not None:
            yield at
            at = self.parents.get(at.hash)

    def in_index(self, node: Any) -> bool:
        """Tells whether the node's value says where in an array something lies."""
        below = node
        for above in self.ancestors(node):
            if above.kind == K.ARRAY_SUBSCRIPT_EXPR and list(above.get_children())[1].extent.start.offset <= node.extent.start.offset:
                return True
            if above.kind == K.BINARY_OPERATOR and above.type.kind == cindex.TypeKind.POINTER and below.type.kind != cindex.TypeKind.POINTER:
                return True
            if above.kind in (K.COMPOUND_STMT, K.CALL_EXPR):
                return False
            below = above
        return False

    def loop_of(self, node: Any) -> Any | None:
        return next((a for a in self.ancestors(node) if a.kind == K.FOR_STMT), None)


def parse(source: str, arguments: list[str], name: str = "kernel.c") -> Tree:
    index = cindex.Index.create()
    unit = index.parse(name, args=arguments, unsaved_files=[(name, source), *CUDA_HEADERS],
                       options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    tree = Tree(source.encode())
    # An expanded macro has no text of its own; a fault inside it would change every use.
    macros = [(m.extent.start.offset, m.extent.end.offset) for m in unit.cursor.get_children()
              if m.kind == K.MACRO_INSTANTIATION and m.location.file and m.location.file.name == name]

    def visit(node: Any) -> None:
        for child in node.get_children():
            start, end = child.extent.start.offset, child.extent.end.offset
            if child.location.file and child.location.file.name == name and end > start:
                if any(a <= start < b for a, b in macros):
                    continue
                tree.parents.setdefault(child.hash, node)
                tree.nodes.append(child)
                visit(child)

    def visit_declarations(within: Any) -> None:
        for d in within.get_children():
            if not d.location.file or d.location.file.name != name:
                continue
            if d.kind in (K.FUNCTION_DECL, K.FUNCTION_TEMPLATE) and d.is_definition():
                tree.nodes.append(d)
                visit(d)
            elif d.kind in (K.LINKAGE_SPEC, K.NAMESPACE, K.UNEXPOSED_DECL):
                visit_declarations(d)

    visit_declarations(unit.cursor)
    return tree


def line_of(source: bytes, offset: int) -> int:
    return source[:offset].count(b"\n") + 1
