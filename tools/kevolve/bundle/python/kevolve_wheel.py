"""Packs the package as a wheel, as pip asks for by PEP 517. Nothing is downloaded, compiled or executed."""

from __future__ import annotations

import base64
import hashlib
import json
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
LEFT_OUT = ("__pycache__", "own")  # of Python, and of `python -m … build`


def project() -> tuple[str, str]:
    """Returns the package's name and version."""
    plan = json.loads(next(ROOT.glob("*/plan.json")).read_text(encoding="utf-8"))
    return plan["name"], plan["version"]


def metadata() -> str:
    name, version = project()
    return (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        "Summary: A drop-in for a PyTorch module, with a kernel that kevolve found\n"
        "Requires-Python: >=3.10\nRequires-Dist: torch>=2.6\n"
    )


def tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def members() -> list[Path]:
    found = sorted(p for p in (ROOT / project()[0]).rglob("*") if p.is_file())
    return [p for p in found if not any(part in LEFT_OUT for part in p.relative_to(ROOT).parts)]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    name, version = project()
    info = f"{name}-{version}.dist-info"
    texts = {
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kevolve\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(),
    }
    contents = {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in members()} | texts
    record = ""
    for path, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{name}-{version}-{tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in contents.items():
            out.writestr(path, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name, version = project()
    base = f"{name}-{version}"
    (ROOT / "PKG-INFO").write_text(metadata(), encoding="utf-8")
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as out:
        for path in [*members(), ROOT / "PKG-INFO", ROOT / "pyproject.toml", Path(__file__)]:
            out.add(path, f"{base}/{path.relative_to(ROOT).as_posix()}")
    (ROOT / "PKG-INFO").unlink()
    return f"{base}.tar.gz"
