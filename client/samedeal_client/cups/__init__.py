"""Tournaments as players, hosts and watchers live them.

ledger    the newest sheet, from the first one and what has changed since
cup       a tournament that is followed: what is known of it, and what one can do in it
followed  those that a hall follows, over outages
touring   playing a whole tournament: check in, pick, play each race that one is called to
plan      a TOML document as terms; `templates` to begin with, `places` where a fault is in it
deeds     what players and hosts type, as acts; `looking` what they look at; `console` both
telling   sentences about tournaments
tables    lists, registrations, cross tables and standings as lines
bracket   brackets as lines; `scoreboards` what stands there in other formats, `matches` each match
stage     a whole tournament as a screen shows it
logbook   its log as people read it; `audit` checks one that is over
"""

from __future__ import annotations
