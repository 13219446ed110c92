"""The figures of the paper, and the rows that they draw."""
