"""Measurements: the rules core and the server, beside what they are compared to."""
