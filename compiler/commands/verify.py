"""`gridlang verify`: checks a certificate of `equiv` again, with code of its own."""

from __future__ import annotations

import click

from compiler.api import verify
from compiler.terminal.printing import checked_data, print_checked
from gridlang.terminal.console import emit
from gridlang.terminal.options import guarded, json_option


@click.command("verify")
@click.argument("certificate", metavar="CERT", type=click.Path())
@json_option
@guarded
def command(certificate: str, as_json: bool) -> None:
    """Check a certificate of `equiv` again, with code of its own.

    The tables are in the certificate, and the claim is about them; the digests tell which files they were
    made from. Exits with 1 if it does not show what it claims, and says where.

    \b
    gridlang equiv add10.grid learned.grid --certificate proof.json
    gridlang verify proof.json
    """
    checked = verify(certificate)
    if as_json:
        emit(checked_data(checked))
    else:
        print_checked(certificate, checked)
    if not checked.valid:
        raise click.exceptions.Exit(1)
