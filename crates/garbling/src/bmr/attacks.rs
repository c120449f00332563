//! What curious parties could learn if shares of zero were left out. The attacks succeed on parties whose streams
//! for them are taken away, which only this crate's tests can do, and fail on what is shipped.

use super::chain::{Blocks, Worker};
use super::over_ot::BmrOt;
use super::party::Bmr;
use crate::bmr::{Opening, Products};
use crate::{Bits, Evaluate, Ports};
use std::sync::mpsc::Receiver;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};

/// Instances of an attack.
pub const RUNS: usize = 64;

/// Three parties.
pub fn places() -> Vec<PartyId> {
    PartyId::all(3).collect()
}

/// A message to party 0.
pub type Sent = (Stream, Phase, Vec<u8>);

/// All that a party sends to party 0 from here on.
pub fn listen(session: &mut Session) -> Receiver<Sent> {
    let (sink, heard) = std::sync::mpsc::channel();
    session.meshes[0].set_tamper(Tamper::new(move |message| {
        if message.to == PartyId(0) {
            let _ = sink.send((message.stream, message.place.phase, message.bytes.to_vec()));
        }
        Verdict::Keep
    }));
    heard
}

/// The messages of a stream and phase that have so many bytes.
pub fn of(sent: &[Sent], at: (Stream, Phase), length: usize) -> Vec<&[u8]> {
    let these = sent.iter().filter(|(stream, phase, _)| (*stream, *phase) == at);
    these.map(|(_, _, bytes)| &bytes[..]).filter(|bytes| bytes.len() == length).collect()
}

/// The blocks of a message.
pub fn blocks(bytes: &[u8]) -> Vec<u128> {
    bytes.chunks_exact(16).map(|block| u128::from_le_bytes(*block.first_chunk().unwrap())).collect()
}

/// The product of inputs of parties 0 and 1, with no output.
pub fn product() -> Schedule {
    let mut b = Builder::new();
    let (x, y) = (b.input(1), b.input(1));
    let and = b.and2(x[0], y[0]);
    b.output(&[and]);
    Schedule::new(&b.finish())
}

/// One bit.
pub fn bit(value: bool) -> Bits {
    let mut bits = Bits::zeros(1);
    bits.flip_if(0, value);
    bits
}

/// How often party 0, which learns the sum of both others' inputs, finds party 1's from the share of the
/// output's mask and the public value that party 1 sends it.
fn inputs_found(products: Option<Products>, rerandomised: bool) -> usize {
    let mut b = Builder::new();
    let (x, y) = (b.input(1), b.input(1));
    let sum = b.xor(x[0], y[0]);
    b.output(&[sum]);
    let schedule = Schedule::new(&b.finish());
    let (inputs, outputs) = ([(1, 1), (2, 1)], [vec![0]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let mut rng = Rng(test_seed());
    let secrets = rng.words(RUNS);
    let seed = rng.word();
    let seen = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, me as u8);
        let (places, delta) = (places(), Delta::Common);
        let mesh = &mut session.meshes[0];
        let all = Correlations::exchange(mesh, b"session", &places, delta, &mut entropy);
        let mut keys = all.unwrap().worker();
        if !rerandomised {
            keys.zeros.clear();
        }
        let heard = listen(&mut session);
        let (mesh, opening) = (&mut session.meshes[0], Opening::All);
        let nothing = vec![Blocks::default(); RUNS];
        let ready = match products {
            Some(products) => {
                let party = BmrOt::new(mesh, &places, keys, b"session", products, opening);
                party.unwrap().garble_on(ports, &nothing)
            }
            None => {
                let party = Bmr::new(mesh, &places, keys, b"session", opening);
                party.unwrap().garble_on(ports, &nothing)
            }
        };
        let given = |secret: &u64| match me {
            0 => Bits::zeros(0),
            _ => bit(secret >> me & 1 == 1),
        };
        let values: Vec<Bits> = secrets.iter().map(given).collect();
        ready.unwrap().0.run(&mut session.meshes[0], &places, ports, &values).unwrap();
        session.finish().unwrap();
        let sent: Vec<Sent> = heard.try_iter().collect();
        let masks = of(&sent, (Stream::Pre, Phase::Offline), 8);
        let public = of(&sent, (Stream::On, Phase::Online), 8);
        let both = masks.iter().zip(public);
        both.map(|(mask, public)| (mask[0] ^ public[0]) & 1).collect::<Vec<u8>>()
    });
    assert_eq!(seen[1].len(), RUNS);
    seen[1]
        .iter()
        .zip(&secrets)
        .filter(|(guess, secret)| u64::from(**guess) == *secret >> 1 & 1)
        .count()
}

#[test]
fn a_sum_of_inputs_shows_no_summand() {
    for products in [None, Some(Products::Basic), Some(Products::Offset)] {
        assert_eq!(inputs_found(products, false), RUNS, "without shares of zero");
        // 64 fair coins; five standard deviations are 20.
        let found = inputs_found(products, true);
        assert!(found.abs_diff(RUNS / 2) < 20, "{found} of {RUNS}");
    }
}
