//! What passes by chance, where chances are made large: as often as it should, no more.

use super::buckets::{self, Sizes};
use super::field::Field;
use super::redundant::{self, Claims};
use super::talk::{Pair, Talk};
use super::{Batch, Scratch, fold, lift};
use crate::Protocol;
use crate::party::{Party, SharingError};
use crate::setup::Secrets;
use crate::verify::Journal;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Stream};
use tacit_ring::{Entropy, entropy};

const PLACES: [PartyId; 3] = [PartyId(0), PartyId(1), PartyId(2)];
const TRIALS: usize = 2000;

/// The field of eight elements, modulo `X^3 + X + 1`.
#[derive(Clone, Copy)]
struct Gf8;

impl Field for Gf8 {
    type Sum = u64;
    const TERMS: usize = usize::MAX;
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

/// How many of many proofs are found to be right by the two honest roles, 0 and 2, when role 1's
/// messages go through `tamper`.
fn passes(
    tamper: fn() -> Tamper,
    prove: impl Fn(usize, &mut Talk<'_, '_, '_>) -> Result<(), SharingError> + Sync,
) -> usize {
    let seed = entropy::test_seed();
    let journals = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
        let mut secrets =
            Secrets::exchange(mesh, b"test", Protocol::Lift, &PLACES, &mut entropy).unwrap();
        let mut keys = secrets.keys("test", 64, 1).remove(0);
        if mesh.me() == PartyId(1) {
            mesh.set_tamper(tamper());
        }
        let mut party = Party::new(mesh, &PLACES).unwrap();
        let role = party.role();
        let mut journals: Vec<Journal> = Vec::new();
        for _ in 0..TRIALS {
            let draws = keys.streams().draws().unwrap();
            prove(role, &mut Talk::new(&mut party, draws)).unwrap();
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

/// Claims that 3 * 5 + 2 * 7 is off by `error` from what it is.
fn claim(error: u64) -> impl Fn(usize, &mut Talk<'_, '_, '_>) -> Result<(), SharingError> + Sync {
    move |role, talk| {
        let column = |values: [u64; 2]| {
            let pairs = values.map(|value| public(role, value));
            [0, 1].map(|c| [pairs[0][c], pairs[1][c]])
        };
        let value = Gf8.mul(3, 5) ^ Gf8.mul(2, 7) ^ error;
        let columns = [column([3, 2]), column([5, 7])];
        let vectors = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        fold::prove(talk, Gf8, vectors, 2, public(role, value))
    }
}

#[test]
fn right_claims_always_pass() {
    assert_eq!(passes(honest, claim(0)), TRIALS);
}

#[test]
fn a_wrong_claim_passes_where_the_point_or_the_last_factor_is_zero() {
    // The error at the random point is r times it.
    assert_rate(passes(honest, claim(1)), 1.0 - (7.0 / 8.0) * (7.0 / 8.0));
}

#[test]
fn a_cheat_that_plants_two_roots_passes_twice_as_often_at_a_level() {
    // With two more at infinity the error is r + 2 r (r - 1), which has a second root.
    let plant = || {
        Tamper::new(|m| {
            let mut bytes = m.bytes.to_vec();
            // The values at 0 and at infinity, to the previous role.
            if m.stream == Stream::Def && bytes.len() == 16 {
                bytes[8] ^= 2;
                return Verdict::Replace(bytes);
            }
            Verdict::Keep
        })
    };
    assert_rate(passes(plant, claim(1)), 1.0 - (7.0 / 8.0) * (6.0 / 8.0));
}

/// The zero that it leads to would be found one time in eight, where a component is zero: that all opened the
/// same is compared, too.
#[test]
fn what_one_role_opens_differently_never_passes() {
    let second = || {
        let mut seen = 0;
        Tamper::new(move |m| {
            // Of single elements to the previous role: the masked product, then what opens.
            if m.stream != Stream::Def || m.to != PartyId(0) || m.bytes.len() != 8 {
                return Verdict::Keep;
            }
            seen += 1;
            let mut bytes = m.bytes.to_vec();
            bytes[0] ^= u8::from(seen % 2 == 0);
            Verdict::Replace(bytes)
        })
    };
    assert_eq!(passes(second, claim(0)), 0);
}

#[test]
fn a_wrong_result_of_a_ring_passes_where_no_set_has_it() {
    // Products of 3 and 5, one of them off by 2^63, and three sets.
    let rate = passes(honest, |role, talk| {
        let shared = |values: [u64; 3]| values.map(|value| public(role, value));
        let columns = [[3, 3, 3], [5, 5, 5], [15, 15 ^ 1 << 63, 15]].map(|values| {
            let pairs = shared(values);
            [0, 1].map(|c| pairs.map(|pair| pair[c]))
        });
        let [x, y, z] = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        lift::prove_with::<u64, 3>(
            talk,
            &mut Scratch::default(),
            &Batch { x, y, z, runs: vec![(3, 1)] },
        )
    });
    assert_rate(rate, 1.0 / 8.0);
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

/// A result is off by `ERROR`, and a second product made to fit the challenge 1, one of `2^LAMBDA`.
fn sacrifices_that_pass<const ERROR: u64, const LAMBDA: u32>() -> usize {
    const EACH: usize = redundant::bytes(64);
    let guess = || {
        changing(EACH, true, |bytes| {
            let mut c = [0; 16];
            c[..EACH].copy_from_slice(bytes);
            let c = u128::from_le_bytes(c).wrapping_sub(u128::from(ERROR));
            bytes.copy_from_slice(&c.to_le_bytes()[..EACH]);
        })
    };
    passes(guess, |role, talk| {
        let shared = |value: u64| public(role, value).map(|word| [u128::from(word)]);
        let [x, y, z] = [3, 5, 15 + ERROR].map(shared);
        let [x, y, z] = [&x, &y, &z].map(|pair| pair.each_ref().map(|run| &run[..]));
        let claims = Claims { bits: 64, x, y, z, runs: &[(1, 1)] };
        redundant::sacrifice_with::<u128, LAMBDA>(talk, &claims)
    })
}

#[test]
fn a_sacrifice_is_passed_by_who_guesses_the_challenge() {
    assert_rate(sacrifices_that_pass::<{ 1 << 63 }, 3>(), 1.0 / 8.0);
    assert_rate(sacrifices_that_pass::<1, 3>(), 1.0 / 8.0);
    assert_rate(sacrifices_that_pass::<{ 1 << 63 }, 5>(), 1.0 / 32.0);
}

/// How many of many batches of triples pass in which a cheat makes the first ones wrong.
fn buckets_pass(sizes: Sizes, tamper: fn() -> Tamper) -> usize {
    passes(tamper, |role, talk| {
        let (_, right) = buckets::triples_in::<u64>(talk, sizes)?;
        if !right {
            // As good as a check that differs.
            talk.agree(&[role as u8]);
        }
        Ok(())
    })
}

fn add_one(words: &mut [u8]) {
    for word in words.chunks_exact_mut(8) {
        let value = u64::from_le_bytes(std::array::from_fn(|i| word[i])).wrapping_add(1);
        word.copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn a_spoilt_bucket_passes_where_its_triples_meet() {
    let two = || changing(9 * 8, false, |bytes| add_one(&mut bytes[..2 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 1 }, two), 4.0 / 36.0);
}

#[test]
fn spoilt_triples_pass_where_none_of_them_opens() {
    let all_but_one = || changing(9 * 8, false, |bytes| add_one(&mut bytes[..8 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 1 }, all_but_one), 1.0 / 9.0);
    let all_but_two = || changing(10 * 8, false, |bytes| add_one(&mut bytes[..8 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 2 }, all_but_two), 1.0 / 45.0);
}
