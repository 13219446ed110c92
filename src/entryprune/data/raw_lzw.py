"""Undo Unix's old `compress` (.Z files), which no module of the standard library reads.

The method is LZW. Codes of 9 bits at first, later of more, stand for byte sequences: 0 to 255 for
single bytes, 256 for "forget all others", and each code after the first adds the sequence of the
code before it plus one byte. Codes are written in groups of eight, so when their width changes, the
rest of the group is empty.
"""

from __future__ import annotations

_MAGIC = b"\x1f\x9d"
_HEADER = 3
_WIDTH_MASK, _BLOCK_FLAG = 0x1F, 0x80
_FIRST_WIDTH = 9
# `compress -b 9` wrote codes of 10 bits all the same; such files are as good as extinct.
_WIDTHS = range(10, 17)
_CLEAR = 256


def decompress(data: bytes) -> bytes:
    r"""Return what `compress` was given.

    Examples
    --------
    The codes 97 and 98 of 9 bits each, lowest bits first:

    >>> decompress(b"\x1f\x9d\x90" + (97 | 98 << 9).to_bytes(3, "little"))
    b'ab'
    """
    if len(data) < _HEADER or data[:2] != _MAGIC or data[2] & _WIDTH_MASK not in _WIDTHS:
        raise ValueError("it is not a file of the Unix program compress with codes up to 16 bits")
    max_width, has_clear = data[2] & _WIDTH_MASK, bool(data[2] & _BLOCK_FLAG)
    # Code 256 is never looked up if it means "forget", but it has a place in the table.
    roots = [bytes([value]) for value in range(256)] + [b""] * has_clear
    table = roots.copy()
    width, previous = _FIRST_WIDTH, b""
    start = position = 8 * _HEADER  # in bits; `start` is where codes of this width begin
    output = []
    while position + width <= 8 * len(data):
        first_byte = position >> 3
        three = int.from_bytes(data[first_byte : first_byte + 3], "little")
        code = (three >> (position & 7)) & ((1 << width) - 1)
        position += width
        if has_clear and code == _CLEAR:
            start = position = _next_group(position, start, width)
            table, width, previous = roots.copy(), _FIRST_WIDTH, b""
            continue
        if code < len(table):
            sequence = table[code]
        elif code == len(table) and previous:
            # The sequence that this very code adds: it begins and ends with the same byte.
            sequence = previous + previous[:1]
        else:
            raise ValueError(f"its code {code} stands for nothing yet")
        output.append(sequence)
        if previous and len(table) < 1 << max_width:
            table.append(previous + sequence[:1])
            if len(table) == 1 << width and width < max_width:
                start = position = _next_group(position, start, width)
                width += 1
        previous = sequence
    return b"".join(output)


def _next_group(position: int, start: int, width: int) -> int:
    """Return where the group of eight codes ends that `position` is in."""
    n_bits = 8 * width
    return start + -(-(position - start) // n_bits) * n_bits
