"""The commands of this package; `gridlang` finds them by name."""
