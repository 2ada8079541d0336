"""Schemas made plain: one dialect, references followed, silence filled in as a reading says."""
