"""The import graph, beyond the contracts of import-linter."""

from graphlib import TopologicalSorter

import grimp

RUNTIME = "svc.actors._core"
"""The modules of the actor runtime know each other: they are one thing in several files."""


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports for types alone count too. `CycleError` names the modules of a circle."""
    graph = grimp.build_graph("svc", cache_dir=None)

    TopologicalSorter(
        {
            module: graph.find_modules_directly_imported_by(module)
            for module in graph.modules
            if not module.startswith(RUNTIME)
        }
    ).prepare()
    assert RUNTIME in graph.modules
