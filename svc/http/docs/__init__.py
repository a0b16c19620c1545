"""The service's own documentation: front page, guides, search, reference, and pages for problems.

Everything is rendered at its first request, so that a service whose pages are not read does not pay for them.
"""
