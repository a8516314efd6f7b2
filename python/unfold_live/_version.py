"""The version of the package, and of the program that it was built with."""

__version__ = "0.1.0"
