"""The actors that send mail, and the client of the mail server."""
