"""`svc doctor`: what is wrong with an installation, in sentences."""
