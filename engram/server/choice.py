"""Which Neo4j to use, in order: configured, already running, Docker, jars."""

from typing import Literal

from engram.config import Settings
from engram.errors import StartError
from engram.server import artifacts
from engram.server.connection import Connection, configured
from engram.server.docker import DockerServer, docker_engine
from engram.server.files import Home
from engram.server.java import find_java, missing_java
from engram.server.managed import ManagedServer, Notify


def running(settings: Settings) -> Connection | None:
    """Return the managed server that already runs, or None; starts nothing."""
    return managed(settings).running()


def managed(settings: Settings) -> ManagedServer | DockerServer:
    """Return the server that this data directory was last run with; jars if it never was."""
    state = Home.of(settings).read_state()
    return (
        DockerServer(settings) if state is not None and state.backend == "docker" else ManagedServer(settings)
    )


def connect(
    settings: Settings, notify: Notify | None = None, progress: artifacts.Progress | None = None
) -> Connection:
    """Return how to reach Neo4j, starting a managed server if no address is configured and none runs.

    The order: `neo4j_uri`; a managed server that runs; Docker, when an engine answers and the image is here or
    can be pulled; Neo4j's jars with a Java 21 or newer. `server_backend` narrows it. `notify` gets a line for each
    thing that takes time. The configured server is not contacted.

    Raises:
        ConfigurationError: `neo4j_uri` is set and not usable.
        StartError: No way leads to a server; the message names what to install.
    """
    if there := configured(settings):
        return there
    return start(settings, notify, progress)


def start(
    settings: Settings, notify: Notify | None = None, progress: artifacts.Progress | None = None
) -> Connection:
    """Start the managed server unless it runs; as `connect`, but `neo4j_uri` is not looked at.

    Raises:
        StartError: No way leads to a server; the message names what to install.
    """
    if there := running(settings):
        _refuse_other_backend(settings)
        return there
    server = server_to_start(settings, notify)
    return server.start(notify) if isinstance(server, DockerServer) else server.start(notify, progress)


def server_to_start(settings: Settings, notify: Notify | None = None) -> ManagedServer | DockerServer:
    """Return the server that `start` would start: the data directory's own, else the first that can be run.

    Raises:
        StartError: No way leads to a server; the message names what to install.
    """
    say = notify or (lambda _text: None)
    if _backend(settings) == "maven":
        return ManagedServer(settings)
    docker = DockerServer(settings)
    if docker.available(say):
        return docker
    if settings.server_backend == "docker" or managed(settings).status().backend == "docker":
        raise _no_docker(settings)
    if not _can_run_jars(settings):
        raise StartError(
            "There is no Neo4j to use: none is configured, no Docker engine answers, and Neo4j cannot be run from "
            f"its jars ({_lacking(settings)}).",
            remedy="Install one of: Docker; Maven and a JDK 25. Or set ENGRAM_NEO4J_URI to a server of your own.",
        )
    return ManagedServer(settings)


def _backend(settings: Settings) -> Literal["docker", "maven"]:
    """Return what to try first.

    A data directory stays with what it began with: its memories lie either in the folder or in Docker's volume,
    and moving to the other because Docker came or went would look as if all of them were lost.
    """
    if settings.server_backend != "auto":
        return settings.server_backend
    home = Home.of(settings)
    state = home.read_state()
    if state is not None:
        return state.backend
    return "maven" if home.has_store else "docker"


def _refuse_other_backend(settings: Settings) -> None:
    backend = managed(settings).status().backend
    if settings.server_backend not in {"auto", backend}:
        raise StartError(
            f"server_backend is {settings.server_backend}, but a server that was started with {backend} is running.",
            remedy="`engram server stop` it first.",
        )


def _no_docker(settings: Settings) -> StartError:
    engine = docker_engine()
    what = "has no usable image or no compose plugin" if engine else "does not answer"
    if settings.server_backend == "docker":
        return StartError(
            f"server_backend is docker, but Docker {what}.",
            remedy="Start or install Docker, or set ENGRAM_SERVER_BACKEND=auto.",
        )
    return StartError(
        f"The memories in {settings.data_dir} lie in a Docker volume, but Docker {what}.",
        remedy="Start Docker; or set ENGRAM_SERVER_BACKEND=maven to begin with an empty database beside it.",
    )


def _can_run_jars(settings: Settings) -> bool:
    fetchable = artifacts.installed(settings) is not None or artifacts.find_maven() is not None
    return fetchable and find_java(settings) is not None


def _lacking(settings: Settings) -> str:
    lacking = [] if find_java(settings) else [missing_java()]
    if artifacts.installed(settings) is None and artifacts.find_maven() is None:
        lacking.append("Maven, which fetches them, is not installed")
    return "; ".join(lacking)
