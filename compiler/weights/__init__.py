"""Weights: from what a model was seen to do to a program that a person would have written."""
