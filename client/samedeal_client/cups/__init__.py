"""Tournaments as players, hosts and watchers live them.

ledger    the newest sheet, from the first one and what has changed since
cup       a tournament that is followed: what is known of it, and what one can do in it
touring   playing a whole tournament: check in, pick, play each race that one is called to
plan      a TOML file and the command line's options as terms
telling   sentences about tournaments
tables    lists, registrations, cross tables and standings as lines
bracket   brackets as lines
stage     a whole tournament as a screen shows it
deeds     what players and hosts type, as acts
export    standings, matches and log as rows for other programs
"""

from __future__ import annotations
