"""`python -m termburst` does what `termburst` does."""

from termburst.cli import main

if __name__ == "__main__":  # not when the doctest collector imports it
    main()
