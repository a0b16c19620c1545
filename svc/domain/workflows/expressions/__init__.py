"""Expressions of documents: paths into what a run sees, with their types, and templates and conditions."""
