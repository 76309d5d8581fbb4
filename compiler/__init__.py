"""What tables become: simulators, tensors, programs, proofs, pictures. The way in is `import gridlang`."""

if __name__ != "gridlang.compiler":
    raise ImportError("this package is imported as gridlang.compiler")
