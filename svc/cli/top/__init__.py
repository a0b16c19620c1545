"""`svc top`: what a running service does, in a terminal.

Textual draws and runs on asyncio, so all that is said to the service is said by Trio in a thread of its own.
Nothing of a service imports this.
"""
