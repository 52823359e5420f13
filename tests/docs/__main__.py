"""Write the generated pages of the documentation: `python -m tests.docs`, or `make docs`.

The pages stand in the repository, so that they can be read there; `tests/unit/test_docs.py` holds them to the code.
"""

from tests.docs.pages import DOCS, generated


def main() -> None:
    """Write every page, and say which ones have changed."""
    for name, text in generated().items():
        file = DOCS / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
