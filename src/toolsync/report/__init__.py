"""Findings → text for people and JSON for programs.

Every renderer takes the plain report of `Changes.to_dict()` (`shape.Report`), so a
report that was stored can be rendered later, and none of them judges anything.
"""
