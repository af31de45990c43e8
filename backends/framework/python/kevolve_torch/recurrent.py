"""Recurrent layers in an exported graph: one operator each, and the work of their steps."""

import math

LAYERS = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def name_of(node):
    return str(node.target).removeprefix("aten.").split(".")[0] if node.op == "call_function" else ""


def layers(program):
    return [n for n in program.graph.nodes if name_of(n) in LAYERS]


def operations(torch, program):
    """Returns two operations for each weight and step of the layers, and those of linear layers beside them."""
    total = 0
    for node in program.graph.nodes:
        name = name_of(node)
        meta = lambda x: x.meta["val"] if isinstance(x, torch.fx.Node) else x  # noqa: E731
        if name in LAYERS:
            steps = math.prod(meta(node.args[0]).shape[:-1])
            weights = next(a for a in node.args if isinstance(a, (list, tuple)) and len(a) >= 3)
            total += 2 * steps * sum(meta(w).numel() for w in weights if meta(w).dim() == 2)
        elif name == "linear":
            total += 2 * node.meta["val"].numel() * meta(node.args[1]).shape[-1]
    return int(total)
