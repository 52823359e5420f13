"""What Engram does, for whoever runs it: logs, spans and metrics. All of it is off until a setting asks for it.

operation.py    something that takes time, and whoever watches it; the one thing that the library calls
logs.py         lines on standard error, as text or JSON
spans.py        OpenTelemetry spans (extra `telemetry`)
exporter.py     sending them to a collector, which may be away
metrics.py      Prometheus metrics on the loopback address (extra `telemetry`)
setup.py        from settings to watchers

Names, counts, times and types of errors are told: never what was remembered, asked or answered.
"""
