"""Whether readers survive damaged files: no crash, no traceback, no hang, no flood of memory.

    python benchmarks/hostile.py --count 5000 --seed 1 --models

Small tables of every format (and saved selectors) are damaged at random: bits turned, numbers
replaced, pieces cut out, doubled or taken from another file. Each is read, and a reduced table
written of it, in a child process that is used for many files and started anew after a crash. What
is not read must be refused with an error of ours; anything else is counted, its file kept, and the
exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gzip
import io
import json
import os
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

MOST_SECONDS, MOST_BYTES = 10.0, 2**30
FINE, BAD = ("read", "refused"), ("traceback", "crash", "hang", "memory")
# What is changed most usefully in a number of a binary file.
NUMBERS = (0, 1, 2, 7, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**20, 2**31 - 1, 2**31, 2**32 - 1)
SIGNS = b",;\t\n\r\"' .-+eE0123456789abNA:#%@{}?|\\\xc3\xa9"
WORDS = (
    b"1e999",
    b"-",
    b"nan",
    b"inf",
    b"9" * 400,
    b'""',
    b"99999999999:1",
    b"\xef\xbb\xbf",
    b"x" * 99,
)
# An .npy file of 8 x 2 numbers.
SAMPLES = b"\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (8, 2)}"
SAMPLES = SAMPLES.ljust(79) + b"\n" + bytes(range(16))
LARGE = (2**33, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1)

# -- valid files ----------------------------------------------------------------------------------


def make_tables(folder: Path) -> dict[str, list[Path]]:
    """Write small valid tables, by format; each has the columns a, b and c and the labels y."""
    import h5py
    import numpy as np
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
    import scipy.io
    import scipy.sparse

    X = np.arange(24).reshape(8, 3) % 7 / 2
    y, names = np.array(["u", "vw"] * 4), np.array(["a", "b", "c"])
    rows = [",".join(map(str, row)) + f",{label}" for row, label in zip(X, y, strict=True)]
    text = "a,b,c,y\n" + "\n".join(rows) + "\n"
    kinds = pa.array(y).dictionary_encode()
    columns = {"a": X[:, 0], "b": pa.array(X[:, 1].astype("i4")), "c": [True, None] * 4}
    plain, typed = pa.table({**columns, "y": y}), pa.table({**columns, "y": kinds, "t": y})
    sparse = scipy.sparse.csc_matrix(X)

    def write(name: str, content: str | bytes) -> None:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    write("plain.csv", text)
    write("quoted.csv", text.replace("u", '"u, ""x"""').replace("a,", '"a\n",', 1))
    write("packed.csv.gz", gzip.compress(text.encode()))
    write("plain.tsv", text.replace(",", "\t"))
    write("plain.arff", _arff(rows))
    write("plain.svm", "".join(f"{n % 2} 1:{n}.5 3:2 # c\n" for n in range(8)))
    pa.parquet.write_table(plain, folder / "plain.parquet", compression="none")
    pa.parquet.write_table(typed, folder / "typed.parquet")
    pa.feather.write_feather(plain, folder / "plain.feather", compression="uncompressed")
    pa.feather.write_feather(typed, folder / "typed.feather", compression="lz4")
    with pa.ipc.new_stream(folder / "stream.arrow", typed.schema) as writer:
        writer.write_table(typed)
    np.save(folder / "plain.npy", X)
    np.save(
        folder / "named.npy",
        np.rec.fromarrays([*X.T, y], names="a,b,c,y").view(np.ndarray),
    )
    np.savez(folder / "plain.npz", X=X, y=y, feature_names=names)
    np.savez_compressed(folder / "packed.npz", X=X, y=np.char.encode(y), feature_names=names)
    _write_book(folder / "plain.xlsx", [["a", "b", "c", "y"], *zip(*X.T.tolist(), y, strict=True)])
    cells = {"y": y.astype(object), "feature_names": names}
    for name, matrix, is_packed in (("plain", X, False), ("packed", X, True), ("s", sparse, False)):
        scipy.io.savemat(folder / f"{name}.mat", {"X": matrix, **cells}, do_compression=is_packed)
    scipy.io.savemat(folder / "old.mat", {"X": X, "y": np.arange(8)}, format="4")
    with h5py.File(folder / "dense73.mat", "w", userblock_size=512) as file:
        file["X"] = X.T
        _write_cells(file, "y", y)
    with h5py.File(folder / "sparse73.mat", "w", userblock_size=512) as file:
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(8)
        group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices, sparse.indptr
        file["y"] = np.arange(8.0).reshape(1, 8)
    for name, kind in (("dense", None), ("csr", "csr"), ("packed", "csc")):
        with h5py.File(folder / f"{name}.h5ad", "w") as file:
            _write_anndata(file, X, y, names, kind)
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.iterdir()):
        found[path.name.split(".", 1)[1].removesuffix(".gz")].append(path)
    return found


def _write_book(path: Path, rows) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([*row[:-1], str(row[-1])])
    book.active["B3"] = datetime.datetime(2024, 3, 1)
    book.save(path)


def _arff(rows: list[str]) -> str:
    attributes = "".join(f"@attribute {name} numeric\n" for name in ("a", "'b'", "c"))
    return f"@relation t\n{attributes}@attribute y {{u,vw}}\n@data\n" + "\n".join(rows) + "\n"


def _write_cells(file, name, texts) -> None:
    import h5py
    import numpy as np

    pointers = np.empty((1, len(texts)), dtype=h5py.ref_dtype)
    for number, one in enumerate(texts):
        codes = np.frombuffer(one.encode("utf-16-le"), dtype="<u2").reshape(-1, 1)
        cell = file.require_group("#refs#").create_dataset(f"{name}{number}", data=codes)
        cell.attrs["MATLAB_class"] = np.bytes_("char")
        pointers[0, number] = cell.ref
    file.create_dataset(name, data=pointers, dtype=h5py.ref_dtype)
    file[name].attrs["MATLAB_class"] = np.bytes_("cell")


def _write_anndata(file, X, y, names, kind) -> None:
    import h5py
    import numpy as np
    import scipy.sparse

    packing = "gzip" if kind == "csc" else None
    if kind is None:
        file["X"] = X
    else:
        sparse = getattr(scipy.sparse, f"{kind}_matrix")(X)
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = f"{kind}_matrix", np.array(X.shape)
        for part in ("data", "indices", "indptr"):
            group.create_dataset(part, data=getattr(sparse, part), compression=packing)
    for frame, index in (("obs", [f"cell{n}" for n in range(len(X))]), ("var", names)):
        group = file.create_group(frame)
        group.attrs["_index"] = "_index"
        group.create_dataset("_index", data=list(index), dtype=h5py.string_dtype())
    if packing:
        file["obs"].create_dataset("y", data=list(y), dtype=h5py.string_dtype())
    else:
        part = file["obs"].create_group("y")
        part["codes"] = np.arange(len(y), dtype=np.int8) % 2
        part.create_dataset("categories", data=["u", "vw"], dtype=h5py.string_dtype())


def make_models(folder: Path) -> dict[str, list[Path]]:
    """Save small selectors that have been fitted."""
    import numpy as np

    import entryprune
    from entryprune.baselines import FisherSelector

    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    selectors = {
        "fisher": FisherSelector(n_features_to_select=2),
        "pruned": entryprune.EntryPruneClassifier(2, preset="exchange", random_state=0),
    }
    paths = []
    for name, selector in selectors.items():
        paths.append(folder / f"{name}.model")
        entryprune.save(selector.fit(X, y), paths[-1])
    return {"model": paths}


# -- damage ---------------------------------------------------------------------------------------


def damaged(path: Path, others: list[Path], generator: random.Random) -> bytes:
    """Return a file with one to three changes, some of them behind its compression."""
    content = path.read_bytes()
    if path.suffix == ".gz" and generator.random() < 0.5:
        return gzip.compress(_changed(gzip.decompress(content), [], generator, is_text=True))
    if path.suffix in (".npz", ".xlsx") and generator.random() < 0.7:
        return _changed_inside(content, generator)
    is_text = path.suffix in (".csv", ".tsv", ".arff", ".svm")
    return _changed(content, [other.read_bytes() for other in others], generator, is_text=is_text)


def _changed_inside(content: bytes, generator: random.Random) -> bytes:
    """Change one part of an archive, which then has the right checksum."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        chosen = generator.choice(old.namelist())
        for name in old.namelist():
            member = old.read(name)
            new.writestr(name, _changed(member, [], generator) if name == chosen else member)
    return buffer.getvalue()


def _changed(
    content: bytes, others: list[bytes], generator: random.Random, *, is_text: bool = False
) -> bytes:
    data = bytearray(content)
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        if not data:
            break
        place = generator.randrange(len(data))
        length = min(len(data) - place, generator.choice((1, 2, 4, 8, 16, 64, 512)))
        other = generator.choice(others) if others else bytes(data)
        from_ = generator.randrange(len(other) or 1)
        kind = generator.randrange(9)
        if kind <= 1:
            data[place] ^= 1 << generator.randrange(8)
        elif kind == 2:
            data[place] = generator.choice((0, 1, 9, 10, 34, 44, 127, 128, 255, 32, 45, 57))
        elif is_text and kind in (3, 4, 8):  # bytes that are no letters would only be refused
            signs = bytes(generator.choice(SIGNS) for _ in range(min(length, 16)))
            data[place : place + 1] = generator.choice(WORDS) if kind == 8 else signs
        elif kind <= 4:
            _replace_number(data, place, generator)
        elif kind == 5:
            is_cut = generator.random() < 0.3
            del data[place : None if is_cut else place + length]
        elif kind == 6:
            data[place:place] = data[place : place + length]
        elif kind == 7:
            data[place : place + length] = other[from_ : from_ + length]
        else:
            data[place : place + length] = generator.randbytes(length)
    return bytes(data)


def _replace_number(data: bytearray, place: int, generator: random.Random) -> None:
    """Overwrite four or eight bytes at a place where a number may be."""
    size = generator.choice((4, 8))
    place -= place % 4
    number = generator.choice(NUMBERS if size == 4 else NUMBERS + LARGE)
    packed = struct.pack(generator.choice("<<<>") + {4: "I", 8: "Q"}[size], number)
    data[place : place + size] = packed


# -- the child ------------------------------------------------------------------------------------


def serve() -> None:
    """Read the files that are named on the input, and say what came of each."""
    import warnings

    warnings.simplefilter("ignore")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        path = Path(json.loads(line))
        try:
            _use(path)
            answer = {"outcome": "read"}
        except Exception as error:
            is_ours = type(error).__name__ in ("DatasetError", "LoadError")
            answer = {"outcome": "refused" if is_ours else "traceback", "said": str(error)[:500]}
            if not is_ours:
                answer["said"] = "".join(traceback.format_exception(error))[-1500:]
        print(json.dumps({**answer, "memory": _memory(os.getpid(), "VmHWM")}), flush=True)
        _forget_peak()


def _use(path: Path) -> None:
    if path.suffix == ".model":
        import entryprune

        entryprune.load(path)
        return
    from entryprune.data import DatasetError, TableRequest, read_table, write_columns

    target = {".npy": None, ".svm": None}.get(path.suffix, "y")
    request = TableRequest(path, target=target)
    name, refusal = "a", None
    try:
        name = read_table(request).feature_names[0]
    except DatasetError as error:
        refusal = error
    try:
        write_columns(request, [name], path.with_name(f"reduced_{path.name}"))
    except DatasetError as error:
        refusal = refusal or error
    # With features as rows, of all types, sparse, and as labels of another table: other ways
    # through the same file.
    others = [TableRequest(path, transpose=True), TableRequest(path, mixed=True, sparse=True)]
    if path.suffix in (".csv", ".gz", ".tsv", ".npy", ".parquet", ".feather", ".arrow"):
        table = path.with_name("samples.npy")
        if not table.exists():
            table.write_bytes(SAMPLES)
        others.append(TableRequest(table, target_file=path, target="y"))
    for other in others:
        with contextlib.suppress(DatasetError):
            read_table(other)
    if refusal is not None:
        raise refusal


def _memory(process: int, what: str) -> int:
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(what):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass  # gone, or not Linux
    return 0


def _forget_peak() -> None:
    with contextlib.suppress(OSError):  # else the peak is that of all files so far
        Path("/proc/self/clear_refs").write_text("5")


# -- the parent -----------------------------------------------------------------------------------


class Reader:
    """A child that reads files, started anew whenever it is needed and not there."""

    def __init__(self, valid: list[Path]) -> None:
        self.valid, self.child, self.baseline = valid, None, 0

    def outcome(self, path: Path) -> tuple[str, str]:
        """Return what comes of a file, and what was said."""
        if self.child is None:
            self._start()
        answer, why = self._ask(path)
        if answer is None:
            self.stop()
            return why, ""
        if answer["memory"] > self.baseline + MOST_BYTES:
            return "memory", f"{answer['memory'] / 1e9:.1f} GB"
        return answer["outcome"], answer.get("said", "")

    def _start(self) -> None:
        command = [sys.executable, "-X", "faulthandler", __file__, "--child"]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._answer(60.0)
        for path in self.valid:  # so that all is imported
            answer, why = self._ask(path, 60.0)
            if answer is None or answer["outcome"] != "read":
                raise SystemExit(f"{path.name} is valid, but: {answer or why}")
        self.baseline = _memory(self.child.pid, "VmRSS")

    def stop(self) -> None:
        """End the child."""
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child.stdin.close()
            self.child.stdout.close()
        self.child = None

    def _ask(self, path: Path, most_seconds: float = MOST_SECONDS) -> tuple[dict | None, str]:
        try:
            self.child.stdin.write(json.dumps(str(path)).encode() + b"\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            return None, "crash"
        return self._answer(most_seconds)

    def _answer(self, most_seconds: float) -> tuple[dict | None, str]:
        deadline = time.monotonic() + most_seconds
        while time.monotonic() < deadline:
            if select.select([self.child.stdout], [], [], 0.05)[0]:
                line = self.child.stdout.readline()
                return (json.loads(line), "") if line else (None, "crash")
            if self.baseline and _memory(self.child.pid, "VmRSS") > self.baseline + MOST_BYTES:
                return None, "memory"
        return None, "hang"


def damaged_files(
    valid: dict[str, list[Path]], count: int, folder: Path, generator: random.Random
) -> Iterator[tuple[str, Path]]:
    """Write damaged files, each in the place of the one before it."""
    formats = sorted(valid)
    for number in range(count):
        name = formats[number % len(formats)]
        paths = valid[name]
        chosen = generator.choice(paths)
        path = folder / chosen.name
        path.write_bytes(damaged(chosen, paths, generator))
        yield name, path
        path.unlink()


def run(arguments: argparse.Namespace, show: Callable[[str], None] = print) -> int:
    """Damage and read files, and return the exit code."""
    generator = random.Random(arguments.seed)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, part) for part in ("valid", "damaged")]
        for folder in folders:
            folder.mkdir()
        valid = make_tables(folders[0])
        if arguments.formats:
            valid = {fmt: valid[fmt] for fmt in arguments.formats}
        if arguments.models:
            valid |= make_models(folders[0])
        reader = Reader([path for paths in valid.values() for path in paths])
        try:
            for fmt, path in damaged_files(valid, arguments.count, folders[1], generator):
                outcome, said = reader.outcome(path)
                counts[fmt][outcome] += 1
                if outcome in BAD:
                    kept = Path(
                        arguments.keep, f"{outcome}_{sum(counts[fmt].values())}_{path.name}"
                    )
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_bytes(path.read_bytes())
                    show(f"{outcome}: kept as {kept}\n{said}")
        finally:
            reader.stop()
    show(f"{'format':9}" + "".join(f"{outcome:>11}" for outcome in (*FINE, *BAD)))
    for fmt, found in counts.items():
        show(f"{fmt:9}" + "".join(f"{found[outcome]:11,}" for outcome in (*FINE, *BAD)))
    show(f"{arguments.count:,} files in {time.monotonic() - start:.0f} s, seed {arguments.seed}")
    return int(any(found[outcome] for found in counts.values() for outcome in BAD))


def main() -> int:
    """Read the arguments."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000, help="damaged files in all")
    parser.add_argument("--formats", nargs="*", help="such as csv mat h5ad; by default all")
    parser.add_argument("--models", action="store_true", help="damage saved selectors, too")
    parser.add_argument("--keep", default="hostile", help="the folder for files that did harm")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        serve()
        return 0
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
