//! Views of one party over every choice of randomness: the same for all secrets.
//!
//! One bit, all masks enumerated. A party's view is its draws, its shares and what it receives.
//! A negative control reuses a mask and must be caught.

use crate::table::{Draws, input, open, product, roles, roles_in};
use std::collections::HashMap;
use tacit_backend::protocols::{
    ASTRA, FANTASTIC_FOUR, MULTI_FAN_IN, PLAIN, QUAD, QUAD_A, QUAD_HET, REPLICATED, TETRAD, TRIO,
};
use tacit_ring::Z2;
use tacit_sharing::balance::Way;
use tacit_sharing::{Protocol, Timing};

/// Number of free bits: three draws for each of two inputs, two for each key of a product.
const INPUT_BITS: u32 = 6;
const PRODUCT_BITS: u32 = 6;

fn bit(bits: u64, index: u32) -> Z2 {
    Z2(bits >> index & 1)
}

type Histogram = HashMap<Vec<u64>, u32>;

/// What role `me` sees in two inputs and their product.
fn view(
    protocol: Protocol,
    me: usize,
    owners: [usize; 2],
    secrets: [u64; 2],
    bits: u64,
    reuse: bool,
) -> Vec<u64> {
    let draws = |at: u32| [bit(bits, at), bit(bits, at + 1), bit(bits, at + 2)];
    let (x, seen_x) = input(protocol, owners[0], Timing::Late, Z2(secrets[0]), &draws(0));
    let second = if reuse { 0 } else { 3 };
    let (y, seen_y) = input(protocol, owners[1], Timing::Late, Z2(secrets[1]), &draws(second));
    let pairs = |at: u32| -> Draws<Z2> {
        [0, 2, 4].map(|key| [bit(bits, at + key), bit(bits, at + key + 1)]).to_vec()
    };
    let first = pairs(INPUT_BITS);
    let played = product(&roles(protocol), &x, &y, &first);
    let mut seen: Vec<Z2> = Vec::new();
    // Draws under the keys that this role holds.
    for at in [0, 3] {
        seen.extend([bit(bits, at + me as u32), bit(bits, at + (me as u32 + 2) % 3)]);
    }
    seen.extend(first[me].iter().chain(&first[(me + 2) % 3]));
    seen.extend(x[me].iter().chain(&y[me]).chain(&played.shares[me]));
    seen.extend(seen_x[me].iter().chain(&seen_y[me]).chain(&played.views[me]));
    seen.into_iter().map(|word| word.0 & 1).collect()
}

fn histogram(
    protocol: Protocol,
    me: usize,
    owners: [usize; 2],
    secrets: [u64; 2],
    reuse: bool,
) -> Histogram {
    let mut histogram = Histogram::new();
    for bits in 0..1u64 << (INPUT_BITS + PRODUCT_BITS) {
        *histogram.entry(view(protocol, me, owners, secrets, bits, reuse)).or_default() += 1;
    }
    histogram
}

const PROTOCOLS: [Protocol; 4] = [TRIO, ASTRA, REPLICATED, MULTI_FAN_IN];

#[test]
fn a_party_sees_the_same_for_all_secrets_of_others() {
    for protocol in PROTOCOLS {
        for me in 0..3 {
            let owners = [(me + 1) % 3, (me + 2) % 3];
            let reference = histogram(protocol, me, owners, [0, 0], false);
            for secrets in [[0, 1], [1, 0], [1, 1]] {
                let other = histogram(protocol, me, owners, secrets, false);
                assert!(reference == other, "{protocol}: role {me} sees {secrets:?}");
            }
        }
    }
}

#[test]
fn a_reused_mask_shows() {
    // The same owner masks both inputs with the same draws: their sum is in the open.
    let found = PROTOCOLS.iter().any(|protocol| {
        (0..3).any(|me| {
            let owners = [(me + 1) % 3; 2];
            let [a, b] = [[0, 0], [1, 0]].map(|s| histogram(*protocol, me, owners, s, true));
            a != b
        })
    });
    assert!(found, "the test cannot see a leak");
}

#[test]
fn the_trusted_party_sees_everything() {
    let [a, b] = [[0, 0], [1, 0]].map(|s| histogram(PLAIN, 2, [0, 1], s, false));
    assert!(a != b);
}

/// What role `me` of a Quad sees in two inputs and their product, perhaps in some way of a mix: 3 + 3 + 5 free
/// bits.
fn quad_view(
    (quad, way): (Protocol, Option<Way>),
    me: usize,
    owners: [usize; 2],
    secrets: [u64; 2],
    bits: u64,
) -> Vec<u64> {
    // By the role that lacks the key: u, x2, x1. The fourth key is not drawn from.
    let masks = |at: u32| [bit(bits, at), bit(bits, at + 1), bit(bits, at + 2), Z2(0), Z2(0)];
    let (x, seen_x) = input(quad, owners[0], Timing::Late, Z2(secrets[0]), &masks(0));
    let (y, seen_y) = input(quad, owners[1], Timing::Late, Z2(secrets[1]), &masks(3));
    let [q, z2, z1, r, w] = [6, 7, 8, 9, 10].map(|at| bit(bits, at));
    // The same keys under Tetrad: s, u2, u1 and q1, p3.
    let crossed = way.is_some_and(|way| way.crossed);
    // Who draws r with P0 and P3.
    let [r1, r2] = if crossed { [Z2(0), r] } else { [r, Z2(0)] };
    let draws: Draws<Z2> = vec![[q, Z2(0)], [z2, r2], [z1, r1], [Z2(0); 2], [w, Z2(0)]];
    let roles = way.map_or_else(|| roles(quad), roles_in);
    let played = product(&roles, &x, &y, &draws);
    let opened = (0..4).map(|role| open(quad, &played.shares, role).0 & 1);
    assert!(opened.eq([secrets[0] & secrets[1]; 4]), "{quad} {way:?}");
    let mut seen: Vec<Z2> = Vec::new();
    for (lacking, drawn) in [(0, vec![q, w]), (1, vec![z2, r2]), (2, vec![z1, r1])] {
        if lacking != me {
            seen.extend([masks(0)[lacking], masks(3)[lacking]]);
            seen.extend(drawn);
        }
    }
    for shares in [&x, &y, &played.shares] {
        seen.extend(&shares[me]);
    }
    seen.extend(seen_x[me].iter().chain(&seen_y[me]).chain(&played.views[me]));
    seen.into_iter().map(|word| word.0 & 1).collect()
}

#[test]
fn a_role_of_quad_sees_the_same_for_all_secrets_of_others() {
    let alone = [QUAD, QUAD_A, QUAD_HET, TETRAD];
    let ways = Way::all(QUAD).into_iter().map(|way| (way.protocol, Some(way)));
    let all = alone.into_iter().map(|quad| (quad, None)).chain(ways);
    for (quad, me) in all.flat_map(|quad| (0..4).map(move |me| (quad, me))) {
        let others: Vec<usize> = (0..4).filter(|role| *role != me).collect();
        for owners in [[0, 1], [1, 2], [2, 0], [1, 1]].map(|pair| pair.map(|i: usize| others[i])) {
            let histogram = |secrets| {
                let mut histogram = Histogram::new();
                for bits in 0..1 << 11 {
                    *histogram.entry(quad_view(quad, me, owners, secrets, bits)).or_default() += 1;
                }
                histogram
            };
            let reference = histogram([0, 0]);
            for secrets in [[0, 1], [1, 0], [1, 1]] {
                assert!(
                    reference == histogram(secrets),
                    "{quad:?}: role {me} of {owners:?} sees {secrets:?}"
                );
            }
        }
    }
}

/// The same of Fantastic Four: two draws for each input, six for a product.
fn fantastic_view(me: usize, owners: [usize; 2], secrets: [u64; 2], bits: u64) -> Vec<u64> {
    let four = FANTASTIC_FOUR;
    // What an owner does not draw stays out.
    let masks = |owner: usize, at: u32| -> [Z2; 5] {
        let sent = if owner == 3 { 0 } else { 3 };
        let mut drawn = at..at + 2;
        std::array::from_fn(|lacking| {
            let draws = lacking < 4 && lacking != owner && lacking != sent;
            if draws { bit(bits, drawn.next().unwrap()) } else { Z2(0) }
        })
    };
    let [first, second] = [masks(owners[0], 0), masks(owners[1], 2)];
    let (x, seen_x) = input(four, owners[0], Timing::Early, Z2(secrets[0]), &first);
    let (y, seen_y) = input(four, owners[1], Timing::Early, Z2(secrets[1]), &second);
    let drawn = |at: u32, n: u32| -> [Z2; 2] {
        [bit(bits, at), if n > 1 { bit(bits, at + 1) } else { Z2(0) }]
    };
    let draws: Draws<Z2> = vec![drawn(4, 2), drawn(6, 2), drawn(8, 1), drawn(9, 1), [Z2(0); 2]];
    let played = product(&roles(four), &x, &y, &draws);
    let mut seen: Vec<Z2> = Vec::new();
    for lacking in (0..4).filter(|lacking| *lacking != me) {
        seen.extend([first[lacking], second[lacking]]);
        seen.extend(draws[lacking]);
    }
    for shares in [&x, &y, &played.shares] {
        seen.extend(&shares[me]);
    }
    seen.extend(seen_x[me].iter().chain(&seen_y[me]).chain(&played.views[me]));
    seen.into_iter().map(|word| word.0 & 1).collect()
}

#[test]
fn a_role_of_fantastic_four_sees_the_same_for_all_secrets_of_others() {
    for me in 0..4 {
        let others: Vec<usize> = (0..4).filter(|role| *role != me).collect();
        for owners in [[0, 1], [1, 2], [2, 0], [1, 1]].map(|pair| pair.map(|i: usize| others[i])) {
            let histogram = |secrets| {
                let mut histogram = Histogram::new();
                for bits in 0..1 << 10 {
                    *histogram.entry(fantastic_view(me, owners, secrets, bits)).or_default() += 1;
                }
                histogram
            };
            let reference = histogram([0, 0]);
            for secrets in [[0, 1], [1, 0], [1, 1]] {
                assert!(
                    reference == histogram(secrets),
                    "role {me} of {owners:?} sees {secrets:?}"
                );
            }
        }
    }
}
