"""What is proven of one agent, or of a model by its expert: the answer of `prove`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gridlang.compiler.api.comparison import Compared
from gridlang.compiler.given import Path
from gridlang.compiler.proofs.results.claims import PROVEN, Claim
from gridlang.compiler.terminal.printing import claim_words, verdict_data
from gridlang.program import Program

SNAPPED = "snapped model"
UNTAUGHT = "they were not taught to be stuck, as the output clause asks: `gridlang learn --strict` does"


@dataclass(frozen=True, slots=True)
class Correctness:
    """The claims about one agent on every declared input: never stuck, its `output` clause, halting.

    True if all are proven. Each of the `claims` is proven, refuted, tested or unknown. Of a `model`, the
    first is that it does what the `program` does, its expert, and the others are about that; the `subject`
    is `snapped model` where the first holds with snapped inference.

    >>> import gridlang as gl
    >>> gl.prove("examples/increment.grid")
    Correctness(increment: never stuck proven, output a + 1 proven, halts proven)
    """

    program: Program
    claims: tuple[Claim, ...]
    model: str = ""  # its file
    subject: str = "table"
    untaught: bool = False  # The model was not taught to be stuck where the clause asks for it.
    both: Compared | None = None  # the comparison of a model with its expert
    certificate: Path | None = None  # where all that is proven was written

    def __bool__(self) -> bool:
        return all(claim.answer == "proven" for claim in self.claims)

    def lines(self) -> Iterator[str]:
        """Each claim in a line; of a model also the proof about its weights, and what it leaves open."""
        claims = self.claims[1:] if self.both else self.claims
        yield from self._model_lines()
        if claims:
            indent = "  " if self.both else ""
            width = max(len(claim.says) for claim in claims)
            yield f"{indent}{self.program.name} from {self.program.file}"
            yield from (f"{indent}  {each.says:<{width}}  {claim_words(each, claims)}" for each in claims)
        yield from self.both.of_float_weights() if self.both else ()

    def as_json(self) -> dict[str, Any]:
        both, program = self.both, self.program
        return {
            "file": self.model or program.file,
            "name": program.name,
            "proven": bool(self),
            "subject": self.subject,
            "expert": program.file if self.model else None,
            "claims": [claim.as_json() for claim in self.claims],
            "certificate": self.certificate,
            **({"verdict": verdict_data(both.verdict, both.left.program)} if both else {}),
        }

    def _model_lines(self) -> Iterator[str]:
        """The proof about the weights of a model and its subject, or how they differ from their expert."""
        if (both := self.both) is None:
            return
        if not both.verdict.equivalent:
            yield from both.lines()
            return
        yield self.weights_line()
        yield f"  {both.right.called(both.verdict.subject)} {self.claims[0].says}, step by step"

    def weights_line(self) -> str:
        """The proof about weights in a line; their `claims` have the details."""
        program, (follows, *alone) = self.program, self.claims
        name, clause = program.name, program.table.output
        snapped = self.subject == SNAPPED
        these = "with snapped inference these weights" if snapped else "these weights"
        if self and any(claim.verdict is not None and claim.verdict.accepts for claim in alone):
            return f"proven: {these} end on every input as `{clause}` says"
        if self:
            return f"proven: {these} halt{f' and leave {clause}' if clause else ''} on every input"
        if self.untaught:
            return f"proven in part: {these} do what {name} does up to where it is stuck; {UNTAUGHT}"
        missing = ", ".join(claim.says for claim in alone if claim.answer != PROVEN)
        also = f"; not proven of {name}: {missing}" if missing else ""
        if follows.answer == PROVEN:
            return f"proven in part: {these} do what {name} does on every input{also}"
        if follows.verdict is None or not follows.verdict.equivalent:
            return f"not proven of these weights: {follows.says}{also}"
        extracted = f"only the table extracted from them {follows.says} on every input"
        return f"not proven of these weights: {extracted}{also}"

    def __repr__(self) -> str:
        claims = ", ".join(f"{claim.says} {claim.answer}" for claim in self.claims)
        return f"Correctness({self.model or self.program.name}: {claims})"
