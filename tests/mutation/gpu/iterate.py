

def iterate(x, w):
    """Does 256 steps of a = a/2 + w on each element."""
    y = x
    for k in range(256):
        y = y * 0.5 + w[k & 7]
    return y
