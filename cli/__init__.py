"""The `engram` command: words to and from a person."""
