"""Compare converted graphs with eager PyTorch over PyTorch's own operator database."""
