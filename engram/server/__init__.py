"""A real Neo4j for whoever has none: found, installed, started, watched and stopped.

choice.py          which server to use, in order; `connect`, the one function that the library calls
connection.py      how to reach a server, and the one that a person configured
managed.py         the managed server: start, stop, status
ports.py           which ports it listens on
process.py         starting Java detached, knowing our process again, ending it
configuration.py   neo4j.conf with our ports and memory, and Java's flags out of it
diagnosis.py       why a server died while starting, and what to do
artifacts.py       Neo4j's jars, by Maven, complete or absent
java.py            the best Java on this machine
docker.py          the same server from docker-compose.yml
backup.py          backup and restore by the server's own dump
archive.py         the backup file
store.py           a stopped database's files: dumped, loaded, checked, put in place
docker_store.py    the same in Docker's volume
files.py           where everything lies; private files; the state file
"""

from engram.server.artifacts import find_maven, install, installed
from engram.server.choice import connect, managed, running, start
from engram.server.connection import Connection
from engram.server.docker import DockerServer, docker_engine
from engram.server.files import NEO4J_VERSION, Home
from engram.server.java import Java, find_java
from engram.server.managed import ManagedServer, Status

__all__ = [
    "NEO4J_VERSION",
    "Connection",
    "DockerServer",
    "Home",
    "Java",
    "ManagedServer",
    "Status",
    "connect",
    "docker_engine",
    "find_java",
    "find_maven",
    "install",
    "installed",
    "managed",
    "running",
    "start",
]
