"""What is told to the user instead of a traceback."""


class ProfileError(Exception):
    """One mistake of the input or of the machine, and how to mend it."""

    def __init__(self, what, mend=""):
        super().__init__(what)
        self.what = what
        self.mend = mend

    def __str__(self):
        return f"error: {self.what}" + (f"\n  {self.mend}" if self.mend else "")
