"""What the demo takes, from an empty data directory, and what is in memory after it: `python -m tests.bench.demo`.

Neo4j's jars are shared with your installation; the embedding cache and the converted model are made anew.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engram.config import Settings
from engram.server import ManagedServer, install

ENGRAM = str(Path(sys.executable).with_name("engram"))


def main() -> None:
    """Run the demo twice on a server of its own and print a markdown table."""
    jars = install(Settings.load())
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        (cache / "neo4j").mkdir(parents=True)
        (cache / "neo4j" / jars.name).symlink_to(jars)
        environment = dict(os.environ) | {
            "ENGRAM_DATA_DIR": f"{folder}/data",
            "ENGRAM_CACHE_DIR": str(cache),
            "ENGRAM_SERVER_BACKEND": "maven",
        }
        server = ManagedServer(
            Settings.load(data_dir=Path(folder) / "data", cache_dir=cache, server_backend="maven")
        )
        try:
            print(
                "| demo | wall, s | import, turns/s | question, ms (median) | peak Python, MB | server, MB |"
            )
            print("|---|---:|---:|---:|---:|---:|")
            for name in ("first run, server started", "second run"):
                began = time.perf_counter()
                done = subprocess.run(
                    [ENGRAM, "demo", "--json"], env=environment, check=True, capture_output=True
                )
                wall = time.perf_counter() - began
                told = json.loads(done.stdout)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                rss = (server.status().rss_bytes or 0) / 2**20
                asked = statistics.median(answer["milliseconds"] for answer in told["questions"])
                rate = (told["stored"] + told["seen"]) / told["import_seconds"]
                print(
                    f"| {name} | {wall:.1f} | {rate:.0f} | {asked:.0f} | {peak:.0f} | {rss:.0f} |", flush=True
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
