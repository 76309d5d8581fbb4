"""The commands of the compiler; each module defines one as `command`."""
