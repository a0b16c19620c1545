"""The data directory: its files are the owner's alone, and a key that is not right stops the start."""

import os
import stat
from pathlib import Path

import pytest

from svc.cli.data_directory import KEY_BYTES, DataDirectory
from svc.cli.failures import Failure
from svc.storage.private_files import replace_private


@pytest.fixture
def directory(data: Path) -> DataDirectory:
    made = DataDirectory(data)
    made.make()
    return made


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_key_is_made_once(directory: DataDirectory) -> None:
    """32 random bytes for the owner alone, and the same ones ever after."""
    first = directory.open_key().derive("sender")

    assert KEY_BYTES == directory.secret_key.stat().st_size
    assert 0o600 == mode(directory.secret_key)
    assert first == directory.open_key().derive("sender")


def test_each_purpose_has_a_secret_of_its_own(directory: DataDirectory) -> None:
    """What is derived for one purpose is neither the key nor another purpose's secret."""
    key = directory.open_key()
    derived = {key.derive(purpose) for purpose in ("sender", "senders", "")}

    assert 3 == len(derived)
    assert {KEY_BYTES} == set(map(len, derived))
    assert directory.secret_key.read_bytes() not in derived


def test_a_derived_secret_never_changes(directory: DataDirectory) -> None:
    """Another version of the program derives the same, or what is stored could not be used any more."""
    directory.secret_key.write_bytes(bytes(range(KEY_BYTES)))
    directory.secret_key.chmod(0o600)

    assert (
        "b3f2ceec61f2568cd9b7e85f0dd15c725af75001cfc71f8c5f0aade69035ab62"
        == directory.open_key().derive("sender").hex()
    )


@pytest.mark.parametrize("others", [0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_is_refused(directory: DataDirectory, others: int) -> None:
    """It may have been read already, which a person has to judge."""
    directory.open_key()
    directory.secret_key.chmod(others)

    with pytest.raises(Failure, match=r"secret\.key can be read by others: run `chmod 600 "):
        directory.open_key()


def test_a_key_of_another_size_is_refused(directory: DataDirectory) -> None:
    """Half a key is no key."""
    directory.open_key()
    os.truncate(directory.secret_key, 16)

    with pytest.raises(Failure, match="has 16 bytes and must have 32"):
        directory.open_key()


def test_a_missing_key_is_not_replaced_when_there_is_data(directory: DataDirectory) -> None:
    """The message says what a new key would mean."""
    directory.open_key()
    directory.database.touch()
    directory.secret_key.unlink()

    with pytest.raises(Failure, match=r"is missing, and there is data in .* Put the key back"):
        directory.open_key()
    assert not directory.secret_key.exists()


def test_the_token_is_made_once_and_again_when_it_is_removed(directory: DataDirectory) -> None:
    """It is the owner's alone, and removing the file is how to get a new one."""
    first, again = directory.open_token(), directory.open_token()

    assert first == again
    assert 0o600 == mode(directory.operator_token)
    directory.operator_token.unlink()
    assert first != directory.open_token()


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff" * 32])
def test_a_token_that_cannot_be_sent_is_refused(directory: DataDirectory, content: bytes) -> None:
    """The message says how to get a good one."""
    replace_private(directory.operator_token, content)

    with pytest.raises(Failure, match="Remove the file, and the next start makes one"):
        directory.open_token()


def test_a_file_in_the_place_of_the_directory_is_reported(tmp_path: Path) -> None:
    """The message names it, and the flag."""
    (tmp_path / "file").touch()

    with pytest.raises(Failure, match="file is not a directory: name another with --data"):
        DataDirectory(tmp_path / "file").make()
    with pytest.raises(Failure, match=r"file/data cannot be made: Not a directory"):
        DataDirectory(tmp_path / "file" / "data").make()


def test_a_private_file_is_replaced_whole(directory: DataDirectory) -> None:
    """The new content is the owner's alone, and no draft is left behind."""
    path = directory.path / "demo.json"
    path.touch(mode=0o644)

    replace_private(path, b"new")

    assert (b"new", 0o600) == (path.read_bytes(), mode(path))
    assert [path] == list(directory.path.iterdir())
