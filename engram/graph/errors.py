"""The driver's exceptions, turned into Engram's."""

import logging
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
import neo4j.exceptions

from engram.errors import (
    AuthenticationError,
    DatabaseError,
    DatabaseUnavailableError,
    EngramError,
    IndexPopulatingError,
    InvalidInputError,
    SchemaError,
)

_LOG = logging.getLogger(__name__)
_LOOK = "Try again; `engram doctor` looks for the cause."
_NO_CONNECTION = (
    neo4j.exceptions.ServiceUnavailable,
    neo4j.exceptions.SessionExpired,
    neo4j.exceptions.UnsupportedServerProduct,
)
_STRANGER = re.compile(
    r"looks like (?P<http>HTTP)|Expected .*handshake.* received|does not support communication with this driver"
)
"""What the driver says where no Neo4j answers; a Neo4j too old for any common version of Bolt is none to it either."""


@contextmanager
def translated(uri: str) -> Iterator[None]:  # noqa: C901  (one clause a cause)
    """Turn the driver's exceptions into Engram's."""
    try:
        try:
            yield
        except Exception as error:
            # Ctrl-C in the middle of a message breaks the connection, and the driver tells of that instead.
            if interrupt := interrupt_behind(error):
                raise interrupt from None
            raise
    except EngramError:
        raise
    except neo4j.exceptions.AuthError as error:
        raise AuthenticationError(
            f"Neo4j at {uri} refused the user or the password.",
            remedy="Check ENGRAM_NEO4J_USER and ENGRAM_NEO4J_PASSWORD.",
        ) from error
    except _NO_CONNECTION as error:
        if problem := _handshake_problem(uri, error):
            raise problem from error
        raise DatabaseUnavailableError(
            f"Neo4j at {uri} does not answer: {_reason(error)}.",
            remedy="Check the address and that the server runs; `engram doctor` looks for the cause, and "
            "`engram server start` starts the managed one.",
        ) from error
    except neo4j.exceptions.ConfigurationError as error:
        raise DatabaseError(
            f"The address {uri} is not usable: {_first_line(error)}.",
            remedy="Check ENGRAM_NEO4J_URI; bolt://host:7687 is the plainest form.",
        ) from error
    except neo4j.exceptions.Neo4jError as error:
        raise _from_server(uri, error) from error
    except neo4j.exceptions.DriverError as error:
        raise DatabaseUnavailableError(
            f"The connection to Neo4j at {uri} failed: {_first_line(error)}.", remedy=_LOOK
        ) from error
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            "The text holds an unpaired surrogate, which no database can store.",
            remedy="Decode it with errors='replace' first.",
        ) from error
    except OSError as error:
        raise DatabaseUnavailableError(
            f"The connection to Neo4j at {uri} failed: {error}.", remedy=_LOOK
        ) from error


def interrupt_behind(error: BaseException) -> BaseException | None:
    """Return the Ctrl-C or exit that was under way when an error came up."""
    inner = error.__cause__ or error.__context__
    while inner is not None and not isinstance(inner, KeyboardInterrupt | SystemExit):
        inner = inner.__cause__ or inner.__context__
    return inner


def _from_server(uri: str, error: neo4j.exceptions.Neo4jError) -> DatabaseError:  # noqa: PLR0911  (one case a cause)
    code, text = error.code or "", _first_line(error)
    # The text may quote a parameter, so no log has it.
    _LOG.debug("server error %s", code)
    if "AuthenticationRateLimit" in code:
        return AuthenticationError(
            f"Neo4j at {uri} blocks this user for a moment after too many wrong passwords.",
            remedy="Wait five seconds and try again with the right one.",
        )
    if "DatabaseNotFound" in code:
        return DatabaseError(f"Neo4j at {uri} has no such database.", remedy="Check ENGRAM_NEO4J_DATABASE.")
    if "IndexNotFound" in code and "not ready" in text:
        return IndexPopulatingError(
            "An index is still being built, so nothing can be searched by meaning yet.",
            remedy="Wait a moment; `engram doctor` shows how far it is.",
        )
    if "IndexNotFound" in code or "no such fulltext schema index" in text:
        return SchemaError(f"An index is missing: {text}.", remedy="`engram schema apply` creates it.")
    if "DatabaseUnavailable" in code:
        return DatabaseUnavailableError(
            f"The database at {uri} is not available: {text}.", remedy="`engram server logs` shows why."
        )
    if "MemoryPoolOutOfMemory" in code or "OutOfMemory" in code:
        return DatabaseError(
            "Neo4j ran out of memory for this transaction.",
            remedy="Lower ENGRAM_BATCH_SIZE, or raise ENGRAM_SERVER_HEAP and restart the server.",
        )
    if "NotALeader" in code:
        return DatabaseUnavailableError(
            f"The cluster at {uri} has no leader that takes writes.", remedy="Try again in a moment."
        )
    if code.startswith("Neo.TransientError"):
        return DatabaseError(f"Neo4j is too busy: {text}.", remedy="Try again in a moment.")
    if "Forbidden" in code or "ReadOnly" in code:
        return DatabaseError(
            f"Neo4j does not let this user write: {text}.",
            remedy="docs/security.md has the rights that it needs; a database in read-only mode takes no writes at all.",
        )
    return DatabaseError(
        f"Neo4j refused a statement: {text} ({code}).",
        remedy="`engram doctor` looks at the server's version and its indexes; `engram server logs` has its own words.",
    )


def _handshake_problem(uri: str, error: BaseException) -> DatabaseUnavailableError | None:
    """Return what to say where the two ends do not agree on encryption, trust or protocol; None where that is not it."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return DatabaseUnavailableError(
                f"Neo4j at {uri} does not prove who it is: {cause.verify_message.rstrip('.')}.",
                remedy="Set ENGRAM_NEO4J_CA_FILE to the certificate of the authority that signed the server's; `+ssc` "
                "in the address checks nothing.",
            )
        if isinstance(cause, ssl.SSLError):
            return DatabaseUnavailableError(
                f"No encrypted connection to Neo4j at {uri} comes about: {cause.reason or cause}.",
                remedy="Does its bolt port speak TLS? If not, use the address without `+s` and no ENGRAM_NEO4J_CA_FILE.",
            )
        if "incomplete handshake" in str(cause):
            return DatabaseUnavailableError(
                f"What listens at {uri} ends the connection at once: it takes encrypted connections only, or is no Neo4j.",
                remedy="Try the address with `+s`, e.g. bolt+s://, and check that the port is Bolt's.",
            )
        if found := _STRANGER.search(str(cause)):
            return DatabaseUnavailableError(
                f"Something answers at {uri}, but it does not speak Bolt{' (it speaks HTTP)' if found['http'] else ''}.",
                remedy="Check the port in ENGRAM_NEO4J_URI: Bolt's is 7687 as a rule, and 7474 is for web browsers.",
            )
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what led to it; where several did, as with the members of a cluster, all of them."""
    yield error
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _causes(each)
    if inner := error.__cause__ or error.__context__:
        yield from _causes(inner)


def _reason(error: BaseException) -> str:
    """Return why a connection failed; the driver says it in the last of several lines, or of several errors."""
    for cause in (error, *reversed([*_causes(error)])):
        if found := re.search(r"\(reason (?:\[Errno \d+\] )?(.*?)\)\s*$", str(cause)):
            return found[1].lower()
        if isinstance(cause, TimeoutError):
            return "the connection was taken, but nothing came back in time"
    # The first line of several only says which addresses were tried.
    return _first_line(error.__cause__ if error.__cause__ and "(resolved to" in str(error) else error)


def _first_line(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(message).strip().splitlines()[0].rstrip(".")
