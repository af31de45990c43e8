def mbdt(x, borders, offsets):
    """Number of a feature's borders that lie below each of its values, plus the feature's offset."""
    return (x.unsqueeze(2) > borders.unsqueeze(1)).sum(2) + offsets.unsqueeze(1)
