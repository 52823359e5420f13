"""Other ways in than the library's own: an MCP server, LangGraph's store, an async twin.

Each stands on `engram.memory.Engram` and adds no rule of its own about what is remembered. What a program stores
through one of them is marked as a program's: see `AGENT_TAG`.
"""

AGENT_TAG = "external_agent"
"""Source tag of what another program stored. A model may have worded it, so it is no evidence that it is true."""
