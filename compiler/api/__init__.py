"""What `import gridlang` offers of the compiler."""
