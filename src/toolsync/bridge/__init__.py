"""Adapters to the SDKs that hosts, clients and agents are built on, one module each."""
