//! Runs scripts over backends, all parties of a protocol at a time.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use tacit_backend::protocols::{
    ASTRA, FANTASTIC_FOUR, LIFT, MULTI_FAN_IN, QUAD, QUAD_A, QUAD_HET, REPLICATED, TAGGED, TETRAD,
    TRIO,
};
use tacit_backend::{Backend, Boolean, Kind, Ring, RingKeys, Secret, Tally, Term};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Verifier;
use tacit_sharing::{Party, Protocol};

const PLACES: [PartyId; 4] = [PartyId(1), PartyId(2), PartyId(0), PartyId(3)];
pub const EVERYONE: [usize; 3] = [0, 1, 2];
pub const PROTOCOLS: [Protocol; 11] = [
    TRIO,
    ASTRA,
    REPLICATED,
    LIFT,
    TAGGED,
    MULTI_FAN_IN,
    QUAD,
    QUAD_A,
    QUAD_HET,
    TETRAD,
    FANTASTIC_FOUR,
];

/// A script over a backend; opened arrays are its result.
pub type Script<'s> = dyn Fn(&mut dyn Backend) -> Vec<Vec<i128>> + Sync + 's;

/// Bytes ahead, online and deferred, by receiver.
type Sent = [Vec<u64>; 3];

thread_local! {
    /// This thread's party's, under protocols with checks.
    static VERIFIER: RefCell<Option<Verifier>> = const { RefCell::new(None) };
}

/// Which backend of a protocol.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Rings,
    Circuits,
}

/// One party's run: what it opened, what it sent and its rounds.
fn play(
    session: &mut Session,
    (protocol, by): (Protocol, By),
    script: &Script<'_>,
) -> (Vec<Vec<i128>>, Sent, u64) {
    let mesh = &mut session.meshes[0];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let places = &PLACES[..protocol.parties()];
    let mut secrets = Secrets::exchange(mesh, b"test", protocol, places, &mut entropy).unwrap();
    let verifier = Verifier::new(protocol, places, b"test".to_vec(), secrets.take_pairs());
    VERIFIER.set(Some(verifier));
    mesh.reset_meter();
    mesh.set_phase(Phase::Online);
    let keys = RingKeys::new(&mut secrets, 1).remove(0);
    let party = Party::new(mesh, places).unwrap();
    let mut backend = match by {
        By::Rings => tacit_backend::in_rings(protocol, party, keys).unwrap(),
        By::Circuits => tacit_backend::by_circuits(protocol, party, keys).unwrap(),
    };
    let opened = script(&mut *backend);
    backend.flush().unwrap();
    drop(backend);
    let meter = session.meshes[0].meter();
    let sent = |stream| -> Vec<u64> {
        let to = |to: &PartyId| meter.total(|peer, s, _| peer == *to && s == stream).bytes_sent;
        places.iter().map(to).collect()
    };
    (opened, [Stream::Pre, Stream::On, Stream::Def].map(sent), meter.rounds())
}

/// What a script costs.
fn count(protocol: Protocol, by: By, script: &Script<'_>) -> Tally {
    let mut tally = Tally::new(protocol);
    match by {
        By::Rings => drop(script(&mut tally)),
        By::Circuits => {
            let mut boolean = Boolean::new(tally);
            script(&mut boolean);
            tally = boolean.bits;
        }
    }
    tally
}

/// Runs a script in rings.
pub fn run(protocol: Protocol, script: &Script<'_>) -> Vec<Vec<i128>> {
    run_by(protocol, By::Rings, script)
}

/// Runs a script under a protocol and checks that it costs what the tally says.
pub fn run_by(protocol: Protocol, by: By, script: &Script<'_>) -> Vec<Vec<i128>> {
    let tally = count(protocol, by, script);
    let results = Mutex::new(Vec::new());
    let parties = protocol.parties();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let role = PLACES.iter().position(|p| *p == session.me()).unwrap();
        let (opened, sent, rounds) = play(&mut session, (protocol, by), script);
        session.finish().unwrap();
        let bytes = tally.total_bytes();
        for (sent, stream) in sent.iter().zip([Stream::Pre, Stream::On, Stream::Def]) {
            let want = &bytes.stream(stream)[role][..parties];
            assert_eq!(sent[..], *want, "{protocol} role {role}: bytes on {stream:?}");
        }
        assert_eq!(rounds, tally.rounds[role], "{protocol} role {role}: rounds");
        if EVERYONE.contains(&role) {
            results.lock().unwrap().push(opened);
        }
    });
    let results = results.into_inner().unwrap();
    assert!(results.iter().all(|r| *r == results[0]));
    results[0].clone()
}

/// Gives the script's inputs to every party; the owner's count.
pub fn share(b: &mut dyn Backend, kind: Kind, owner: usize, values: &[i128]) -> Secret {
    b.input(kind, owner, Some(values), values.len()).unwrap()
}

/// Opens an array, with the checks before and after it.
pub fn open(b: &mut dyn Backend, secret: &Secret) -> Vec<i128> {
    check(b);
    let opened = b.open(secret, &EVERYONE).unwrap().unwrap_or_default().to_vec();
    check(b);
    opened
}

/// The checks of what was done so far, under protocols that have them.
pub fn check(b: &mut dyn Backend) {
    let journals = vec![b.take_journal().unwrap()];
    VERIFIER.with_borrow_mut(|verifier| b.end_epoch(verifier.as_mut(), journals)).unwrap();
}

pub fn signed(value: i128, bits: u32) -> i128 {
    value << (128 - bits) >> (128 - bits)
}

pub fn numbers(ring: Ring, n: usize) -> Vec<i128> {
    let word = |i: i128| (i + 3).wrapping_mul(0x1e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let top = 1i128.checked_shl(ring.bits() - 1).unwrap_or(i128::MIN);
    let edges = [0, 1, -1, signed(top, ring.bits()), top.wrapping_sub(1), 2, -2];
    let edges = edges.into_iter().chain((0..).map(word)).take(n);
    edges.map(|v| signed(v, ring.bits())).collect()
}

/// A side of a comparison.
pub fn term(secret: &Secret) -> Term {
    Term::Array(Arc::new(secret.slice(0..secret.len)))
}
