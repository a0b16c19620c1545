"""The tracker of page views."""
