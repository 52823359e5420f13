"""The statements: one Cypher statement per file, in folders by subject. Read them with `engram.statements`."""
