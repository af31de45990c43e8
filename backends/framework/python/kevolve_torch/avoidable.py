"""Products that a kernel need not compute: a sum over results of a product is a product with summed factors."""

SUMS = ("sum", "mean")
LINEAR = ("view", "_unsafe_view", "reshape", "permute", "transpose", "t", "expand", "squeeze", "unsqueeze", "clone", "alias",
          "_to_copy", "neg", "add", "sub")
SCALED = ("mul", "div")  # linear by a number, or by an array that no operator makes


def name_of(node):
    return str(node.target).removeprefix("aten.").split(".")[0] if node.op == "call_function" else ""


def is_summed(node):
    """Returns true if every use of the node's result is a sum of it, with nothing but linear operators before."""
    return bool(node.users) and all(leads_to_sum(user, node) for user in node.users)


def leads_to_sum(user, node):
    name = name_of(user)
    if name in SUMS:
        return True
    if name in SCALED:
        others = [n for n in user.all_input_nodes if n is not node]
        if user.args[0] is not node or user.args[1] is node or any(n.op != "placeholder" for n in others):
            return False
    elif name not in LINEAR:
        return False
    return is_summed(user)
