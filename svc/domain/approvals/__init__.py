"""The rules of approvals: what a card is, and how it ends."""
