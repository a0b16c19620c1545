"""The doors: read a request, name the caller, send one message, write the answer."""
