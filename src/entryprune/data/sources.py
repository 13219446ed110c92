"""Where the data sets are on the net.

The addresses are the published ones; they were collected on a machine without internet and not
tried from there. A checksum is given where one is published, with its publisher; where none is, the
fingerprint of the content in the catalogue takes its place.
"""

from __future__ import annotations

from entryprune.data.info import Source

_TFDS = "TensorFlow Datasets, url_checksums"
_OBSERVED = "not by UCI; measured on its archive by public projects"

# The order that `raw_idx` expects: training images and labels, test images and labels.
_IDX_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_MNIST_SHA256 = (
    "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
)
_FASHION_SHA256 = (
    "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
    "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
    "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
    "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
)
_CIFAR = "https://www.cs.toronto.edu/~kriz"
_UCI = "https://archive.ics.uci.edu/static/public"
_SCIKIT_FEATURE = "https://jundongl.github.io/scikit-feature"
# The copies in the repository are pinned, and the catalogue's fingerprints were measured on them.
_SCIKIT_FEATURE_PINNED = (
    "https://raw.githubusercontent.com/jundongl/scikit-feature/"
    "48cffad4e88ff4b9d2f1c7baffb314d1b3303792/skfeature/data"
)
_DATAMICROARRAY = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/"
    "a95f6f68ed3debf48ee54f198435fa12aa655b16/data"
)


def _idx(folder: str, mirror: str, checksums: tuple[str, ...]) -> tuple[Source, ...]:
    return tuple(
        Source(f"{folder}/{name}", f"sha256:{checksum}", _TFDS, (f"{mirror}/{name}",))
        for name, checksum in zip(_IDX_FILES, checksums, strict=True)
    )


def _mat(name: str, pinned: str = "") -> tuple[Source, ...]:
    mirrors = (f"{_SCIKIT_FEATURE_PINNED}/{pinned}.mat",) if pinned else ()
    return (Source(f"{_SCIKIT_FEATURE}/{name}.mat", mirrors=mirrors),)


def _r(name: str) -> tuple[Source, ...]:
    return (Source(f"{_DATAMICROARRAY}/{name}.RData"),)


SOURCES: dict[str, tuple[Source, ...]] = {
    "mnist": _idx(
        "https://ossci-datasets.s3.amazonaws.com/mnist",
        "https://storage.googleapis.com/cvdf-datasets/mnist",
        _MNIST_SHA256,
    ),
    "fashion_mnist": _idx(
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion",
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
        _FASHION_SHA256,
    ),
    # The better known python versions hold pickles, which can run any code when they are read.
    "cifar10": (
        Source(
            f"{_CIFAR}/cifar-10-binary.tar.gz",
            "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
            _TFDS,
        ),
    ),
    "cifar100": (
        Source(
            f"{_CIFAR}/cifar-100-binary.tar.gz",
            "sha256:58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
            _TFDS,
        ),
    ),
    "har": (
        Source(
            f"{_UCI}/240/human+activity+recognition+using+smartphones.zip",
            "sha256:c00b803081a5c797cd5e4b83700a9810b38d53d9d84e01917e090e1fdbc81031",
            _OBSERVED,
        ),
    ),
    "isolet": (
        Source(
            f"{_UCI}/54/isolet.zip",
            "sha256:fe2e0d45f1057d112e051d309070992fc178e7f6922cc7b4e8b2bd310303a053",
            _OBSERVED,
        ),
    ),
    "usps": _mat("files/datasets/USPS"),
    "coil20": _mat("files/datasets/COIL20", "COIL20"),
    "arcene": _mat("files/datasets/arcene", "arcene"),
    "basehock": _mat("files/datasets/BASEHOCK", "BASEHOCK"),
    "prostate_ge": _mat("files/datasets/Prostate_GE", "Prostate-GE"),
    "smk": _mat("files/datasets/SMK_CAN_187"),
    "gla_bra_180": _mat("OLD/datasets/GLA-BRA-180"),
    "madelon": _mat("files/datasets/madelon", "madelon"),
    "allaml": _mat("files/datasets/ALLAML", "ALLAML"),
    "colon": _mat("files/datasets/colon", "colon"),
    "glioma": _mat("files/datasets/GLIOMA", "GLIOMA"),
    "lymphoma": _mat("files/datasets/lymphoma", "lymphoma"),
    "nci9": _mat("files/datasets/nci9", "nci9"),
    "orlraws10p": _mat("files/datasets/orlraws10P", "orlraws10P"),
    "relathe": _mat("files/datasets/RELATHE", "RELATHE"),
    "warpar10p": _mat("files/datasets/warpAR10P", "warpAR10P"),
    "yale": _mat("files/datasets/Yale", "Yale"),
    "borovecki": _r("borovecki"),
    "gordon": _r("gordon"),
    "khan": _r("khan"),
    "nakayama": _r("nakayama"),
    "shipp": _r("shipp"),
}
