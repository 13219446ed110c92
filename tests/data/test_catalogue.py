import csv
import math
import subprocess
import sys
from importlib.resources import files

import pytest

from entryprune.data import DATASETS
from entryprune.data.dataset import SCALES
from entryprune.data.download import READERS

LONG = {"cifar10", "cifar100", "coil20", "har", "isolet", "mnist", "fashion_mnist", "usps"}
WIDE = {"arcene", "basehock", "gla_bra_180", "prostate_ge", "smk"}
EXTRAS = {"madelon", "gordon", "nakayama"}
FURTHER_WIDE = {
    "allaml", "borovecki", "colon", "glioma", "khan", "lymphoma", "nci9", "orlraws10p", "relathe",
    "shipp", "warpar10p", "yale",
}  # fmt: skip
EMBEDDED = {"digits", "breast_cancer", "wine"}


def test_all_data_sets_are_there():
    assert set(DATASETS) == LONG | WIDE | EXTRAS | FURTHER_WIDE | EMBEDDED
    assert {name for name, info in DATASETS.items() if info.is_papers} == LONG | WIDE
    assert {name for name, info in DATASETS.items() if info.is_embedded} == EMBEDDED


def test_the_papers_sets_are_long_or_wide_as_the_paper_says():
    assert {name for name in LONG | WIDE if DATASETS[name].is_long} == LONG


def test_the_further_wide_sets_have_fewer_cases_than_features():
    assert not [name for name in FURTHER_WIDE if DATASETS[name].is_long]


def test_the_names_are_those_of_the_published_figures():
    text = files("entryprune.bench").joinpath("published.csv").read_text(encoding="utf-8")
    published = {row["dataset"] for row in csv.DictReader(text.splitlines())}
    assert published <= LONG | WIDE


def test_only_basehock_is_standardised():
    assert [name for name, info in DATASETS.items() if info.scale != "minmax"] == ["basehock"]


@pytest.mark.parametrize("name", DATASETS)
def test_an_entry_is_consistent(name):
    info = DATASETS[name]
    assert info.scale in SCALES
    assert (info.split == "official") == (info.n_test is not None)
    assert info.licence
    assert info.reference
    assert bool(info.sources) != info.is_embedded
    assert not info.file_format or info.file_format in READERS
    assert info.image_shape is None or math.prod(info.image_shape) == info.n_features


@pytest.mark.parametrize("name", DATASETS)
def test_checksums_have_the_form_of_their_kind_and_a_publisher(name):
    info = DATASETS[name]
    n_digits = {"sha256": 64, "md5": 32}
    for checksum in [source.checksum for source in info.sources] + [info.fingerprint]:
        if checksum is not None:
            kind, digits = checksum.split(":")
            assert len(bytes.fromhex(digits)) * 2 == n_digits[kind]
    assert all(bool(source.checksum) == bool(source.published) for source in info.sources)


def test_what_is_downloaded_can_be_checked_except_for_five_sets():
    unchecked = {
        name
        for name, info in DATASETS.items()
        if info.file_format
        and info.fingerprint is None
        and any(source.checksum is None for source in info.sources)
    }
    assert unchecked == {"gla_bra_180", "smk", "usps", "allaml", "glioma"}


def test_the_catalogue_is_cheap_to_import():
    code = (
        "import sys; import entryprune.data as data; data.DATASETS['mnist'].title; "
        "heavy = {'numpy', 'torch', 'sklearn', 'scipy', 'pooch', 'rich'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
