"""The graph to look at: in Neo4j Browser, and as pictures for those who have none.

queries.py     the saved queries, one a question, and as favourites for Browser
style.py       Browser's style sheet `style.grass`, the one palette
guide.py       Browser's guide `guide.html`, a page a question
address.py     where Browser is, with the connection filled in
serving.py     the guide and the style sheet over HTTP, on the loopback address, for Browser to fetch
picture.py     what a query returned as nodes and edges, without their vectors
rendering.py   such a picture as a page, in Graphviz's language, and as SVG
"""
