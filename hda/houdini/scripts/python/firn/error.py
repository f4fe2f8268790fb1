"""What went wrong, in one line: what, where, what to do."""


class FirnError(Exception):
    """A user's mistake or a broken installation. Its text is one line."""
