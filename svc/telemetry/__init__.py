"""Traces by OpenTelemetry: spans are recorded where work is done, and exported by a thread of their own."""
