"""Cubed computes its blocks by the array library that a variable of the environment names; nothing is to be put in place."""
