"""Other projects' suites, run as they come in their wheels, with zerocast for the array library: python -m suites NAME..."""
