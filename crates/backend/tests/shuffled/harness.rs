//! Runs shuffles under a protocol, each party on a thread of its own.

use tacit_backend::convert::shuffle::has_shuffles;
use tacit_backend::protocols::{self, LIFT};
use tacit_backend::{Backend, RingKeys};
use tacit_net::testing::Tamper;
use tacit_net::{Mesh, PartyId, Phase};
use tacit_protocol::Strength;
use tacit_ring::{Entropy, entropy};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Verifier;
use tacit_sharing::{Party, Protocol, SharingError};

const PLACES: [PartyId; 4] = [PartyId(0), PartyId(1), PartyId(2), PartyId(3)];

/// The protocols that shuffle.
pub fn shuffling() -> impl Iterator<Item = Protocol> {
    let strong = LIFT.with_strength(Strength::Strong).unwrap();
    let all = protocols::all().filter(|it| has_shuffles(*it) && !it.is_trusted_party());
    all.chain([strong])
}

/// Calls something with a party's backend and its verifier.
pub fn with_backend<T>(
    protocol: Protocol,
    mesh: &mut Mesh,
    tamper: Option<Tamper>,
    work: impl FnOnce(&mut dyn Backend, &mut Verifier) -> T,
) -> T {
    let places = &PLACES[..protocol.parties()];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let mut secrets = Secrets::exchange(mesh, b"test", protocol, places, &mut entropy).unwrap();
    let mut verifier = Verifier::new(protocol, places, b"test".to_vec(), secrets.take_pairs());
    mesh.set_phase(Phase::Online);
    if let Some(tamper) = tamper {
        mesh.set_tamper(tamper);
    }
    let keys = RingKeys::new(&mut secrets, 1).remove(0);
    let party = Party::new(mesh, places).unwrap();
    let mut backend = tacit_backend::in_rings(protocol, party, keys).unwrap();
    work(&mut *backend, &mut verifier)
}

/// Compares what all parties did, as before something opens with which a run goes on: under protocols with checks what was computed so
/// far may then open.
pub fn settle(on: &mut dyn Backend, verifier: &mut Verifier) -> Result<(), SharingError> {
    let journal = on.take_journal()?;
    on.settle_epoch(Some(verifier), vec![journal])
}

/// Compares what opened, unless it opened at once.
pub fn settle_opened(on: &mut dyn Backend, verifier: &mut Verifier) -> Result<(), SharingError> {
    if on.opens_at_once() { Ok(()) } else { settle(on, verifier) }
}

/// Compares what all parties did, for the last time in a run.
pub fn end(on: &mut dyn Backend, verifier: &mut Verifier) -> Result<(), SharingError> {
    let journal = on.take_journal()?;
    on.end_epoch(Some(verifier), vec![journal])
}
