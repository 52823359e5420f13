"""How long `engram --help` takes beside Python alone and Python with click, interleaved: `python -m tests.bench.help`."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
SIDES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python, import click": [sys.executable, "-c", "import click"],
    "engram --help": [str(Path(sys.executable).with_name("engram")), "--help"],
}


def main() -> None:
    """Run the sides in turn and print a markdown table."""
    taken: dict[str, list[float]] = {name: [] for name in SIDES}
    for _ in range(ROUNDS + 1):
        for name, command in SIDES.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - began)
    base = statistics.median(taken["python -c pass"][1:])
    print("| start | median, s | worst, s | ratio |")
    print("|---|---:|---:|---:|")
    for name, seconds in taken.items():
        middle = statistics.median(seconds[1:])
        print(f"| `{name}` | {middle:.3f} | {max(seconds[1:]):.3f} | {middle / base:.1f} |")


if __name__ == "__main__":
    main()
