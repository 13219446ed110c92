"""The data sets by name: the 13 of the paper, three for development, three of scikit-learn."""

from __future__ import annotations

from typing import Any

from entryprune.data.info import OFFICIAL_SPLIT, DatasetInfo
from entryprune.data.sources import SOURCES

_NO_LICENCE = "none stated"
_KRIZHEVSKY = "Krizhevsky (2009). Learning multiple layers of features from tiny images"
_GUYON = (
    "Guyon, Gunn, Ben-Hur and Dror (2004). Result analysis of the NIPS 2003 feature selection "
    "challenge. NIPS 17"
)


def _papers(name: str, title: str, domain: str, **details: Any) -> DatasetInfo:
    return DatasetInfo(name, title, domain, sources=SOURCES[name], is_papers=True, **details)


def _extra(name: str, title: str, domain: str, **details: Any) -> DatasetInfo:
    sources = SOURCES.get(name, ())
    return DatasetInfo(name, title, domain, n_test=None, sources=sources, **details)


def _embedded(name: str, title: str, domain: str, **details: Any) -> DatasetInfo:
    licence = "CC BY 4.0 (UCI)"
    return _extra(name, title, domain, licence=licence, is_embedded=True, **details)


_IMAGES_28 = {
    "n_train": 60_000,
    "n_test": 10_000,
    "n_features": 784,
    "n_classes": 10,
    "split": OFFICIAL_SPLIT,
    "image_shape": (28, 28),
    "file_format": "idx",
}
_IMAGES_32 = {
    "n_train": 50_000,
    "n_test": 10_000,
    "n_features": 3072,
    "split": OFFICIAL_SPLIT,
    "image_shape": (3, 32, 32),
    "licence": f"{_NO_LICENCE}; the authors ask to cite the report",
    "reference": _KRIZHEVSKY,
}
_MAT = {"n_test": None, "file_format": "mat", "licence": _NO_LICENCE}

_PAPERS = (
    _papers("cifar10", "CIFAR-10", "image", n_classes=10, file_format="cifar10", **_IMAGES_32),
    _papers("cifar100", "CIFAR-100", "image", n_classes=100, file_format="cifar100", **_IMAGES_32),
    _papers(
        "coil20",
        "COIL-20",
        "image",
        n_train=1440,
        n_features=1024,
        n_classes=20,
        image_shape=(32, 32),
        reference="Nene, Nayar and Murase (1996). Columbia object image library. CUCS-005-96",
        fingerprint="sha256:27c9ac825634eb2c5b9b757c47a1b7e8d93c708c99c75316d75228fe9f0d3fe7",
        **_MAT,
    ),
    _papers(
        "har",
        "HAR",
        "smartphone sensor",
        n_train=7352,
        n_test=2947,
        n_features=561,
        n_classes=6,
        split=OFFICIAL_SPLIT,
        licence="CC BY 4.0 (UCI); its README forbids commercial use",
        reference="Anguita, Ghio, Oneto, Parra and Reyes-Ortiz (2013). A public domain dataset for "
        "human activity recognition using smartphones. ESANN",
        file_format="har",
    ),
    _papers(
        "isolet",
        "ISOLET",
        "speech",
        n_train=7797,
        n_test=None,
        n_features=617,
        n_classes=26,
        licence="CC BY 4.0 (UCI)",
        reference="Fanty and Cole (1990). Spoken letter recognition. NIPS 3",
        file_format="isolet",
    ),
    _papers(
        "mnist",
        "MNIST",
        "image",
        licence="commonly cited as CC BY-SA 3.0",
        reference="LeCun, Bottou, Bengio and Haffner (1998). Gradient-based learning applied to "
        "document recognition. Proceedings of the IEEE 86(11)",
        fingerprint="sha256:a10040f2d68380a94e0c0d39a021379707ad98e1a2cde461507ed73fe2fdd39c",
        **_IMAGES_28,
    ),
    _papers(
        "fashion_mnist",
        "Fashion-MNIST",
        "image",
        licence="MIT",
        reference="Xiao, Rasul and Vollgraf (2017). Fashion-MNIST: a novel image dataset for "
        "benchmarking machine learning algorithms. arXiv:1708.07747",
        fingerprint="sha256:d7b4cb4eaf8cc271eb5c4b176fb670e64561ad329917712b8d0172ded8dae6c9",
        **_IMAGES_28,
    ),
    _papers(
        "usps",
        "USPS",
        "image",
        n_train=9298,
        n_features=256,
        n_classes=10,
        image_shape=(16, 16),
        reference="Hull (1994). A database for handwritten text recognition research. IEEE TPAMI "
        "16(5)",
        # No fingerprint: the file was never seen, only the digits it was made from (smoothing.py).
        **_MAT,
    ),
    _papers(
        "arcene",
        "ARCENE",
        "mass spectrometry",
        n_train=200,
        n_features=10_000,
        n_classes=2,
        reference=_GUYON,
        fingerprint="sha256:f799de83794d90f839d6e58acab4b6596b63dfcaaf1a878073b3fac76aba605f",
        **_MAT,
    ),
    _papers(
        "basehock",
        "BASEHOCK",
        "text",
        n_train=1993,
        n_features=4862,
        n_classes=2,
        scale="standard",
        reference="Lang (1995). NewsWeeder: learning to filter netnews. ICML",
        fingerprint="sha256:5cbe40a6a227b978c63ddd892ced43a3182686152f4cfc327ddef4dd718c0849",
        **_MAT,
    ),
    _papers(
        "gla_bra_180",
        "GLA-BRA-180",
        "gene expression",
        n_train=180,
        n_features=49_151,
        n_classes=4,
        reference="Sun et al. (2006). Neuronal and glioma-derived stem cell factor induces "
        "angiogenesis within the brain. Cancer Cell 9(4)",
        **_MAT,
    ),
    _papers(
        "prostate_ge",
        "Prostate-GE",
        "gene expression",
        n_train=102,
        n_features=5966,
        n_classes=2,
        reference="Singh et al. (2002). Gene expression correlates of clinical prostate cancer "
        "behavior. Cancer Cell 1(2)",
        fingerprint="sha256:7acc4c9a6ce02e53b8443558d6fcbfbe13e42fd4a6b8793e0cd25babb43e98a1",
        **_MAT,
    ),
    _papers(
        "smk",
        "SMK",
        "gene expression",
        n_train=187,
        n_features=19_993,
        n_classes=2,
        reference="Spira et al. (2007). Airway epithelial gene expression in the diagnostic "
        "evaluation of smokers with suspect lung cancer. Nature Medicine 13(3)",
        **_MAT,
    ),
)

# For choosing settings, so that no choice is made on the paper's sets.
_EXTRAS = (
    _extra(
        "madelon",
        "Madelon",
        "artificial",
        n_train=2600,
        n_features=500,
        n_classes=2,
        licence=_NO_LICENCE,
        reference=_GUYON,
        fingerprint="sha256:f994c1c52eb6d42a04b5c16d3477245331fcc666c4eb8565197799e2ef21981d",
        file_format="mat",
    ),
    # These two are R files, which we do not read: they have to be put there by hand.
    _extra(
        "gordon",
        "Gordon",
        "gene expression",
        n_train=181,
        n_features=12_533,
        n_classes=2,
        licence="the collection MIT; the data: none stated",
        reference="Gordon et al. (2002). Translation of microarray data into clinically relevant "
        "cancer diagnostic tests. Cancer Research 62(17)",
        fingerprint="sha256:259534797d84359d338f0a9ec20067a64b78e26f92bc42b0132936f7d1fddb5f",
    ),
    _extra(
        "nakayama",
        "Nakayama",
        "gene expression",
        n_train=105,
        n_features=22_283,
        n_classes=10,
        licence="the collection MIT; the data: none stated",
        reference="Nakayama et al. (2007). Gene expression analysis of soft tissue sarcomas. "
        "Modern Pathology 20(7)",
        fingerprint="sha256:eb237557a09170a595c9259a857f286c4a5284285c2bcb3b32fd511a4970b0eb",
    ),
)

_EMBEDDED = (
    _embedded(
        "digits",
        "Digits",
        "image",
        n_train=1797,
        n_features=64,
        n_classes=10,
        image_shape=(8, 8),
        reference="Alpaydin and Kaynak (1998). Optical recognition of handwritten digits. UCI",
    ),
    _embedded(
        "breast_cancer",
        "Breast cancer",
        "medicine",
        n_train=569,
        n_features=30,
        n_classes=2,
        reference="Wolberg, Mangasarian, Street and Street (1995). Breast cancer Wisconsin "
        "(diagnostic). UCI",
    ),
    _embedded(
        "wine",
        "Wine",
        "chemistry",
        n_train=178,
        n_features=13,
        n_classes=3,
        reference="Aeberhard and Forina (1991). Wine. UCI",
    ),
)

DATASETS: dict[str, DatasetInfo] = {info.name: info for info in _PAPERS + _EXTRAS + _EMBEDDED}
