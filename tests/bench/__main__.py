"""Run every benchmark and rewrite the README's table from what they print: `python -m tests.bench [NAME ...]`.

The embedder is compared with sentence-transformers where `.venv-torch` is there (`make test-torch` makes it).
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TORCH = ROOT / ".venv-torch" / "bin" / "python"
BENCHMARKS = {
    "help": "Starting the command",
    "startup": "Starting the managed server",
    "demo": "The demo, from nothing",
    "embedding": "Embedding",
}
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def main(wanted: list[str]) -> None:
    """Run the wanted benchmarks, or all; only a run of all rewrites the README."""
    sections = []
    for name in wanted or BENCHMARKS:
        python = str(TORCH) if name == "embedding" and TORCH.exists() else sys.executable
        done = subprocess.run(
            [python, "-m", f"tests.bench.{name}"],
            cwd=ROOT,
            env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        print(f"## {BENCHMARKS[name]}\n\n{done.stdout}", flush=True)
        sections.append(f"**{BENCHMARKS[name]}** (`python -m tests.bench.{name}`)\n\n{done.stdout.strip()}\n")
    if not wanted:
        readme = ROOT / "README.md"
        text = readme.read_text(encoding="utf-8")
        head, _, rest = text.partition(BEGIN)
        tail = rest.partition(END)[2]
        table = "\n".join(sections)
        readme.write_text(f"{head}{BEGIN}\n\n{table}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
