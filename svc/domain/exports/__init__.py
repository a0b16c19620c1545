"""Exports: files of records, submissions or the audit trail, made by a job."""
