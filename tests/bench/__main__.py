"""Run benchmarks and put what they print into the README: `python -m tests.bench [--data FILE] [NAME ...]`.

Without names, all; each replaces its own section, of the README or of a page of its own, and leaves the others. Those
over conversations need FILE, in LoCoMo's form, which is not ours to ship; without it their sections stay as they are.
The embedder is compared with sentence-transformers where `.venv-torch` is there (`make test-torch` makes it).
"""

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TORCH = ROOT / ".venv-torch" / "bin" / "python"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A module of this package and its section."""

    title: str
    options: tuple[str, ...] = ()
    data: bool = False
    """Whether it needs conversations."""
    page: str = "README.md"
    """Where its section is."""


BENCHMARKS = {
    "retrieval": Benchmark("Retrieval", ("--ablation", "--learning", "--jobs", "--lived"), data=True),
    "peers": Benchmark("Retrieval, beside other engines", data=True),
    "latency": Benchmark("Latency of a recall, rate of writes", ("--picture",), data=True),
    "concurrency": Benchmark("Many at once", data=True),
    "lifecycle": Benchmark("The lifecycle", ("--picture",)),
    "scale": Benchmark("What grows how", page="docs/scale.md"),
    "why": Benchmark("Why, beside a bare path query"),
    "help": Benchmark("Starting the command"),
    "startup": Benchmark("Starting the managed server"),
    "demo": Benchmark("The demo, from nothing"),
    "embedding": Benchmark("Embedding"),
    "loop": Benchmark("The loop", data=True),
    "signals": Benchmark("The signal scan"),
    "mind": Benchmark("An idle mind beside recalls", page="docs/idle.md"),
}


def main() -> None:
    """Run the wanted benchmarks, or all that can be run, and rewrite their sections of the README."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="conversations to measure retrieval on")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    options = parser.parse_args()
    if unknown := set(options.names) - BENCHMARKS.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    for name in options.names or BENCHMARKS:
        benchmark = BENCHMARKS[name]
        if benchmark.data and options.data is None:
            print(f"## {benchmark.title}\n\nskipped: it needs --data\n", flush=True)
            continue
        printed = run(name, benchmark, options.data)
        print(f"## {benchmark.title}\n\n{printed}", flush=True)
        shown = " ".join(benchmark.options)
        command = (
            f"python -m tests.bench.{name}"
            + (" --data FILE" if benchmark.data else "")
            + (shown and f" {shown}")
        )
        section = f"**{benchmark.title}** (`{command}`)\n\n{printed.strip()}\n"
        page = ROOT / benchmark.page
        page.write_text(
            replaced(page.read_text(encoding="utf-8"), benchmark.title, section), encoding="utf-8"
        )


def run(name: str, benchmark: Benchmark, data: Path | None) -> str:
    """Return what one benchmark prints."""
    python = str(TORCH) if name == "embedding" and TORCH.exists() else sys.executable
    given = ["--data", str(data.resolve())] if benchmark.data and data else []
    done = subprocess.run(
        [python, "-m", f"tests.bench.{name}", *given, *benchmark.options],
        cwd=ROOT,
        env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def replaced(page: str, title: str, section: str) -> str:
    """Return a page with one section replaced, or added where its place is."""
    head, _, rest = page.partition(BEGIN)
    block, _, tail = rest.partition(END)
    sections = {
        each.partition("**")[0]: f"**{each.strip()}\n" for each in block.split("\n**") if "**" in each
    }
    sections[title] = section
    ordered = [sections[each.title] for each in BENCHMARKS.values() if each.title in sections]
    return f"{head}{BEGIN}\n\n" + "\n".join(ordered) + f"\n{END}{tail}"


if __name__ == "__main__":
    main()
