"""The smallest machine that does what traces show, found by colouring their prefix tree."""
