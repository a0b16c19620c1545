"""The rules of workflows: documents, what they may say, and how their runs move."""
