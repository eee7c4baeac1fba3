"""The verifier: nine claims about a bundle, each passed, failed or sealed, in the order in which
they build on one another. It needs a bundle and public keys, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from domain.proof.subjects import Kind
from projections.audience.disclosure import name_audience
from projections.evidence import log, tournament_claims
from projections.evidence.case import JudgedBundle, Said, Status, VerifierInputs, Wrong, open_bundle
from projections.evidence.draws import draws
from projections.evidence.receipt_check import receipts
from projections.evidence.rules import judged_result, judged_rules
from projections.evidence.tournament_claims import check_matches, inner_match

EXIT = {"PASS": 0, "FAIL": 1, "SEALED": 2}
"""The exit status of each verdict."""


class Claim(Struct, frozen=True):
    """A claim about a match, its status, and the reason."""

    claim: str
    status: Status
    text: str


class FirstFault(Struct, frozen=True):
    """The first thing that is wrong."""

    claim: str
    text: str


class Report(Struct, frozen=True):
    """The result of judging a bundle. `events` is how many there are, `sealed` how many of them
    could not be read; what is unknown of a broken bundle is None."""

    verdict: Literal["PASS", "FAIL", "SEALED"]
    finding: FirstFault | None
    claims: tuple[Claim, ...]
    match: str | None = None
    audience: str | None = None
    game: str | None = None
    rules_version: int | None = None
    events: int | None = None
    sealed: int | None = None
    tournament: str | None = None


def verify(bundle: bytes, inputs: VerifierInputs) -> Report:
    """Judges a bundle by the verifier's inputs: public keys, and notes saved earlier."""
    return judge(bundle, inputs)[0]


def judge(bundle: bytes, inputs: VerifierInputs) -> tuple[Report, JudgedBundle | None]:
    """The same, with the parsed case for callers that show it."""
    try:
        case = open_bundle(bundle, inputs)
    except Wrong as wrong:
        return _fail([], "container", str(wrong), None), None
    claims = [Claim("container", "PASS", f"a bundle of {len(case.lines):,} events")]
    for name, check in CLAIMS[case.manifest.subject.kind]:
        try:
            status, text = check(case)
        except Wrong as wrong:
            return _fail(claims, name, str(wrong), case), case
        except Exception as fault:  # noqa: BLE001  a log that no one can judge proves nothing
            return _fail(claims, name, f"it cannot be judged: {type(fault).__name__}", case), case
        claims.append(Claim(name, status, text))
    any_sealed = any(claim.status == "SEALED" for claim in claims)
    return _report("SEALED" if any_sealed else "PASS", None, claims, case), case


def _fail(claims: list[Claim], name: str, text: str, case: JudgedBundle | None) -> Report:
    claims = [*claims, Claim(name, "FAIL", text)]
    return _report("FAIL", FirstFault(name, text), claims, case)


def _report(
    verdict: Literal["PASS", "FAIL", "SEALED"],
    finding: FirstFault | None,
    claims: Sequence[Claim],
    case: JudgedBundle | None,
) -> Report:
    if case is None:
        return Report(verdict, finding, tuple(claims))
    manifest = case.manifest
    return Report(
        verdict=verdict,
        finding=finding,
        claims=tuple(claims),
        match=case.id if manifest.subject.kind == "match" else None,
        audience=name_audience(manifest.audience),
        game=manifest.game,
        rules_version=manifest.rules_version,
        events=len(case.lines),
        sealed=case.sealed,
        tournament=case.id if manifest.subject.kind == "tournament" else None,
    )


def _matches(case: JudgedBundle) -> Said:
    """Judges every match inside, by the same inputs."""
    sealed_count = 0
    keys = VerifierInputs(case.inputs.keys)
    for match, bundle in case.matches.items():
        report, inner = judge(bundle, keys)
        if report.finding is not None or inner is None or report.match != match:
            why = report.finding
            text = "it is of another match" if why is None else f"{why.claim}: {why.text}"
            raise Wrong(f"match {match}: {text}")
        sealed_count += report.verdict == "SEALED"
        by_claim = {claim.claim: claim.status for claim in report.claims}
        case.inside[match] = inner_match(inner, sealed=by_claim["result"] == "SEALED")
    check_matches(case)
    count = f"{len(case.matches):,} matches are proven by their bundles"
    if sealed_count:
        return "SEALED", f"{count}, {sealed_count:,} of them as far as they are open"
    return "PASS", count


Claims = tuple[tuple[str, Callable[[JudgedBundle], Said]], ...]

EVIDENCE: Claims = (
    ("signatures", log.signatures),
    ("log", log.roots),
    ("checkpoints", log.earlier),
    ("openings", log.openings),
    ("receipts", receipts),
)
CLAIMS: Mapping[Kind, Claims] = {
    "match": (*EVIDENCE, ("chance", draws), ("rules", judged_rules), ("result", judged_result)),
    "tournament": (*EVIDENCE, ("matches", _matches), *tournament_claims.PARTS),
}
