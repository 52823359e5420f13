"""Tests on a real Docker Engine: run by `make test-docker`, skipped with a line wherever something is missing."""

import shutil
import subprocess

import pytest

from tests.docker.stack import IMAGES


def _missing() -> str | None:
    if shutil.which("docker") is None:
        return "the docker command is not installed"
    needed = [
        (["docker", "info"], "no Docker Engine answers"),
        (["docker", "compose", "version"], "docker has no compose plugin"),
        *((["docker", "image", "inspect", name], f"no image {name}: make docker-image") for name in IMAGES),
    ]
    failed = (
        words
        for command, words in needed
        if subprocess.run(command, capture_output=True, check=False).returncode
    )
    return next(failed, None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is marked `docker` unless it was asked for and can be run."""
    ours = [item for item in items if item.get_closest_marker("docker")]
    if not ours:
        return
    why = _missing() if "docker" in config.option.markexpr else "make test-docker runs it"
    for item in ours if why else ():
        item.add_marker(pytest.mark.skip(reason=why or ""))
