"""`engram mcp`: the memory as a server of the Model Context Protocol."""

import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engram.config import Settings
from engram.errors import ConfigurationError, EngramError

from .state import State

if TYPE_CHECKING:
    from engram.doors.mcp_serving import Http


@click.command()
@click.option(
    "--http", "listen", metavar="HOST:PORT", help="Serve streamable HTTP there, not stdin and stdout."
)
@click.option(
    "--allow-host", "hosts", metavar="NAME", multiple=True, help="With --http: another name of this server."
)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes, and learn nothing from recalls.")
@click.option("--allow-erase", is_flag=True, help="Let `forget` delete for good.")
@click.pass_obj
def mcp(state: State, listen: str | None, hosts: Sequence[str], read_only: bool, allow_erase: bool) -> None:  # noqa: FBT001
    """Serve one space to an MCP client: over stdin and stdout, or with --http to many."""
    if read_only and allow_erase:
        raise click.UsageError("--read-only and --allow-erase exclude each other.")
    if hosts and listen is None:
        raise click.UsageError("--allow-host belongs to --http.")
    if not state.debug:
        # The SDK tells of each request, and of each argument that does not fit.
        logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="engram mcp: %(message)s")
    try:
        from engram.doors.mcp_calls import Calls  # noqa: PLC0415  (an extra, and slow to load)
        from engram.doors.mcp_serving import serve  # noqa: PLC0415
        from engram.doors.mcp_tools import tools  # noqa: PLC0415
    except ImportError as error:
        raise EngramError(
            "The package mcp is not installed.", remedy="`pip install 'engram-neo4j[mcp]'`."
        ) from error
    settings = state.settings
    offered = tools(read_only=read_only, allow_erase=allow_erase)
    if listen is None:
        serve(Calls(state.open), offered)
        return
    http = _http(settings, listen, hosts)

    def ready(address: str) -> None:
        state.say(f"Serving the space {state.space!r} at {address}; Ctrl-C ends it.")
        if not http.address.local:
            state.say(
                "Others reach this address, and the token crosses the network in the clear: put TLS before it."
            )
        if settings.mcp_token is None:
            state.say(f"Token, for as long as this runs: {http.token}")

    serve(Calls(state.open), offered, http=http, ready=ready)


def _http(settings: Settings, listen: str, hosts: Sequence[str]) -> "Http":
    """Return how to serve over HTTP."""
    from engram.doors.mcp_http import chosen_token, parse_address  # noqa: PLC0415  (see above)
    from engram.doors.mcp_serving import Http  # noqa: PLC0415

    address = parse_address(listen)
    if address.host in _EVERYWHERE and not hosts:
        raise ConfigurationError(
            "Listening on every interface, the server must know by which names it is called.",
            remedy="Name the one address to listen on, or say --allow-host NAME.",
        )
    token = None if settings.mcp_token is None else settings.mcp_token.get_secret_value()
    return Http(address=address, token=chosen_token(token), hosts=hosts)


_EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104  (named to be refused)
