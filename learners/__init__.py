"""Learns tables from traces. The only package that may need torch. Use it through `import gridlang`."""
