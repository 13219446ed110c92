"""The benchmark: cases, what came of them, and what the paper reports of the same."""
