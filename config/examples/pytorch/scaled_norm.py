"""A module as a user has it: a layer norm with a factor."""

import torch


class Model(torch.nn.Module):
    def __init__(self, columns: int, factor: float = 2.0) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(columns)
        self.drop = torch.nn.Dropout(0.1)  # nothing in evaluation mode
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.drop(self.norm(x)) * self.factor


def get_inputs() -> list:
    return [torch.randn(512, 256)]


def get_init_inputs() -> list:
    return [256]
