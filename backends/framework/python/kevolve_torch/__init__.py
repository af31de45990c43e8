"""The Python side of kevolve's framework: from a PyTorch module to the facts and the C text of a task."""
