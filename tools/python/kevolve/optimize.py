"""kevolve.optimize: from a module to its drop-in."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .client import Campaign, Node
from .describe import Init, check, check_mode, describe, flat
from .errors import KevolveError
from .programs import OwnNode, program, run
from .tensors import kind_of, packed

_UNITS = re.compile(r"^\d+(\.\d+)?(ms|s|m|h|d)$")


def budget_settings(budget: float | str | dict[str, Any] | None) -> list[str]:
    """Returns overrides of a campaign's file: 50 are candidates, "2m" is a time, {"wall": "2m", "candidates": 50} both."""
    if budget is None:
        return []
    if isinstance(budget, dict):
        return [f"budget.{n}={json.dumps(x)}" for n, x in budget.items()]
    if isinstance(budget, str) and _UNITS.match(budget):
        return [f"budget.wall={json.dumps(budget)}"]
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        return [f"budget.candidates={budget}"]
    raise KevolveError(f"budget={budget!r}: give a number of candidates, a time such as '2m', or a dict of both")


def task_name(target: Any) -> str:
    base = re.sub(r"[^a-z0-9]+", "_", getattr(target, "__name__", type(target).__name__).lower()).strip("_") or "module"
    return base[:40] if base[0].isalpha() else f"m_{base[:38]}"


def package_name(target: Any, campaign: str) -> str:
    return f"{task_name(target)}_{campaign[:8]}"


def import_bundle(folder: Path, name: str) -> Any:
    """Imports the Python package of a bundle from its folder."""
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def bundle_of(campaign: Campaign, data: Path | None, out: Path, name: str) -> Any:
    """Bundles the campaign's best, and returns the imported package."""
    words: list[object] = [program("kevolve"), "bundle", campaign.id, "--out", out, "--name", name, "--json"]
    token = None
    if data is not None:
        words += ["--data", data]
    else:
        token = out.parent / "token"
        token.touch(mode=0o600)
        token.write_text(campaign.node.http.token + "\n", encoding="utf-8")
        words += ["--url", campaign.node.http.url, "--token-file", token]
    try:
        said = json.loads(run(*words))
    finally:
        if token is not None:
            token.unlink()
    if not said.get("package"):
        raise KevolveError(f"no Python package can be made of the kernel: {said.get('without_package')}")
    return import_bundle(out, name)


def drop_in(package: Any, target: Any) -> Any:
    """Returns the package's module with the state of the target."""
    import torch

    given, named = package.original.initial()
    new = package.ModelNew(*given, **named)
    if isinstance(target, torch.nn.Module):
        new.load_state_dict(target.state_dict())
        new.train(target.training)
        wanted = dict(target.named_parameters())
        for n, p in new.named_parameters():
            p.requires_grad_(wanted[n].requires_grad)
    return new


def optimize(
    module: Any,
    inputs: Any,
    device: str = "cpu",
    budget: float | str | dict[str, Any] | None = None,
    *,
    init: Init | None = None,
    node: Node | None = None,
    campaign: str | Path | None = None,
    folder: str | Path | None = None,
    progress: bool = True,
) -> Any:
    """Returns a drop-in for a module or a function, with a kernel that a search found for inputs like these.

    `inputs` are the call's arguments. `budget` bounds the search: 50 candidates, "2m", or a dict of both. `init` are the
    constructor's arguments, ([…], {…}), where they cannot be read from the module. `node` runs the campaign; without it a
    node is started for it. `campaign` is a campaign's file that `kevolve new` wrote for the module before, and that was
    edited since. `folder` keeps the files; without it they are removed when Python ends.
    """
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    settings = budget_settings(budget)
    if folder is None:
        place = Path(tempfile.mkdtemp(prefix="kevolve-optimize-"))
        _remove_at_end(place)
    else:
        place = Path(folder).resolve()
        place.mkdir(parents=True, exist_ok=True)
    check_mode(module, given)
    if campaign is None:
        file = place / "module.py"
        file.write_text(describe(module, given, init), encoding="utf-8")
        check(module, given, file)
        campaign = new_campaign(file, task_name(module), device, state_file(module, place))
    if node is not None:
        new = _search(node, None, Path(campaign), settings, place, module, progress)
    else:
        own = OwnNode(place, device)
        with own as started:
            new = _search(started, own.data, Path(campaign), settings, place, module, progress)
    compare(new, module, given)
    return new


def compare(new: Any, module: Any, inputs: Sequence[Any]) -> None:
    """Raises KevolveError if the drop-in's outputs differ from the module's by more than a thousandth of their largest."""
    import torch

    with torch.no_grad(), torch.random.fork_rng():
        outputs = []
        for function in (module, new):
            torch.manual_seed(0)
            outputs.append(flat(function(*inputs)))
    for x, y in zip(*outputs, strict=True):
        room = 1e-3 * float(x.double().abs().max()) if x.numel() and x.dtype.is_floating_point else 0.0
        if x.shape != y.shape or x.numel() and float((x.double() - y.double()).abs().max()) > room + 1e-6:
            raise KevolveError("the kernel gives another result than the module: was the campaign made from this module?")


def _search(
    node: Node, data: Path | None, file: Path, settings: list[str], place: Path, module: Any, progress: bool
) -> Any:
    campaign = node.submit(file, settings)
    status = campaign.wait(progress=progress)
    if not status.get("best"):
        reason = status.get("reason") or status.get("stop_reason") or status["state"]
        raise KevolveError(f"the search found nothing faster than the reference ({reason}); `folder=` keeps its files")
    name = package_name(module, campaign.id)
    new = drop_in(bundle_of(campaign, data, place / "bundle", name), module)
    new.kevolve_status = status
    return new


def has_new() -> bool:
    return re.search(r"^\s+new\b", run(program("kevolve"), "--help"), re.MULTILINE) is not None


def state_file(module: Any, place: Path) -> Path | None:
    """Writes the module's own weights, with which candidates are judged, too. None: it has none, or others than tensors."""
    state = getattr(module, "state_dict", dict)()
    if not state or not all(kind_of(x) for x in state.values()):
        return None
    file = place / "state.safetensors"
    file.write_bytes(packed(state))
    return file


def new_campaign(file: Path, name: str, device: str, weights: Path | None = None) -> Path:
    """Returns the campaign's file that `kevolve new` writes for a module's file, with these weights."""
    if not has_new():
        raise KevolveError("this kevolve has no `kevolve new`: give the campaign's file, as campaign=")
    out = file.parent / "campaign"
    out.mkdir(exist_ok=True)
    words = ["--entry", "KevolveModel", "--name", f"{name}_new", "--target", device, "--out", out, "--force"]
    run(program("kevolve"), "new", file, *words, *(["--weights", weights] if weights else []))
    found = [f for f in sorted(out.glob("*.toml")) if not f.name.endswith(".task.toml")]
    if len(found) != 1:
        raise KevolveError(f"`kevolve new` wrote {len(found)} campaign files to {out}")
    return found[0]


def _remove_at_end(place: Path) -> None:
    import atexit

    atexit.register(shutil.rmtree, place, ignore_errors=True)
