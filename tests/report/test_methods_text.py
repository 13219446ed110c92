from entryprune.report import Provenance, Validation
from entryprune.report.methods import methods_text


def test_the_paragraph_has_counts_seeds_settings_and_versions(build):
    facts = {"learner": "support vector machine", "metric": "accuracy (%)", "n_splits": 5}
    validation = [
        Validation(
            **facts, what="all", mean=97.4, sd=0.5, is_all=True, fold_scores=[97, 98, 97, 98, 97]
        ),
        Validation(
            **facts,
            what="3",
            mean=85.4,
            sd=0.6,
            guesses=[66.7] * 5,
            fold_scores=[85, 86, 85, 86, 85],
        ),
    ]
    provenance = Provenance(
        settings={"interactions": True, "verbose": 0, "body": None, "random_state": 7},
        seed=7,
        versions={"python": "3.12", "entryprune": "1.0", "torch": "2.9"},
        n_threads=1,
    )
    text = methods_text(build.selection(validation=validation, provenance=provenance))
    assert text == (
        "3 features of 10,000 were selected with EntryPrune (entryprune 1.0), seed 7, to predict "
        "diagnosis in 60 samples (benign: 40, malignant: 20). Settings: interactions = True. "
        "Prediction was judged by 5-fold cross-validation, with the selection made anew in each "
        "fold from its training samples alone: accuracy of a support vector machine was 85.4 % "
        "(SD 0.6 % over folds), and 97.4 % (SD 0.5 % over folds) with all features; always "
        "guessing the most frequent class gives 66.7 %. The difference is -12 points (95 % "
        "interval -12 to -12, corrected for training samples that folds share; Nadeau and Bengio, "
        "2003). Computed with python 3.12, torch 2.9, 1 thread."
    )


def test_little_is_told_of_little(build):
    data = build.data(task="regression", class_counts=(), target_range=(25.0, 346.0))
    assert methods_text(build.selection(("radius",), data=data)) == (
        "1 feature of 10,000 was selected with EntryPrune, to predict diagnosis in 60 samples "
        "(from 25 to 346)."
    )
