"""Compares the onnx embedder with sentence-transformers in one run: `python tests/bench/embedding.py`.

Each side runs in a process of its own, so that neither's memory is counted as the other's. Rounds are
interleaved: onnx, torch, onnx, torch, ...; the best round of each is printed, with the worst beside it.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROUNDS = 5
SINGLES = 40
SENTENCES = [
    f"{who} {did} {what} {when}."
    for who in ("Maya", "My brother", "The neighbour", "Our landlord")
    for did in ("moved to", "no longer likes", "is learning about", "often speaks of")
    for what in ("the old harbour", "black coffee")
    for when in ("since last spring, as far as I remember",)
]
BACKENDS = ("onnx", "sentence-transformers")


def serve(backend: str) -> None:
    """Load one embedder, then measure one round for each line on stdin."""
    import psutil

    from engram.config import Settings
    from engram.embedding import open_embedder

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        # Converted beforehand, as on every start but the first.
        open_embedder(Settings.load(cache_dir=Path(folder), embedder=backend)).embedder.embed(["warm"])
        started = time.perf_counter()
        embedder = open_embedder(Settings.load(cache_dir=Path(folder), embedder=backend)).embedder
        embedder.embed(["load"])
        load = time.perf_counter() - started
        for _ in sys.stdin:
            started = time.perf_counter()
            for position in range(SINGLES):
                embedder.embed([SENTENCES[position % 32]])
            single = (time.perf_counter() - started) / SINGLES
            started = time.perf_counter()
            embedder.embed(SENTENCES)
            batch = (time.perf_counter() - started) / 32
            rss = psutil.Process().memory_info().rss / 2**20
            print(
                json.dumps({"single": single * 1e3, "batch": batch * 1e3, "rss": rss, "load": load}),
                flush=True,
            )


def memory(backend: str) -> None:
    """Load one embedder that was converted before, embed, and print the resident memory in MB."""
    import psutil

    from engram.config import Settings
    from engram.embedding import open_embedder

    warnings.simplefilter("ignore")
    started = time.perf_counter()
    embedder = open_embedder(Settings.load(cache_dir=Path(sys.argv[3]), embedder=backend)).embedder
    embedder.embed(["load"])
    load = time.perf_counter() - started
    embedder.embed(SENTENCES)
    short = psutil.Process().memory_info().rss / 2**20
    embedder.embed([" ".join(SENTENCES)] * 32)
    print(json.dumps({"load": load, "rss": short, "long": psutil.Process().memory_info().rss / 2**20}))


def main() -> None:
    """Run both sides and print a markdown table."""
    backends = [b for b in BACKENDS if b == "onnx" or importlib.util.find_spec("sentence_transformers")]
    with tempfile.TemporaryDirectory() as folder:
        sizes = {}
        for backend in backends:
            command = [sys.executable, __file__, "memory", backend, folder]
            for _ in range(2):  # the first run converts the model
                sizes[backend] = json.loads(
                    subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
                )
    servers = {
        backend: subprocess.Popen(
            [sys.executable, __file__, "serve", backend],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for backend in backends
    }
    rounds: dict[str, list[dict[str, float]]] = {backend: [] for backend in backends}
    for _ in range(ROUNDS + 1):
        for backend, server in servers.items():
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write("go\n")
            server.stdin.flush()
            rounds[backend].append(json.loads(server.stdout.readline()))
    for server in servers.values():
        server.communicate()
    print(f"MiniLM, sentences of about 15 tokens, best of {ROUNDS} interleaved rounds (worst in brackets)\n")
    print("| | " + " | ".join(backends) + (" | ratio |" if len(backends) == 2 else " |"))
    print("|---|" + "---:|" * (len(backends) + (len(backends) == 2)))
    for label, name in (("one sentence, ms", "single"), ("batch of 32, ms per sentence", "batch")):
        taken = {b: sorted(r[name] for r in rounds[b][1:]) for b in backends}
        row(label, {b: taken[b][0] for b in backends}, {b: f" ({taken[b][-1]:.2f})" for b in backends})
    for label, name in (
        ("RSS after 32 sentences, MB", "rss"),
        ("RSS after 32 texts of 256 tokens, MB", "long"),
        ("start to first vector, s", "load"),
    ):
        row(label, {b: sizes[b][name] for b in backends}, dict.fromkeys(backends, ""))
    if len(backends) == 1:
        print("\nsentence-transformers is not installed, so its side is left out.")


def row(label: str, figures: dict[str, float], notes: dict[str, str]) -> None:
    """Print one line of the table, with how many times more the second side needs."""
    cells = [f"{figure:.2f}{notes[backend]}" for backend, figure in figures.items()]
    if len(figures) == 2:
        first, second = figures.values()
        cells.append(f"{second / first:.1f}")
    print(f"| {label} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        {"serve": serve, "memory": memory}[sys.argv[1]](sys.argv[2])
    else:
        main()
