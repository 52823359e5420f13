"""Which ports a managed server listens on."""

from engram.config import Settings
from engram.errors import StartError
from engram.server import process
from engram.server.files import State

_PORTS_TRIED = 100


def choose_ports(settings: Settings, state: State | None) -> tuple[int, int]:
    """Return free bolt and HTTP ports: those remembered, else those in the settings, else the next free pair.

    Raises:
        StartError: None of the next hundred pairs is free.
    """
    asked = (settings.bolt_port, settings.http_port)
    pairs = [(asked[0] + step, asked[1] + step) for step in range(_PORTS_TRIED)]
    if state is not None and state.asked == asked:
        pairs.insert(0, (state.bolt_port, state.http_port))
    for bolt, http in pairs:
        if max(bolt, http) <= 65_535 and bolt != http and process.port_free(bolt) and process.port_free(http):
            return bolt, http
    raise StartError(
        f"No free pair of ports was found from {asked[0]} and {asked[1]} on.",
        remedy="Set ENGRAM_BOLT_PORT and ENGRAM_HTTP_PORT to free ports.",
    )
