"""Storage of mails that wait to be sent, of what people want to be told, and of links that are mailed."""
