"""The figures of the paper, one module each."""
