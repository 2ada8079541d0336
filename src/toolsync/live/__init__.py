"""Keeps running sessions current: plugins or servers in, exactly the changes that matter out."""
