"""The mutation bench: faults put into right kernels, witnesses that show them, and what the judge says of each."""
