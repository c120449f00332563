//! What goes wrong in a check if its steps come in another order, or are left out.

use super::{PLACES, public};
use crate::channel::ProofChannel;
use crate::redundant::{self, Claims};
use crate::{LIFT, ProvenLater, Strength};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, PartyId, Stream};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::party::Party;
use tacit_sharing::replicated::Checks;
use tacit_sharing::setup::Secrets;

/// How a check ends for each role, where each has a tamperer.
pub(super) fn ends<T: Send>(
    tamper: impl Fn(usize) -> Tamper + Sync,
    check: impl Fn(usize, &mut ProofChannel<'_, '_, '_>) -> Result<T, SharingError> + Sync,
) -> Vec<Result<T, SharingError>> {
    let network =
        MemoryNetwork { deadline: Duration::from_millis(300), ..MemoryNetwork::default() };
    let seed = entropy::test_seed();
    memory::run(3, 1, &network, |mut session| {
        let role = session.me().index();
        let mesh = &mut session.meshes[0];
        let mut attempt = || {
            let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
            let mut secrets = Secrets::exchange(mesh, b"test", LIFT, &PLACES, &mut entropy)?;
            let mut keys = secrets.keys("test", 64, 1).remove(0);
            mesh.set_tamper(tamper(role));
            let mut party = Party::new(mesh, &PLACES)?;
            let draws = keys.streams().draws()?;
            let value = check(role, &mut ProofChannel::new(&mut party, draws))?;
            drop(party.take_journal()?);
            Ok(value)
        };
        let result = attempt();
        match &result {
            Ok(_) => session.finish()?,
            Err(_) => session.abort(AbortKind::Failure, "a check failed"),
        }
        result
    })
}

fn sacrifice(role: usize, channel: &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> {
    let shared = |value: u64| public(role, value).map(|word| [u128::from(word)]);
    let [x, y, z] = [3, 5, 15].map(shared);
    let [x, y, z] = [&x, &y, &z].map(|pair| pair.each_ref().map(|run| &run[..]));
    let claims = Claims { each: EACH, x, y, z, runs: &[(1, 1)] };
    redundant::sacrifice(channel, Strength::Usual, &claims)
}

const EACH: usize = redundant::bytes(64, Strength::Usual);

/// All that a role knows of a coin before the others show it is two halves of three.
#[test]
fn a_message_that_is_late_holds_back_the_challenge() {
    let shown = Arc::new(AtomicUsize::new(0));
    let log = shown.clone();
    let results = ends(
        move |role| {
            let log = log.clone();
            Tamper::new(move |m| match role {
                // The second product, which the challenge must not be known for, and all behind it.
                1 if m.to == PartyId(0) && m.stream == Stream::Def => Verdict::Drop,
                0 if m.to == PartyId(1) && m.bytes.len() == 32 => {
                    log.fetch_add(1, Ordering::Relaxed);
                    Verdict::Keep
                }
                _ => Verdict::Keep,
            })
        },
        sacrifice,
    );
    assert!(results.iter().all(Result::is_err));
    assert_eq!(shown.load(Ordering::Relaxed), 0, "the half that the cheat lacks was shown");
}

/// Only with one challenge for all does what opens hide its secret.
#[test]
fn honest_roles_never_go_on_with_different_challenges() {
    let coins =
        |_: usize, channel: &mut ProofChannel<'_, '_, '_>| Ok(channel.coin()?.words::<u64>(4));
    let agreed: Vec<Vec<u64>> =
        ends(|_| Tamper::new(|_| Verdict::Keep), coins).into_iter().map(Result::unwrap).collect();
    assert!(agreed.iter().all(|coin| *coin == agreed[0]));
    for to in [0, 2] {
        let opened = Arc::new(Mutex::new(Vec::new()));
        let log = opened.clone();
        let results = ends(
            move |role| {
                let log = log.clone();
                Tamper::new(move |m| {
                    let mut bytes = m.bytes.to_vec();
                    let half = role == 1 && m.to == PartyId(to) && bytes.len() == 32;
                    bytes[0] ^= u8::from(half);
                    // What opens comes after the second product.
                    if role != 1 && bytes.len() == EACH {
                        log.lock().unwrap().push(role);
                    }
                    Verdict::Replace(bytes)
                })
            },
            sacrifice,
        );
        let seen = usize::from(to);
        let error = results[seen].as_ref().unwrap_err().to_string();
        assert!(error.contains("do not toss the same coin"), "{error}");
        let opened = opened.lock().unwrap().iter().filter(|role| **role == seen).count();
        assert_eq!(opened, 1, "role {seen} opened something under a coin that it does not trust");
    }
}

/// Whoever goes on after a proof of matrices that failed has them still to prove: nothing opens.
#[test]
fn matrices_whose_proof_fails_stay_to_be_proven() {
    let small = MatrixShape { rows: 24, inner: 2, columns: 10 };
    let large = MatrixShape { rows: 1100, inner: 1000, columns: 1 };
    for shape in [small, large] {
        let network =
            MemoryNetwork { deadline: Duration::from_millis(300), ..MemoryNetwork::default() };
        memory::run(3, 1, &network, |mut session| {
            let role = session.me().index();
            let mesh = &mut session.meshes[0];
            let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
            let mut secrets =
                Secrets::exchange(mesh, b"test", LIFT, &PLACES, &mut entropy).unwrap();
            let mut keys = secrets.keys("test", 64, 1).remove(0);
            if role == 1 {
                // Of the coin: the others do not see the same one.
                mesh.set_tamper(Tamper::new(|m| {
                    let mut bytes = m.bytes.to_vec();
                    bytes[0] ^= 1;
                    Verdict::Replace(bytes)
                }));
            }
            let mut party = Party::new(mesh, &PLACES).unwrap().proving(crate::check_of(&mut keys));
            let MatrixShape { rows, inner, columns } = shape;
            let zeros = |len: usize| vec![0u64; len];
            let [x, y, z] = [rows * inner, inner * columns, rows * columns].map(zeros);
            let [x, y, z] = [&x, &y, &z].map(|run| -> [&[u64]; 3] { [run, run, &[]] });
            let kept = ProvenLater::keep_matrix(&mut party, shape, [x, y], z);
            if role != 1 {
                assert_eq!(kept.is_ok(), shape == small, "a large one is proven at once");
                for _ in 0..2 {
                    assert!(party.take_journal().is_err(), "not proven, and no transcript of it");
                }
                assert!(party.take_check().is_none(), "what is not proven is not given away");
            } else if kept.is_ok() {
                drop(party.take_journal());
            }
            drop(party);
            session.abort(AbortKind::Failure, "a proof failed");
        });
    }
}
