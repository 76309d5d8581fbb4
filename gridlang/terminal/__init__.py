"""What commands have in common: options, diagnostics on a terminal, notes, progress."""
