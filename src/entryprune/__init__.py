"""Find the few columns that matter: supervised feature selection with neural networks."""

__version__ = "0.1.0.dev0"
