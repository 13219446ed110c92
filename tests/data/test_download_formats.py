import shutil
import subprocess

import numpy as np
import pytest

from entryprune.data.download import decompress


def compress(data, max_width=16, clear_at=(), has_clear=True):
    """Write what Unix's compress would; `clear_at` says before which bytes to forget the codes."""
    groups, codes = [], []
    first_code = 257 if has_clear else 256
    table, free, width = {bytes([v]): v for v in range(256)}, first_code, 9

    def flush(is_end=False):
        # A group has eight codes; at the end only the bytes that are needed are written.
        bits = sum(code << (width * place) for place, code in enumerate(codes))
        n_codes = len(codes) if is_end else -(-len(codes) // 8) * 8
        groups.append(bits.to_bytes((n_codes * width + 7) // 8, "little"))
        codes.clear()

    sequence = b""
    for position, value in enumerate(data):
        longer = sequence + bytes([value])
        is_cleared = position in clear_at and sequence
        if longer in table and not is_cleared:
            sequence = longer
            continue
        codes.append(table[sequence])
        if is_cleared:
            codes.append(256)
            flush()
            table, free, width = {bytes([v]): v for v in range(256)}, first_code, 9
        elif free < 1 << max_width:
            table[longer] = free
            # The reader adds an entry one code later than the writer.
            if free == 1 << width and width < max_width:
                flush()
                width += 1
            free += 1
        sequence = bytes([value])
    if sequence:
        codes.append(table[sequence])
    flush(is_end=True)
    return bytes([0x1F, 0x9D, max_width | 0x80 * has_clear]) + b"".join(groups)


def numbers(n, seed=0):
    """Text like that of ISOLET's files."""
    rng = np.random.default_rng(seed)
    return ", ".join(f"{value:.4f}" for value in rng.uniform(-1, 1, size=n)).encode()


SAMPLES = {
    "nothing": b"",
    "one byte": b"a",
    "a code that is not known yet": b"aaaaaaaaaaaaaaaa",
    "all bytes": bytes(range(256)) * 3,
    "numbers": numbers(20_000),
}


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("max_width", [10, 12, 16])
def test_what_was_compressed_comes_back(data, max_width):
    assert decompress(compress(data, max_width)) == data


@pytest.mark.parametrize("clear_at", [{1}, {300, 301}, {5000, 9000}, set(range(1, 4000, 7))])
def test_codes_can_be_forgotten_at_any_time(clear_at):
    data = numbers(3000)
    assert decompress(compress(data, clear_at=clear_at)) == data


def test_files_of_the_first_versions_have_no_code_to_forget():
    data = numbers(3000)
    assert decompress(compress(data, has_clear=False)) == data


@pytest.mark.parametrize("clear_at", [(), {5000, 9000}])
# Enough numbers to use up all codes.
@pytest.mark.parametrize(("max_width", "n"), [(12, 10_000), (16, 70_000)])
def test_another_program_reads_the_tests_files_the_same_way(clear_at, max_width, n):
    if shutil.which("gzip") is None:
        pytest.skip("gzip, which reads .Z files too, is not installed")
    data = numbers(n)
    packed = compress(data, max_width, clear_at)
    done = subprocess.run(["gzip", "-dc"], input=packed, capture_output=True, check=True)
    assert done.stdout == decompress(packed) == data


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x9d", b"\x1f\x8b\x90abc", b"\x1f\x9d\x89abc", b"\x1f\x9d\x91abc"]
)
def test_other_files_are_refused(data):
    with pytest.raises(ValueError, match="not a file of the Unix program compress"):
        decompress(data)


def test_a_code_from_nowhere_is_an_error():
    with pytest.raises(ValueError, match="its code 400 stands for nothing yet"):
        decompress(b"\x1f\x9d\x90" + (97 | 400 << 9).to_bytes(3, "little"))
