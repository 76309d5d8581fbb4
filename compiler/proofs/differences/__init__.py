"""Worlds and inputs that show a difference: searched for, and made as small as can be."""
