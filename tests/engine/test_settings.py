"""Settings document themselves."""

import re
from dataclasses import fields

from entryprune.engine import Settings


def test_every_setting_is_in_the_docstring_once():
    documented = re.findall(r"^ {4}(\w+) : ", Settings.__doc__, re.MULTILINE)
    assert sorted(documented) == sorted(field.name for field in fields(Settings))
    assert max(map(len, Settings.__doc__.splitlines())) <= 100


def test_a_setting_has_its_values_and_text_in_the_docstring():
    assert (
        '    regrowth : {"random", "gradient"}\n'
        "        Draw candidates at random, or take those with the largest gradient.\n"
    ) in Settings.__doc__
