"""The AI gateway's ledger, calls, budgets, providers and restrictions."""
