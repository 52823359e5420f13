"""What a full month came to, as a table and a picture in the documentation."""

from pathlib import Path

from tests.month import checks
from tests.month.picture import picture
from tests.month.simulation import Month

ROOT = Path(__file__).parents[2]
PAGE, PICTURE = ROOT / "docs" / "mind.md", ROOT / "docs" / "month.svg"


def table(month: Month) -> str:
    """Return the figures of a month as a table."""
    last = month.samples[-1].row
    versions = last["versions"]
    found, left = checks.found_again(month)
    entropies = [each for sample in month.samples if (each := checks.surfaced_entropy(sample)) is not None]
    costs = [sample.cost for sample in month.samples]
    first = checks.first_reached(month)
    refused = sum(each["state"] == "refused" for each in versions)
    rows = {
        "memories, edges": f"{last['memories']:,}, {last['edges']:,}",
        "highest energy, weight, edge": f"{last['energy']:.1f}, {last['weight']:.2f}, {last['edge'] or 0:.1f}",
        "thoughts, least entropy of 20 topics": f"{len(last['thoughts'])}, {min(entropies, default=1.0):.2f}",
        "feelings, largest": f"{last['feelings']}, {last['magnitude'] or 0:.2f}",
        "versions of the working memory, refused": f"{len(versions)}, {refused}",
        "memories that have left it, found again by its pointers": f"{left}, {found}",
        "cost, the dearest day": f"{sum(costs):.4f}, {max(costs):.4f} dollars",
        "readiness, by day": ", ".join(f"{number}: {day + 1}" for number, day in sorted(first.items())),
    }
    return "\n".join(
        ["| what | figure |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )


def write(name: str, month: Month) -> None:
    """Put the figures into the page; the month with a model is drawn."""
    begin, end = f"<!-- month-{name}:begin -->", f"<!-- month-{name}:end -->"
    print(f"\n{name}\n{table(month)}")
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(begin)
    PAGE.write_text(f"{head}{begin}\n\n{table(month)}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")
    if name == "model":
        PICTURE.write_text(picture(month.samples), encoding="utf-8")
