"""Tools that stand in files: watched, read anew when they change, called by a command."""
