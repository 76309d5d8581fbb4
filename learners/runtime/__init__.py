"""The machine underneath: cores, GPUs, processes and interrupts."""
