"""How long the signal scan takes over 32 KB, plain and hostile: `python -m tests.bench.signals`."""

import statistics
import time
from pathlib import Path

from engram.loop.signals import scan

SIZE = 32 * 1024
ROUNDS = 25
ROOT = Path(__file__).parents[2]


def texts() -> dict[str, str]:
    """Return what is scanned, by what it is."""
    pages = [(ROOT / "README.md"), *sorted((ROOT / "docs").glob("*.md"))]
    plain = " ".join(page.read_text(encoding="utf-8") for page in pages)
    repeated = {
        "`i` again and again": "i ",
        "`remember` again and again": "remember ",
        "no space at all": "a",
    }
    return {
        "the documentation": (plain * (SIZE // len(plain) + 1))[:SIZE],
        "`i` and a number, each another": " ".join(f"i {n}" for n in range(SIZE // 6))[:SIZE],
        **{name: (word * SIZE)[:SIZE] for name, word in repeated.items()},
    }


def main() -> None:
    """Print a markdown table."""
    print("| 32 KB of | median, ms | worst, ms |")
    print("|---|---:|---:|")
    for name, text in texts().items():
        taken = []
        for _ in range(ROUNDS + 1):
            began = time.perf_counter()
            scan(text)
            taken.append((time.perf_counter() - began) * 1_000)
        print(f"| {name} | {statistics.median(taken[1:]):.1f} | {max(taken[1:]):.1f} |")


if __name__ == "__main__":
    main()
