"""What learns tables from traces. The only package that may need torch. The way in is `import gridlang`."""
