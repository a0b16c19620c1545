"""What the browser has to fetch: sizes, and what the manifest names."""

from svc.http.screens.assets import ScreenFiles, built

KIB = 1_024
FIRST_VISIT_BYTES_MAX = 80 * KIB
FIRST_SCRIPTS_BYTES_MAX = 45 * KIB
ALL_BYTES_MAX = 440 * KIB
"""Of all screens and the page for operators; nobody fetches more than the screens that they open."""
_FILES = built()


def _size(*names: str) -> int:
    """Bytes of those files as they are sent, compressed."""
    return sum(len(_FILES.files[name].gzipped) for name in set(names))


def _scripts(screen: ScreenFiles) -> list[str]:
    return [_FILES.manifest.script, *_FILES.manifest.preload, *screen.scripts]


def test_a_first_visit_is_small() -> None:
    """Scripts, styles and icons of any one screen stay within what a phone has in a moment."""
    manifest = _FILES.manifest
    scripts = {screen.path: _size(*_scripts(screen)) for screen in manifest.screens}
    everything = {
        screen.path: scripts[screen.path] + _size(manifest.style, *screen.styles, manifest.icons)
        for screen in manifest.screens
    }

    assert {} == {path: size for path, size in scripts.items() if size > FIRST_SCRIPTS_BYTES_MAX}
    assert {} == {path: size for path, size in everything.items() if size > FIRST_VISIT_BYTES_MAX}


def test_all_screens_together_are_small() -> None:
    """Everything that is built stays within its budget."""
    assert _size(*_FILES.files) <= ALL_BYTES_MAX


def test_only_what_runs_is_built() -> None:
    """No source map, and nothing that makes code of texts: the policy would refuse it."""
    assert {"js", "css", "svg"} == {name.rpartition(".")[2] for name in _FILES.files}
    for name, file in _FILES.files.items():
        for part in (b"sourceMappingURL", b"new Function(", b"eval("):
            assert part not in file.plain, name
