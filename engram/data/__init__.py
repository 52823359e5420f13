"""Files that travel with the package: the demo conversation."""
