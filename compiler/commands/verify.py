"""`gridlang verify`: checks a certificate of `equiv` again, with code of its own."""

from __future__ import annotations

import click

from compiler.api import verify
from compiler.terminal.printing import checked_data, print_checked
from gridlang.terminal.console import emit
from gridlang.terminal.options import defines, definitions_of, guarded, json_option


@click.command("verify")
@click.argument("certificate", metavar="CERT", type=click.Path())
@click.argument("left", required=False, type=click.Path())
@click.argument("right", required=False, type=click.Path())
@defines
@json_option
@guarded
def command(
    certificate: str, left: str | None, right: str | None, definitions: tuple[str, ...], as_json: bool
) -> None:
    """Check a certificate of `equiv` again, with code of its own.

    The tables are in the certificate, and the claim is about them; which files they come from is only said in
    it. With LEFT and RIGHT their tables are made anew, and must be those. A model must be the one that the
    table was extracted from; it is not extracted again. Exits with 1 if the certificate does not show what it
    claims, or is about other tables, and says where.

    \b
    gridlang equiv add10.grid learned.grid --certificate proof.json
    gridlang verify proof.json
    gridlang verify proof.json add10.grid learned.grid
    """
    if left is not None and right is None:
        raise click.UsageError("give both files, LEFT and RIGHT, or none")
    given = definitions_of(definitions)
    if given and left is None:
        raise click.UsageError("-D is for the files LEFT and RIGHT, which are not given")
    checked = verify(certificate, left, right, given)
    files = None if left is None or right is None else {"left": left, "right": right}
    if as_json:
        emit({**checked_data(checked), "files": files})
    else:
        print_checked(certificate, checked, files)
    if not checked.valid:
        raise click.exceptions.Exit(1)
