"""The one door to C: libraries are built once, and called as their sources declare them."""
