"""Learns tables from traces. The only package that may need torch. Use it through `import gridlang`."""

if __name__ != "gridlang.learners":
    raise ImportError("this package is imported as gridlang.learners")
