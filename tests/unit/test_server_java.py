"""Which Java is chosen, from folders that look like Java installations."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config import Settings
from engram.errors import ConfigurationError
from engram.server.java import Java, feature_release, find_java, find_javas, read_java


def make_java(folder: Path, version: str, *, modules: str = "java.base") -> Path:
    """Lay out a folder as installers do: a release file and an executable `java`."""
    (folder / "bin").mkdir(parents=True)
    (folder / "release").write_text(f'IMPLEMENTOR="Test"\nJAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    (folder / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin" / "java").chmod(0o755)
    return folder


def own(javas: list[Java], root: Path) -> list[str]:
    """Return the names of those that lie under `root`; this machine's own may be found too."""
    return [java.home.name for java in javas if java.home.is_relative_to(root)]


def test_version_tools_folders_are_searched(tmp_path: Path) -> None:
    """Java folders of sdkman, asdf and jenv in the user's home are found, with and without their variables."""
    make_java(tmp_path / ".sdkman/candidates/java/a", "21.0.1")
    make_java(tmp_path / "elsewhere/installs/java/b", "17.0.1")
    make_java(tmp_path / ".jenv/versions/c", "1.8.0_402")
    environment = {"HOME": str(tmp_path), "PATH": "", "ASDF_DATA_DIR": str(tmp_path / "elsewhere")}
    assert own(find_javas(environment), tmp_path) == ["a", "b", "c"]


def test_path_and_java_home_come_first_and_once(tmp_path: Path) -> None:
    """JAVA_HOME stands before the java on PATH, and a Java reached in two ways is listed once."""
    first = make_java(tmp_path / "first", "25")
    second = make_java(tmp_path / "second", "25")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(second / "bin" / "java")
    (tmp_path / ".jdks").mkdir()
    (tmp_path / ".jdks" / "link").symlink_to(first)
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "JAVA_HOME": str(first)}
    assert own(find_javas(environment), tmp_path) == ["first", "second"]


def test_the_vector_module_outweighs_age_and_support(tmp_path: Path) -> None:
    """A JDK with the vector module wins over newer ones without; among those, a long-supported one wins."""
    vector = "java.base jdk.incubator.vector"
    make_java(tmp_path / ".jdks/plain", "99.0.1")
    make_java(tmp_path / ".jdks/short", "98.0.1", modules=vector)
    make_java(tmp_path / ".jdks/long", "97.0.1", modules=vector)
    chosen = find_java(Settings.load(), {"HOME": str(tmp_path), "PATH": ""})
    assert chosen is not None
    assert (chosen.home.name, chosen.version, chosen.has_vector_module, chosen.origin) == (
        "long",
        97,
        True,
        "folder",
    )


def test_java_home_setting_decides_alone(tmp_path: Path) -> None:
    """The setting is used even where a better Java exists; macOS bundles are understood."""
    home = make_java(tmp_path / "x.jdk/Contents/Home", "21.0.2")
    chosen = find_java(Settings.load(java_home=tmp_path / "x.jdk"))
    assert chosen is not None
    assert (chosen.home, chosen.origin) == (home, "settings")


@pytest.mark.parametrize("version", [None, "17.0.9"])
def test_unusable_java_home_setting_is_an_error(tmp_path: Path, version: str | None) -> None:
    """A java_home that holds no Java or one that is too old is refused, not passed over."""
    if version:
        make_java(tmp_path / "old", version)
    with pytest.raises(ConfigurationError, match=r"java_home is .*needs Java 21"):
        find_java(Settings.load(java_home=tmp_path / "old"))


def test_half_a_java_is_none(tmp_path: Path) -> None:
    """A folder without a program, or with a release file without a version, is not a Java."""
    (make_java(tmp_path / "a", "25") / "bin" / "java").unlink()
    make_java(tmp_path / "b", "")
    assert read_java(tmp_path / "a", "folder") is None
    assert read_java(tmp_path / "b", "folder") is None


@given(st.integers(9, 200), st.lists(st.integers(0, 99), max_size=3))
def test_feature_release_is_the_first_number(release: int, rest: list[int]) -> None:
    """Every version text since Java 9 begins with its feature release."""
    assert feature_release(".".join(map(str, [release, *rest]))) == release


def test_feature_release_of_old_and_strange_texts() -> None:
    """Java 8 and before are written 1.8; other text has no release."""
    assert feature_release("1.8.0_402") == 8
    assert feature_release("25-ea") == 25
    assert feature_release("unknown") is None
