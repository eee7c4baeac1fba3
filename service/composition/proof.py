"""Evidence: what is signed, and what readers can prove by it."""

from service.application.evidence import Evidence
from service.composition.feature import Feature
from service.composition.play import Play
from service.composition.storage import Storage
from service.signing.notary import Notary
from service.signing.receipts import Receipts
from service.signing.signing_keys import ServiceSigner


class Proof(Feature):
    """The parts of an instance that sign."""

    signer: ServiceSigner
    receipts: Receipts
    notary: Notary
    evidence: Evidence


def proof(storage: Storage, play: Play) -> Proof:
    """Makes what signs."""
    store, closed = storage.store, storage.closed
    signer = ServiceSigner(storage.settings.key_folder, storage.settings.signing.name)
    notary = Notary(store, storage.secret_store, play.matches.append, signer, storage.clock, closed)
    return Proof(
        signer=signer,
        receipts=Receipts(signer, store, closed),
        notary=notary,
        evidence=Evidence(play.sessions, notary, signer),
    )
