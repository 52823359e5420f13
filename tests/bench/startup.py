"""How long the managed server takes to start and stop, and what it holds in memory; prints a table.

Usage: python tests/bench/startup.py [RUNS]. Uses a temporary data directory and the shared jars.
"""

import sys
import tempfile
import time
from pathlib import Path

from engram.config import Settings
from engram.server import ManagedServer, find_java, install


def main(runs: int) -> None:
    """Start and stop a server `runs` times on the same data directory; the first creates the database."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(
            data_dir=Path(folder), server_backend="maven", neo4j_uri=None, bolt_port=27_700, http_port=27_500
        )
        began = time.perf_counter()
        install(settings)
        java = find_java(settings)
        print(
            f"jars ready after {time.perf_counter() - began:.1f} s; Java {java.full_version if java else '-'}"
        )
        print(f"heap {settings.server_heap}, page cache {settings.server_page_cache}\n")
        print("| run | start, s | again, s | RSS, MB | stop, s |")
        print("|---|---:|---:|---:|---:|")
        for run in range(runs):
            server = ManagedServer(settings)
            began = time.perf_counter()
            server.start()
            started = time.perf_counter()
            server.start()
            again = time.perf_counter()
            rss = (server.status().rss_bytes or 0) / 1_048_576
            stopping = time.perf_counter()
            server.stop()
            stopped = time.perf_counter()
            name = "first" if run == 0 else f"{run + 1}"
            print(
                f"| {name} | {started - began:.1f} | {again - started:.4f} | {rss:.0f} | {stopped - stopping:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
