"""What tables become: simulators, tensors, programs, proofs, pictures. The way in is `import gridlang`."""
