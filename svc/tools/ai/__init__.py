"""`ai.*`: models, providers and what they are paid."""
