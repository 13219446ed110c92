"""Growth and exchange: the default algorithm.

Seats are taken one after the other by the columns that best explain what the seated network
leaves unexplained; then seats that would hardly be missed are exchanged for better columns. The
network behind it is infinitely wide, so that it is solved instead of trained, and a column needs
no weights of its own to be judged.
"""

from entryprune.engine.exchange.search import choose_by_exchange, select_by_exchange
from entryprune.engine.settings import ExchangeSettings

__all__ = ["ExchangeSettings", "choose_by_exchange", "select_by_exchange"]
