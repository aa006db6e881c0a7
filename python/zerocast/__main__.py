"""python -m zerocast script.py: a program with zerocast.numpy in the place of NumPy."""

from ._run import main

if __name__ == "__main__":
    main()
