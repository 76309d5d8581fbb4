"""The language server: answers editors about `.grid` files while they are typed."""
