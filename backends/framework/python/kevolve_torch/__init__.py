"""PyTorch modules for kevolve: tracing, lowering to C, tasks."""
