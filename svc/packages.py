"""Modules found by walking packages, so that no list of them has to be kept.

The program is always a tree of files, also where it is shipped as one: the directories say what there is.
"""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def nouns_of(layer: ModuleType) -> Iterator[ModuleType]:
    """The packages of *layer*, imported, in the order of their names."""
    for found in sorted(iter_modules(layer.__path__, f"{layer.__name__}."), key=lambda found: found.name):
        if found.ispkg:
            yield import_module(found.name)


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of *package* that are no packages, imported, in the order of their names."""
    for found in sorted(iter_modules(package.__path__, f"{package.__name__}."), key=lambda found: found.name):
        if not found.ispkg:
            yield import_module(found.name)


def modules_called(name: str, layer: ModuleType) -> Iterator[ModuleType]:
    """The module called *name* of each package of *layer* that has one, imported, by the package's name."""
    for noun in nouns_of(layer):
        if any(found.name == name for found in iter_modules(noun.__path__)):
            yield import_module(f"{noun.__name__}.{name}")
