//! Tests of checks by themselves: what passes by chance, what a cheat sees, and what it cannot do.

mod gates;
mod keys;
mod moves;
mod pitfalls;
mod rates;
mod views;

use super::channel::{Pair, ProofChannel};
use super::field::{Field, Residues};
use crate::LIFT;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Stream};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::SharingError;
use tacit_sharing::party::{Party, Streams};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Journal;

const PLACES: [PartyId; 3] = [PartyId(0), PartyId(1), PartyId(2)];
const TRIALS: usize = 2000;

/// The field of eight elements, modulo `X^3 + X + 1`; proofs do not fold vectors of so many elements.
#[derive(Clone, Copy)]
struct Gf8<const UNFOLDED: usize = 1>;

impl<const UNFOLDED: usize> Field for Gf8<UNFOLDED> {
    type Sum = u64;
    const TERMS: usize = usize::MAX;
    const SHORT: usize = UNFOLDED;
    const NONE: u64 = 0;

    fn random(self, bits: u128) -> u64 {
        bits as u64 & 7
    }

    fn has(self, word: u64) -> bool {
        word < 8
    }

    fn add(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn sub(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn mul(self, a: u64, b: u64) -> u64 {
        let mut product = (0..3).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ a << i);
        for bit in [4, 3] {
            if product >> bit & 1 == 1 {
                product ^= 0b1011 << (bit - 3);
            }
        }
        product
    }

    fn plus(self, sum: u64, a: u64, b: u64) -> u64 {
        sum ^ self.mul(a, b)
    }

    fn total(self, sum: u64) -> u64 {
        sum
    }

    fn weight(self, a: u64) -> u64 {
        a
    }

    fn weighted(self, sum: u64) -> u64 {
        sum
    }
}

/// The field of a small prime.
#[derive(Clone, Copy)]
struct Small<const P: u64>;

impl<const P: u64> Residues for Small<P> {
    fn remainder(self, number: u128) -> u64 {
        (number % u128::from(P)) as u64
    }
}

impl<const P: u64> Field for Small<P> {
    type Sum = u64;
    const TERMS: usize = usize::MAX;
    const SHORT: usize = 1;
    const NONE: u64 = 0;

    fn random(self, bits: u128) -> u64 {
        self.remainder(bits)
    }

    fn has(self, word: u64) -> bool {
        word < P
    }

    fn add(self, a: u64, b: u64) -> u64 {
        (a + b) % P
    }

    fn sub(self, a: u64, b: u64) -> u64 {
        (a + P - b) % P
    }

    fn mul(self, a: u64, b: u64) -> u64 {
        a * b % P
    }

    fn plus(self, sum: u64, a: u64, b: u64) -> u64 {
        (sum + a * b) % P
    }

    fn total(self, sum: u64) -> u64 {
        sum
    }

    fn weight(self, a: u64) -> u64 {
        a
    }

    fn weighted(self, sum: u64) -> u64 {
        sum
    }
}

/// How many of many proofs are found to be right by the two honest roles, 0 and 2, when role 1's
/// messages go through `tamper`.
fn passes(
    tamper: fn() -> Tamper,
    prove: impl Fn(usize, &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> + Sync,
) -> usize {
    passes_among(TRIALS, tamper, prove)
}

/// The same, of so many.
fn passes_among(
    trials: usize,
    tamper: fn() -> Tamper,
    prove: impl Fn(usize, &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> + Sync,
) -> usize {
    let prove = |party: &mut Party<'_>, streams: &mut Streams<'_>| {
        prove(party.role(), &mut ProofChannel::new(party, streams.draws()?))
    };
    passes_of_steps(trials, tamper, prove)
}

/// How many of many proofs that take more than one step are found to be right, as [`passes`] counts them.
fn passes_with(
    tamper: fn() -> Tamper,
    prove: impl Fn(&mut Party<'_>, &mut Streams<'_>) -> Result<(), SharingError> + Sync,
) -> usize {
    passes_of_steps(TRIALS, tamper, prove)
}

fn passes_of_steps(
    trials: usize,
    tamper: fn() -> Tamper,
    prove: impl Fn(&mut Party<'_>, &mut Streams<'_>) -> Result<(), SharingError> + Sync,
) -> usize {
    let seed = entropy::test_seed();
    let journals = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
        let mut secrets = Secrets::exchange(mesh, b"test", LIFT, &PLACES, &mut entropy).unwrap();
        let mut keys = secrets.keys("test", 64, 1).remove(0);
        if mesh.me() == PartyId(1) {
            mesh.set_tamper(tamper());
        }
        let mut party = Party::new(mesh, &PLACES).unwrap();
        let mut streams = keys.streams();
        let mut journals: Vec<Journal> = Vec::new();
        for _ in 0..trials {
            prove(&mut party, &mut streams).unwrap();
            journals.push(party.take_journal().unwrap());
        }
        party.flush().unwrap();
        drop(party);
        session.finish().unwrap();
        journals
    });
    let [first, _, third]: [Vec<Journal>; 3] =
        journals.try_into().unwrap_or_else(|_| panic!("three parties"));
    let agree =
        |(first, third): (Journal, Journal)| Journal::differences(first, 0, third, 2).is_empty();
    first.into_iter().zip(third).map(agree).filter(|agree| *agree).count()
}

/// Within four and a half standard deviations.
fn assert_rate(passes: usize, probability: f64) {
    let trials = TRIALS as f64;
    let deviation = (trials * probability * (1.0 - probability)).sqrt();
    let off = (passes as f64 - trials * probability).abs();
    assert!(off <= 4.5 * deviation, "{passes} of {TRIALS}, not {probability}");
}

fn honest() -> Tamper {
    Tamper::new(|_| Verdict::Keep)
}

/// A sharing whose first component is the value.
fn public(role: usize, value: u64) -> Pair {
    match role {
        0 => [value, 0],
        2 => [0, value],
        _ => [0, 0],
    }
}

/// Messages of `len` bytes through `change`, every second one only if `alternate`.
fn changing(len: usize, alternate: bool, change: fn(&mut [u8])) -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        if m.stream != Stream::Def || m.bytes.len() != len {
            return Verdict::Keep;
        }
        seen += 1;
        if alternate && seen % 2 == 0 {
            return Verdict::Keep;
        }
        let mut bytes = m.bytes.to_vec();
        change(&mut bytes);
        Verdict::Replace(bytes)
    })
}

fn add_one(words: &mut [u8]) {
    for word in words.chunks_exact_mut(8) {
        let value = u64::from_le_bytes(std::array::from_fn(|i| word[i])).wrapping_add(1);
        word.copy_from_slice(&value.to_le_bytes());
    }
}
