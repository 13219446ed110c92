"""The data sets by name: the 13 of the paper, 15 for development, three of scikit-learn.

The addresses are the published ones; they were collected on a machine without internet and not
tried from there. A checksum is given where one is published, with its publisher; where none is, the
fingerprint of the content in the catalogue takes its place.
"""

from __future__ import annotations

from typing import Any

from entryprune.data.dataset import DatasetInfo, Source

_TFDS = "TensorFlow Datasets, url_checksums"
_OBSERVED = "not by UCI; measured on its archive by public projects"

# The order that `raw.read_idx_set` expects: training images and labels, test images and labels.
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
_NO_LICENCE = "none stated"
_LANG = "Lang (1995). NewsWeeder: learning to filter netnews. ICML"
_GUYON = (
    "Guyon, Gunn, Ben-Hur and Dror (2004). Result analysis of the NIPS 2003 feature selection "
    "challenge. NIPS 17"
)

# What a data set is called (by us, and in tables), where it is from, and its size: training and
# test samples (None without an official test part: the former are then all), features, classes.
_Row = tuple[str, str, str, int, int | None, int, int]


def _entry(row: _Row, reference: str, **details: Any) -> DatasetInfo:
    return DatasetInfo(*row, reference=reference, **details)


def _mat(
    row: _Row,
    file: str,
    reference: str,
    *,
    folder: str = "files",
    pinned: str | None = None,
    **details: Any,
) -> DatasetInfo:
    """Return a MATLAB file of scikit-feature; its pinned copy has the same name if not another."""
    pinned = file if pinned is None else pinned
    mirrors = (f"{_SCIKIT_FEATURE_PINNED}/{pinned}.mat",) if pinned else ()
    source = Source(f"{_SCIKIT_FEATURE}/{folder}/datasets/{file}.mat", mirrors=mirrors)
    shared = {"sources": (source,), "licence": _NO_LICENCE, "file_format": "mat"}
    return _entry(row, reference, **shared, **details)


def _r(row: _Row, reference: str, licence: str = _NO_LICENCE, **details: Any) -> DatasetInfo:
    """Return an R file, which we do not read: it has to be converted and put there by hand."""
    source = Source(f"{_DATAMICROARRAY}/{row[0]}.RData")
    return _entry(row, reference, sources=(source,), licence=licence, **details)


def _cifar(n_classes: int, checksum: str) -> DatasetInfo:
    # The better known python versions hold pickles, which can run any code when they are read.
    url = f"https://www.cs.toronto.edu/~kriz/cifar-{n_classes}-binary.tar.gz"
    name = f"cifar{n_classes}"
    return _entry(
        (name, f"CIFAR-{n_classes}", "image", 50_000, 10_000, 3072, n_classes),
        "Krizhevsky (2009). Learning multiple layers of features from tiny images",
        is_papers=True,
        image_shape=(3, 32, 32),
        file_format=name,
        licence="none stated; the authors ask to cite the report",
        sources=(Source(url, f"sha256:{checksum}", _TFDS),),
    )


def _uci(file: str, checksum: str) -> tuple[Source, ...]:
    return (Source(f"{_UCI}/{file}", f"sha256:{checksum}", _OBSERVED),)


def _embedded(row: _Row, reference: str, **details: Any) -> DatasetInfo:
    return _entry(row, reference, licence="CC BY 4.0 (UCI)", is_embedded=True, **details)


def _idx(folder: str, mirror: str, checksums: tuple[str, ...]) -> tuple[Source, ...]:
    return tuple(
        Source(f"{folder}/{name}", f"sha256:{checksum}", _TFDS, (f"{mirror}/{name}",))
        for name, checksum in zip(_IDX_FILES, checksums, strict=True)
    )


_ALL = (
    _cifar(10, "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"),
    _cifar(100, "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"),
    _mat(
        ("coil20", "COIL-20", "image", 1440, None, 1024, 20),
        "COIL20",
        "Nene, Nayar and Murase (1996). Columbia object image library. CUCS-005-96",
        fingerprint="sha256:27c9ac825634eb2c5b9b757c47a1b7e8d93c708c99c75316d75228fe9f0d3fe7",
        is_papers=True,
        image_shape=(32, 32),
    ),
    _entry(
        ("har", "HAR", "smartphone sensor", 7352, 2947, 561, 6),
        "Anguita, Ghio, Oneto, Parra and Reyes-Ortiz (2013). A public domain dataset for human "
        "activity recognition using smartphones. ESANN",
        is_papers=True,
        file_format="har",
        licence="CC BY 4.0 (UCI); its README forbids commercial use",
        sources=_uci(
            "240/human+activity+recognition+using+smartphones.zip",
            "c00b803081a5c797cd5e4b83700a9810b38d53d9d84e01917e090e1fdbc81031",
        ),
    ),
    _entry(
        ("isolet", "ISOLET", "speech", 7797, None, 617, 26),
        "Fanty and Cole (1990). Spoken letter recognition. NIPS 3",
        is_papers=True,
        file_format="isolet",
        licence="CC BY 4.0 (UCI)",
        sources=_uci(
            "54/isolet.zip",
            "fe2e0d45f1057d112e051d309070992fc178e7f6922cc7b4e8b2bd310303a053",
        ),
    ),
    _entry(
        ("mnist", "MNIST", "image", 60_000, 10_000, 784, 10),
        "LeCun, Bottou, Bengio and Haffner (1998). Gradient-based learning applied to document "
        "recognition. Proceedings of the IEEE 86(11)",
        fingerprint="sha256:a10040f2d68380a94e0c0d39a021379707ad98e1a2cde461507ed73fe2fdd39c",
        is_papers=True,
        image_shape=(28, 28),
        file_format="idx",
        sources=_idx(
            "https://ossci-datasets.s3.amazonaws.com/mnist",
            "https://storage.googleapis.com/cvdf-datasets/mnist",
            _MNIST_SHA256,
        ),
        licence="commonly cited as CC BY-SA 3.0",
    ),
    _entry(
        ("fashion_mnist", "Fashion-MNIST", "image", 60_000, 10_000, 784, 10),
        "Xiao, Rasul and Vollgraf (2017). Fashion-MNIST: a novel image dataset for benchmarking"
        " machine learning algorithms. arXiv:1708.07747",
        fingerprint="sha256:d7b4cb4eaf8cc271eb5c4b176fb670e64561ad329917712b8d0172ded8dae6c9",
        is_papers=True,
        image_shape=(28, 28),
        file_format="idx",
        sources=_idx(
            "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion",
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
            _FASHION_SHA256,
        ),
        licence="MIT",
    ),
    _mat(
        ("usps", "USPS", "image", 9298, None, 256, 10),
        "USPS",
        "Hull (1994). A database for handwritten text recognition research. IEEE TPAMI 16(5)",
        # No fingerprint: the file was never seen, only what it was made from (folder.py).
        is_papers=True,
        image_shape=(16, 16),
        pinned="",
    ),
    _mat(
        ("arcene", "ARCENE", "mass spectrometry", 200, None, 10_000, 2),
        "arcene",
        _GUYON,
        fingerprint="sha256:f799de83794d90f839d6e58acab4b6596b63dfcaaf1a878073b3fac76aba605f",
        is_papers=True,
    ),
    _mat(
        ("basehock", "BASEHOCK", "text", 1993, None, 4862, 2),
        "BASEHOCK",
        _LANG,
        fingerprint="sha256:5cbe40a6a227b978c63ddd892ced43a3182686152f4cfc327ddef4dd718c0849",
        is_papers=True,
        scale="standard",
    ),
    _mat(
        ("gla_bra_180", "GLA-BRA-180", "gene expression", 180, None, 49_151, 4),
        "GLA-BRA-180",
        "Sun et al. (2006). Neuronal and glioma-derived stem cell factor induces angiogenesis "
        "within the brain. Cancer Cell 9(4)",
        is_papers=True,
        pinned="",
        folder="OLD",
    ),
    _mat(
        ("prostate_ge", "Prostate-GE", "gene expression", 102, None, 5966, 2),
        "Prostate_GE",
        "Singh et al. (2002). Gene expression correlates of clinical prostate cancer behavior. "
        "Cancer Cell 1(2)",
        pinned="Prostate-GE",
        fingerprint="sha256:7acc4c9a6ce02e53b8443558d6fcbfbe13e42fd4a6b8793e0cd25babb43e98a1",
        is_papers=True,
    ),
    _mat(
        ("smk", "SMK", "gene expression", 187, None, 19_993, 2),
        "SMK_CAN_187",
        "Spira et al. (2007). Airway epithelial gene expression in the diagnostic evaluation of"
        " smokers with suspect lung cancer. Nature Medicine 13(3)",
        is_papers=True,
        pinned="",
    ),
    # For choosing settings, so that no choice is made on the paper's sets.
    _mat(
        ("madelon", "Madelon", "artificial", 2600, None, 500, 2),
        "madelon",
        _GUYON,
        fingerprint="sha256:f994c1c52eb6d42a04b5c16d3477245331fcc666c4eb8565197799e2ef21981d",
    ),
    _r(
        ("gordon", "Gordon", "gene expression", 181, None, 12_533, 2),
        "Gordon et al. (2002). Translation of microarray data into clinically relevant cancer "
        "diagnostic tests. Cancer Research 62(17)",
        fingerprint="sha256:259534797d84359d338f0a9ec20067a64b78e26f92bc42b0132936f7d1fddb5f",
        licence="the collection MIT; the data: none stated",
    ),
    _r(
        ("nakayama", "Nakayama", "gene expression", 105, None, 22_283, 10),
        "Nakayama et al. (2007). Gene expression analysis of soft tissue sarcomas. Modern "
        "Pathology 20(7)",
        fingerprint="sha256:eb237557a09170a595c9259a857f286c4a5284285c2bcb3b32fd511a4970b0eb",
        licence="the collection MIT; the data: none stated",
    ),
    # Wide ones, for the clean protocol: fewer samples than features. ALLAML and GLIOMA were only
    # seen in single precision, where the last digits that a fingerprint depends on are lost.
    _mat(
        ("allaml", "ALLAML", "gene expression", 72, None, 7129, 2),
        "ALLAML",
        "Golub et al. (1999). Molecular classification of cancer: class discovery and class "
        "prediction by gene expression monitoring. Science 286(5439)",
    ),
    _mat(
        ("colon", "Colon", "gene expression", 62, None, 2000, 2),
        "colon",
        "Alon et al. (1999). Broad patterns of gene expression revealed by clustering analysis "
        "of tumor and normal colon tissues. PNAS 96(12)",
        fingerprint="sha256:3b614a7a952b17452ae0d21a4f89d0e14f82f96f7bda954cc558782db9d1c711",
    ),
    _mat(
        ("glioma", "GLIOMA", "gene expression", 50, None, 4434, 4),
        "GLIOMA",
        "Nutt et al. (2003). Gene expression-based classification of malignant gliomas "
        "correlates better with survival than histological classification. Cancer Research "
        "63(7)",
    ),
    _mat(
        ("lymphoma", "Lymphoma", "gene expression", 96, None, 4026, 9),
        "lymphoma",
        "Alizadeh et al. (2000). Distinct types of diffuse large B-cell lymphoma identified by "
        "gene expression profiling. Nature 403",
        fingerprint="sha256:7ba93cf2f3618482a9720a8b36f1b408a5014b2cfbc3c35937a9b1899c7eda7f",
    ),
    _mat(
        ("nci9", "NCI9", "gene expression", 60, None, 9712, 9),
        "nci9",
        "Ross et al. (2000). Systematic variation in gene expression patterns in human cancer "
        "cell lines. Nature Genetics 24(3)",
        fingerprint="sha256:ef1c9d32d0b4b7a295e281293cf7dc6abb016a7f4e70ca63b482dfeaf514a4e4",
    ),
    _mat(
        ("orlraws10p", "orlraws10P", "image", 100, None, 10_304, 10),
        "orlraws10P",
        "Samaria and Harter (1994). Parameterisation of a stochastic model for human face "
        "identification. IEEE Workshop on Applications of Computer Vision",
        fingerprint="sha256:ab5c4a01ea29de440209fe13bce0711425d54cff9a44a866528c71314bba0fca",
    ),
    _mat(
        ("relathe", "RELATHE", "text", 1427, None, 4322, 2),
        "RELATHE",
        _LANG,
        fingerprint="sha256:70c981e1eef790393b5f9762de4f9f7ad7ba37c81adbb7e16da0d676c5f9178b",
    ),
    _mat(
        ("warpar10p", "warpAR10P", "image", 130, None, 2400, 10),
        "warpAR10P",
        "Martinez and Benavente (1998). The AR face database. CVC technical report 24",
        fingerprint="sha256:ff997f9f859db5c6483944cb9b903d2808c9a7084708cd4762f8e6e0127afc48",
    ),
    _mat(
        ("yale", "Yale", "image", 165, None, 1024, 15),
        "Yale",
        "Belhumeur, Hespanha and Kriegman (1997). Eigenfaces vs. Fisherfaces: recognition using"
        " class specific linear projection. IEEE TPAMI 19(7)",
        fingerprint="sha256:6fd91f48f7ef1a4531876116c7d83e4eb706c2a1fdc5da992e2316e4d8d3676a",
        image_shape=(32, 32),
    ),
    _r(
        ("borovecki", "Borovecki", "gene expression", 31, None, 22_283, 2),
        "Borovecki et al. (2005). Genome-wide expression profiling of human blood reveals "
        "biomarkers for Huntington's disease. PNAS 102(31)",
        fingerprint="sha256:b63f55f5bdfb25ef84a791f2b6f6d10047ebf5b2697f944f8109744e83a41c2e",
    ),
    _r(
        ("khan", "Khan", "gene expression", 63, None, 2308, 4),
        "Khan et al. (2001). Classification and diagnostic prediction of cancers using gene "
        "expression profiling and artificial neural networks. Nature Medicine 7(6)",
        fingerprint="sha256:5504a2db07a27cc9198ec280a4ae8bce440ef6472480c2d80cf624a1f234ee5c",
    ),
    _r(
        ("shipp", "Shipp", "gene expression", 77, None, 7129, 2),
        "Shipp et al. (2002). Diffuse large B-cell lymphoma outcome prediction by gene-"
        "expression profiling and supervised machine learning. Nature Medicine 8(1)",
        fingerprint="sha256:b2b9208fe009663c5fa18a39ef8be678767a2f1290b21cc71e172c9e7b7fbc83",
    ),
    # These come with scikit-learn.
    _embedded(
        ("digits", "Digits", "image", 1797, None, 64, 10),
        "Alpaydin and Kaynak (1998). Optical recognition of handwritten digits. UCI",
        image_shape=(8, 8),
    ),
    _embedded(
        ("breast_cancer", "Breast cancer", "medicine", 569, None, 30, 2),
        "Wolberg, Mangasarian, Street and Street (1995). Breast cancer Wisconsin (diagnostic). UCI",
    ),
    _embedded(
        ("wine", "Wine", "chemistry", 178, None, 13, 3),
        "Aeberhard and Forina (1991). Wine. UCI",
    ),
)

DATASETS: dict[str, DatasetInfo] = {info.name: info for info in _ALL}
