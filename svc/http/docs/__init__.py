"""The service's own documentation: the front door, the guides, their search, and pages for what goes wrong.

Everything is made when it is first asked for: a service whose pages nobody reads pays for none of them.
"""
