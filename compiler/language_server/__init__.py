"""The language server: what an editor asks about `.grid` files while they are typed."""
