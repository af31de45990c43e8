"""A module as a user has it: a layer norm with a factor."""

import torch


class Model(torch.nn.Module):
    def __init__(self, columns: int, factor: float = 2.0) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(columns)
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x) * self.factor


def get_inputs() -> list:
    return [torch.randn(512, 256)]


def get_init_inputs() -> list:
    return [256]
