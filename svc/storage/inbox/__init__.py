"""Inboxes: what a team does around its conversations, of which their bridges know nothing."""
