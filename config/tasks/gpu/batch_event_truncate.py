import torch


def batch_event_truncate(outer, inner, values, features, keep):
    """Nested jagged data: each user has events, each event of each feature has items. Keeps the first `keep` events of
    each user, for all features alike. Inner lengths and values stand feature by feature."""
    events = inner.numel() // features
    first = torch.repeat_interleave(outer.cumsum(0) - outer, outer, output_size=events)
    kept = torch.arange(events, device=outer.device) - first < keep
    new_inner = inner.view(features, events)[:, kept].flatten()
    new_values = values[torch.repeat_interleave(kept.repeat(features), inner, output_size=values.numel())]
    inner_count = outer.new_full((1,), new_inner.numel())
    value_count = outer.new_full((1,), new_values.numel())
    return outer.clamp(max=keep), new_inner, new_values, inner_count, value_count
