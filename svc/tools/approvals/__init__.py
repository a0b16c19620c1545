"""Tools of approvals: look at cards, approve and reject them."""
