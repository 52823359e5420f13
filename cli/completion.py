"""`engram completion`: the script that makes a shell complete commands and options."""

import click
from click.shell_completion import get_completion_class

from .state import State


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the shell's completion script, e.g. for `eval "$(engram completion bash)"`."""
    kind = get_completion_class(shell)
    if kind is None:  # every choice above has one
        raise click.UsageError(f"{shell} cannot complete.")
    script = kind(ctx.find_root().command, {}, "engram", "_ENGRAM_COMPLETE")
    ctx.ensure_object(State).out(script.source())
