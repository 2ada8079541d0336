"""Findings → what people and programs read: text, pages, and the formats of other platforms.

Every renderer takes the plain report of `Changes.to_dict()` (`shape.Report`), so a
report that was stored can be rendered later, and none of them judges anything.
"""
