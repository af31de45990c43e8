import torch


def map_id(table, values):
    """Position from 1 of each value in a sorted table of unique ids, 0 where the table lacks it."""
    index = torch.bucketize(values, table).clamp_(max=table.numel() - 1)
    return torch.where(table[index] == values, index + 1, 0)
