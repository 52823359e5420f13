"""Settings: the one place that reads the environment and the settings file.

Order, strongest first: arguments, `ENGRAM_*` variables, the settings file, defaults.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from engram.errors import ConfigurationError
from engram.prices import PriceTable

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def settings_file() -> Path:
    """Return the path of the settings file, `ENGRAM_CONFIG_FILE` or the platform's usual place."""
    named = os.environ.get("ENGRAM_CONFIG_FILE")
    return Path(named) if named else platformdirs.user_config_path("engram") / "config.toml"


def child_environment(**extra: str) -> dict[str, str]:
    """Return the environment for a program that Engram starts: ours, plus `extra`, less our secrets."""
    secrets = {
        "ENGRAM_NEO4J_PASSWORD",
        "ENGRAM_GEMINI_API_KEY",
        "ENGRAM_ANTHROPIC_API_KEY",
        "ENGRAM_MCP_TOKEN",
    }
    secrets |= {"GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"}
    secrets |= {"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}
    return {name: value for name, value in os.environ.items() if name not in secrets} | extra


@dataclass(frozen=True, slots=True)
class Collector:
    """Where spans go by OpenTelemetry's standard variables, which the SDK reads for itself."""

    address: str
    """Scheme, host and port, and nothing that may be secret."""
    variable: str
    """What says so, or would."""
    has_timeout: bool
    """Whether it is said how long to wait for it."""


def collector() -> Collector:
    """Return where spans go.

    Raises:
        ConfigurationError: That is no address.
    """
    known = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    variable = next(filter(os.environ.get, known), known[-1])
    try:
        parts = urlsplit(os.environ.get(variable) or "http://localhost:4318")
    except ValueError as error:
        raise ConfigurationError(f"{variable} is not usable: {error}.") from error
    limits = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
    return Collector(
        address=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        variable=variable,
        has_timeout=any(map(os.environ.get, limits)),
    )


class Settings(BaseSettings):
    """Everything that a person can set; each field is also the variable `ENGRAM_<FIELD>`."""

    model_config = SettingsConfigDict(
        env_prefix="ENGRAM_", frozen=True, extra="forbid", env_ignore_empty=True, validate_default=True
    )

    space: str = Field("default", description="Whose memory: one user, agent or tenant.")
    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("engram"),
        description="The managed server's database, logs and password.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("engram"),
        description="Neo4j's jars, converted models and cached embeddings; safe to delete.",
    )

    neo4j_uri: str | None = Field(
        None, description="A server of your own: bolt://, neo4j://, +s or +ssc. Unset: the managed one."
    )
    neo4j_user: str = Field("neo4j", description="User at `neo4j_uri`.")
    neo4j_password: SecretStr | None = Field(None, description="Password at `neo4j_uri`.")
    neo4j_database: str = Field("neo4j", description="Database name.")
    neo4j_ca_file: Path | None = Field(
        None,
        description="Certificates (PEM) to check the server's against; encrypts bolt:// and neo4j:// too.",
    )

    server_backend: Literal["auto", "docker", "maven"] = Field(
        "auto", description="How to get a managed server: auto tries Docker, then Maven artifacts."
    )
    server_heap: str = Field("512m", pattern=r"^\d+[kmgKMG]$", description="Java heap of the managed server.")
    server_page_cache: str = Field(
        "256m", pattern=r"^\d+[kmgKMG]$", description="Page cache of the managed server."
    )
    server_start_timeout: float = Field(120.0, gt=0, description="Seconds to wait for the managed server.")
    bolt_port: int = Field(7687, ge=1, le=65535, description="Bolt port, or the first to try.")
    http_port: int = Field(7474, ge=1, le=65535, description="Browser port, or the first to try.")
    server_certificate: Path | None = Field(
        None,
        description="Certificate (PEM) of the managed server, for localhost; its bolt port is then TLS only.",
    )
    server_key: Path | None = Field(None, description="Private key (PEM) of `server_certificate`.")
    java_home: Path | None = Field(None, description="A JDK 21 or newer; unset: the best one found.")

    embedder: Literal["onnx", "sentence-transformers", "gemini"] = Field(
        "onnx", description="What turns text into vectors."
    )
    embed_model: str | None = Field(
        None, description=f"Model folder, installed wheel or hub id; unset: {MINILM} or the provider's own."
    )
    embed_dimensions: int | None = Field(
        None, ge=1, le=4096, description="Vector length, where the model lets you choose (Gemini: 768)."
    )
    embed_threads: int = Field(0, ge=0, description="Threads of the onnx embedder; 0: as many as cores.")

    llm: Literal["auto", "gemini", "anthropic", "none"] = Field(
        "auto", description="Who talks in `engram chat`; auto: whichever has a key."
    )
    system2: Literal["auto", "gemini", "anthropic", "none"] = Field(
        "auto",
        description="Who is asked when the first model is not sure; auto: Anthropic where it has a key.",
    )
    system2_model: str | None = Field(
        None, description="Model of `system2`; unset: that provider's model for chat."
    )
    gemini_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices(
            "ENGRAM_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "gemini_api_key"
        ),
        description="Key for Gemini; GEMINI_API_KEY and GOOGLE_API_KEY work too.",
    )
    gemini_model: str = Field("gemini-3.8-flash", description="Gemini model for chat.")
    gemini_base_url: str | None = Field(None, description="Address of a Gemini-compatible server.")
    anthropic_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("ENGRAM_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", "anthropic_api_key"),
        description="Key for Anthropic; ANTHROPIC_API_KEY works too.",
    )
    anthropic_model: str = Field("claude-sonnet-5-5", description="Anthropic model for chat.")
    anthropic_base_url: str | None = Field(None, description="Address of an Anthropic-compatible server.")
    llm_timeout: float = Field(
        60.0, gt=0, description="Seconds without a word before a model call is given up."
    )
    llm_retries: int = Field(2, ge=0, le=10, description="Further tries after a busy or failed model call.")
    llm_max_tokens: int = Field(4096, ge=1, description="Longest reply, in tokens; thinking counts.")
    context_tokens: int = Field(
        16_000, ge=4_000, description="Tokens that a prompt may have, the reply included."
    )
    prices: Annotated[PriceTable, NoDecode] = Field(
        default_factory=dict,
        description="Dollars per million tokens by model, over the built-in ones; as a variable, JSON.",
    )
    daily_budget: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="Dollars a day (UTC) for models: from 80 % on nothing in the background, from 100 % it asks.",
    )
    daily_calls: int | None = Field(
        None, ge=0, description="Model calls a day (UTC), in the same way; for models without a price."
    )

    mcp_token: SecretStr | None = Field(
        None,
        description="Bearer token of `engram mcp --http`, 16 characters or more; unset: a new one each time.",
    )

    reranker: str | None = Field(
        None,
        description="FlashRank model that reorders the best hits, e.g. ms-marco-MiniLM-L-12-v2; unset: none.",
    )
    rerank_ms: int = Field(150, ge=1, le=60_000, description="Milliseconds a recall waits for the reranker.")
    max_content_bytes: int = Field(32_768, ge=1, description="Longest memory, in bytes of UTF-8.")
    batch_size: int = Field(200, ge=1, le=10_000, description="Memories written in one transaction.")

    log_level: Literal["off", "debug", "info", "warning", "error"] = Field(
        "off", description="What is logged on standard error; debug: every statement. Never what was said."
    )
    log_format: Literal["text", "json"] = Field("text", description="As lines of text or of JSON.")
    tracing: bool = Field(
        default=False,
        description="Make OpenTelemetry spans; OTEL_EXPORTER_OTLP_ENDPOINT says where they go.",
    )
    metrics_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="Port on this machine for Prometheus metrics of chat, jobs and mcp; unset: none.",
    )

    @field_validator("gemini_api_key", "anthropic_api_key", mode="before")
    @classmethod
    def _one_word(cls, value: object) -> object:
        """Take a key without what a file or a clipboard puts around it; no header can hold a line break."""
        return value.strip() if isinstance(value, str) else value

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Read the settings.

        Raises:
            ConfigurationError: A value is of the wrong kind; the message names each one, and where it comes from.
        """
        try:
            return cls(**overrides)
        except ValidationError as error:
            raise _unusable(error, overrides) from None
        except ValueError as error:
            raise ConfigurationError(
                f"The settings file {settings_file()} cannot be read: {error}."
            ) from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  (pydantic's signature)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the settings file below the environment."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, settings_file())

    def origin(self, name: str, environ: Mapping[str, str] | None = None) -> str:
        """Say where the value of `name` came from: `environment`, `file` or `default`."""
        if _variable_set(name, os.environ if environ is None else environ):
            return "environment"
        return "file" if name in self.model_fields_set else "default"


def variables(name: str) -> list[str]:
    """Return the environment variables that set the field `name`, strongest first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices if str(choice).isupper()]
    return [f"ENGRAM_{name.upper()}"]


def _variable_set(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the environment variable that the field `name` has its value from."""
    return next((variable for variable in variables(name) if environ.get(variable)), None)


def _unusable(error: ValidationError, given: Collection[str]) -> ConfigurationError:
    """Return what to say of wrong settings: where each has its value from, what is allowed, and how to be rid of it.

    Args:
        error: What is wrong with them.
        given: The names of those that are arguments.
    """
    problems, remedies = [], []
    for problem in error.errors(include_input=False, include_url=False):
        name = str(problem["loc"][0]) if problem["loc"] else "settings"
        variable = _variable_set(name, os.environ) if name in Settings.model_fields else None
        if name in given:
            where = ""
        elif variable:
            where = f" (from the variable {variable})"
            remedies.append(f"`unset {variable}`")
        else:
            where = f" (in {settings_file()})"
            remedies.append(f"`engram config unset {name}`")
        unknown = problem["type"] == "extra_forbidden"
        reason = "there is no such setting" if unknown else problem["msg"].removeprefix("Value error, ")
        problems.append(f"{'.'.join(map(str, problem['loc'])) or name}{where}: {reason}")
    return ConfigurationError(
        f"These settings are not usable: {'; '.join(problems)}.",
        remedy=f"Correct that, or take it out: {', '.join(dict.fromkeys(remedies))}." if remedies else None,
    )
