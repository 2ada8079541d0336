"""Looks at one catalogue with the eyes of those who will have to take it: model providers, hosts.

What is said of a provider is what its documentation or its own error messages say; every
rule names the page. A tool that one of them refuses may be sound for all others.
"""

from toolsync.lint.names import name_remarks
from toolsync.lint.profiles import PROFILES, REFUSALS, Profile, Refusal
from toolsync.lint.refusals import refusals_of_catalog, refusals_of_tool
from toolsync.lint.remark import Remark

__all__ = [
    "PROFILES",
    "REFUSALS",
    "Profile",
    "Refusal",
    "Remark",
    "name_remarks",
    "refusals_of_catalog",
    "refusals_of_tool",
]
