"""hou's error classes (sidefx.com/docs/houdini/hom/hou/Error.html)."""

from __future__ import annotations


class Error(Exception):
    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self._message = message

    def exceptionTypeName(self) -> str:
        return type(self).__name__

    def description(self) -> str:
        return self.__doc__ or ""

    def instanceMessage(self) -> str:
        return self._message


class OperationFailed(Error):
    """The attempted operation failed."""


class ObjectWasDeleted(Error):
    """Attempt to access an object that no longer exists in Houdini."""


class InvalidInput(Error):
    """Invalid input."""


class InvalidNodeType(Error):
    """Invalid node type."""


class PermissionError(Error):  # noqa: A001 (hou's own name)
    """Failed to modify node or parameter because of a permission error."""


class NodeError(Error):
    """A node had errors while it cooked."""


class LoadWarning(Error):
    """A file was loaded with warnings."""


class NameConflict(Error):
    """A name is taken."""


class LicenseError(Error):
    """There is no licence for that."""
