"""The parts of the compiled core, each compiled into the modules that use it."""
