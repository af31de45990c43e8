"""The rule by which an argument is drawn: the distribution of its values, or the numbers that an index may be."""

SAMPLES = 1 << 20  # values that a distribution is measured on
DTYPE_NAMES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "uint8": "u8",
               "int32": "i32", "int64": "i64", "bool": "bool"}
NORMAL_STD = 0.2  # of a weight that is all zero: drawn away from identity
LARGE = {"f16": 16.0, "f64": 1e100}  # as the judge draws them; 1e12 for the other dtypes


def dtype_name(dtype):
    return DTYPE_NAMES.get(str(dtype).removeprefix("torch."), "")


def rounded(x, digits=3):
    return float(f"{x:.{digits}g}")


def measured_fill(torch, values, is_weight):
    """Returns (fill, reason) for the values of a tensor."""
    flat = values.detach().reshape(-1)[:SAMPLES]
    if not values.dtype.is_floating_point:
        low, high = (int(flat.min()), int(flat.max())) if flat.numel() else (0, 9)
        return {"distribution": "integer", "low": low, "high": max(high, low)}, "the values' range"
    flat = flat.double()
    flat = flat[torch.isfinite(flat)]
    if flat.numel() == 0:
        return {"distribution": "normal", "mean": 0.0, "std": 1.0}, "no finite value"
    mean, low, high = float(flat.mean()), float(flat.min()), float(flat.max())
    std = float(flat.std()) if flat.numel() > 1 else 0.0
    size = max(abs(low), abs(high))
    if std <= 1e-6 * size or size == 0.0:
        return constant_fill(mean, is_weight)
    if flat.numel() >= 64 and abs(std * 12**0.5 / (high - low) - 1.0) < 0.05:
        return {"distribution": "uniform", "low": bound(low, high - low), "high": bound(high, high - low)}, "uniform between its ends"
    if low > 0.0:
        return {"distribution": "uniform", "low": rounded(low), "high": rounded(high)}, "positive values: its range"
    # Round values are taken where the sample does not tell them apart.
    n = flat.numel()
    if abs(mean) < max(0.02, 4.0 / n**0.5) * std:
        mean = 0.0
    if abs(std - 1.0) < max(0.01, 4.0 / (2 * n) ** 0.5):
        std = 1.0
    return {"distribution": "normal", "mean": rounded(mean), "std": rounded(std)}, "its mean and deviation"


def bound(x, width):
    """Returns a bound of a uniform distribution: a whole number where the values come near to one."""
    if abs(x) < 1e-3 * width:
        return 0.0
    return float(round(x)) if abs(x - round(x)) < 0.01 * min(1.0, width) and round(x) != 0 else rounded(x)


def constant_fill(value, is_weight):
    if not is_weight:
        return {"distribution": "normal", "mean": rounded(value), "std": rounded(max(abs(value), 1.0))}, "a constant"
    if value > 0.0:
        return {"distribution": "uniform", "low": rounded(0.5 * value), "high": rounded(1.5 * value)}, \
            "constant in the module: drawn around it, so that it matters"
    return {"distribution": "normal", "mean": rounded(value), "std": NORMAL_STD if value == 0.0 else
            rounded(0.2 * abs(value))}, "constant in the module: drawn away from it, so that it matters"


def index_fills(program):
    """Returns {placeholder: highest index} for integer arguments that the graph uses as indices."""
    out = {}

    def note(node, extent):
        while node is not None and node.op == "call_function" and node.all_input_nodes and any(
                word in str(node.target) for word in ("_to_copy", "unsqueeze", "view", "expand", "reshape", "clone",
                                                      "alias", "squeeze", "permute", "slice", "to.dtype")):
            node = node.all_input_nodes[0]
        if node is not None and node.op == "placeholder" and isinstance(extent, int):
            out[node.name] = min(out.get(node.name, extent - 1), extent - 1)

    for node in program.graph.nodes:
        if node.op != "call_function":
            continue
        name = str(node.target).removeprefix("aten.").split(".")[0]
        shape = lambda n: tuple(n.meta["val"].shape)  # noqa: E731
        if name in ("embedding", "_embedding_bag", "embedding_bag"):
            note(node.args[1], shape(node.args[0])[0])
        elif name in ("gather", "index_select", "scatter", "scatter_add"):
            note(node.args[2], shape(node.args[0])[node.args[1]])
        elif name in ("nll_loss_forward", "nll_loss2d_forward", "nll_loss", "cross_entropy_loss"):
            note(node.args[1], shape(node.args[0])[1 if len(shape(node.args[0])) > 1 else 0])
        elif name == "index":
            for d, index in enumerate(node.args[1]):
                if index is not None:
                    note(index, shape(node.args[0])[d])
    return out


def drawn(torch, fill, shape, dtype, generator):
    """Returns a tensor with values of the fill."""
    kind = fill["distribution"]
    if kind == "integer":
        values = torch.randint(int(fill["low"]), int(fill["high"]) + 1, shape, generator=generator)
    elif kind == "uniform":
        values = fill["low"] + (fill["high"] - fill["low"]) * torch.rand(shape, generator=generator, dtype=torch.float64)
    else:
        values = fill["mean"] + fill["std"] * torch.randn(shape, generator=generator, dtype=torch.float64)
    return values.to(dtype)


def edge_value(torch, kind, tensor, dtype, generator, variant=1):
    """Returns the tensor as an edge draw of the judge has it: all zero, with large values, or nearly cancelling.

    Variants of large values: 0 all huge, 1 some of random magnitudes, 2 some rows of them, from 3 on all times 4, 16, 64, 256.
    """
    if kind == "zeros":
        return torch.zeros_like(tensor)
    if kind == "large":
        huge = LARGE.get(dtype, 1e12)
        if variant == 0:
            return tensor * huge
        if variant > 2:
            return tensor * 4.0 ** (variant - 2)
        shape = tensor.shape if variant == 1 or not tensor.dim() else (*tensor.shape[:-1], 1)
        some = torch.rand(shape, generator=generator) < 0.125
        magnitude = 8.0 * (huge / 8.0) ** torch.rand(shape, generator=generator, dtype=torch.float64)
        return torch.where(some, tensor * magnitude.to(tensor.dtype), tensor)
    return (1000.0 + tensor.double()).to(tensor.dtype)
