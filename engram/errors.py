"""Every error that Engram raises on purpose.

    EngramError
    ├── InvalidInputError          the caller's text, number, date or name is not usable
    ├── NotFoundError              no such memory in this space
    ├── ErasedError                a person asked for this to be forgotten for good
    ├── ConfigurationError         a setting is wrong or missing
    ├── ImportFileError            a file to import cannot be read as any known format
    ├── DatabaseError              Neo4j refused or failed a statement
    │   ├── DatabaseUnavailableError   nobody answers at the address
    │   ├── AuthenticationError        user or password refused
    │   ├── SchemaError                the database's schema is not this version's
    │   ├── IndexPopulatingError       an index is still being built
    │   └── EmbedderMismatchError      the database was built with another embedding model
    ├── BackupFileError            a file to restore is no backup of Engram, damaged, or of a newer version
    ├── ServerError                the managed Neo4j could not be installed, started, stopped or copied
    │   ├── InstallError
    │   ├── StartError
    │   └── BackupError
    ├── EmbeddingError             no vector could be made
    │   └── EmbedderMissingError       the model's files or the package are not there
    └── LanguageModelError         the language model did not give a usable answer
        ├── LanguageModelMissingError     no key, no package, no such model
        ├── LanguageModelRefusedError     401, 403: the key is wrong
        ├── LanguageModelTooLongError     413: more than the model reads at once
        ├── LanguageModelBusyError        429, 529: try later (`retry_after` in seconds, if told)
        ├── LanguageModelDownError        5xx, no connection, stalled
        ├── LanguageModelGarbledError     the answer breaks the protocol or was cut off
        └── BudgetError                   the day's dollars or calls are used up; nothing was asked

Each class's docstring is its default message. A message says what happened and what to do.
"""

import inspect
from typing import ClassVar


class EngramError(Exception):
    """Engram could not do this."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str | None = None, *, remedy: str | None = None) -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.remedy = remedy
        super().__init__(self.message if remedy is None else f"{self.message} {remedy}")


class InvalidInputError(EngramError, ValueError):
    """The input is not usable."""

    exit_code = 2


class NotFoundError(EngramError, LookupError):
    """There is no such memory in this space."""

    exit_code = 3


class ErasedError(EngramError):
    """This was erased at a person's wish and is not stored again."""

    exit_code = 3


class ConfigurationError(EngramError):
    """A setting is wrong. `engram config list` shows all of them."""

    exit_code = 2


class ImportFileError(EngramError):
    """The file is not a conversation in a format that Engram reads."""

    exit_code = 2


class DatabaseError(EngramError):
    """Neo4j could not carry out a statement. `engram doctor` looks for the cause."""

    exit_code = 4


class DatabaseUnavailableError(DatabaseError):
    """Neo4j does not answer. `engram server start` starts the managed one; `engram doctor` looks for the cause."""


class AuthenticationError(DatabaseError):
    """Neo4j refused the user or the password. Check ENGRAM_NEO4J_USER and ENGRAM_NEO4J_PASSWORD."""


class SchemaError(DatabaseError):
    """The database's schema does not fit this version of Engram."""


class IndexPopulatingError(DatabaseError):
    """An index is still being built."""


class EmbedderMismatchError(DatabaseError):
    """The database's vectors were made by another embedding model."""


class BackupFileError(EngramError):
    """The file is not a backup that Engram made, or it is damaged."""

    exit_code = 2


class ServerError(EngramError):
    """The managed Neo4j server failed. `engram server logs` shows why."""

    exit_code = 5


class InstallError(ServerError):
    """Neo4j could not be installed. `engram doctor` says what is missing."""


class StartError(ServerError):
    """Neo4j did not start. `engram server logs` shows why."""


class BackupError(ServerError):
    """The database could not be backed up or restored."""


class EmbeddingError(EngramError):
    """The text could not be turned into a vector. `engram doctor` checks the embedder."""

    exit_code = 6


class EmbedderMissingError(EmbeddingError):
    """The embedding model is not installed. `engram doctor` says where it was looked for."""


class LanguageModelError(EngramError):
    """The language model gave no usable answer."""

    exit_code = 7

    status: int | None = None
    """The HTTP status, where a server answered with one."""


class LanguageModelMissingError(LanguageModelError):
    """No language model is configured. Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY."""


class LanguageModelRefusedError(LanguageModelError):
    """The language model refused the key. Check it with its provider."""


class LanguageModelTooLongError(LanguageModelError):
    """The conversation is too long for the language model."""


class LanguageModelBusyError(LanguageModelError):
    """The language model is over its limit. Try again later."""

    def __init__(
        self, message: str | None = None, *, remedy: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after
        """Seconds to wait, if the provider said so."""


class LanguageModelDownError(LanguageModelError):
    """The language model cannot be reached."""


class LanguageModelGarbledError(LanguageModelError):
    """The language model's answer was cut off or not understandable."""


class BudgetError(LanguageModelError):
    """The day's budget for language models is used up. Set ENGRAM_DAILY_BUDGET higher, or wait until tomorrow."""
