"""Builds what a release consists of, beside wheel and sdist: the program with its interpreter, as one file or a `.deb`."""
