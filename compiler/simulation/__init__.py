"""Running a table: the definition, batches, native code, worlds in files."""
