"""Moving a space: the whole of its graph out to a file, and back from one.

A file is JSON lines: a header, the nodes, the relationships, and a trailer with counts and a checksum. `exporting` writes
it, `graphml` and `script` turn it into what other programs read; `reading` checks it, and `restoring` writes what it holds
into a space.
"""
