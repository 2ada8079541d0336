"""Patterns as languages: ECMA-262 read into automata, and what becomes of those."""
