"""Writes of records, one or many in a unit: each checked in order, all stored together."""
