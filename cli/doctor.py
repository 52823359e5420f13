"""`engram doctor`: every problem at once, each with its remedy."""

import click

from engram.doctor import Report, examine

from .state import State

_MARKS = {"ok": "ok  ", "note": "note", "problem": "FAIL"}


@click.command()
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check everything and say how to mend what is wrong; exits 1 if something is.

    Nothing is started and nothing in the database is changed. With --json: {"version": 1, "ok": BOOLEAN, "findings":
    [{"name": TEXT, "state": "ok", "note" or "problem", "detail": TEXT, "remedy": TEXT or null}, …]}; `ok` is false
    where a state is `problem`.
    """
    state = ctx.ensure_object(State)
    findings = []
    for finding in examine(state.settings):
        findings.append(finding)
        if not state.json:
            state.out(f"{_MARKS[finding.state]}  {finding.name:<15} {finding.detail}")
            if finding.remedy:
                state.out(f"      {'':<15} {finding.remedy}")
    report = Report.of(findings)
    if state.json:
        state.print_json(report)
    if not report.ok:
        problems = sum(finding.state == "problem" for finding in findings)
        state.say(f"{problems} problem{'s' if problems > 1 else ''}.")
        ctx.exit(1)
