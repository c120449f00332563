//! A test that garbling takes the same time for all offsets and masks.

use super::common::Common;
use super::field::Multiples;
use super::garble::Garbling;
use crate::bmr::Opening;
use crate::{Bits, Ports};
use std::hint::black_box;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_ring::prg::Permutation;
use tacit_ring::timing::tells;
use zeroize::Zeroizing;

/// ANDs of the circuit.
const ANDS: usize = 32;
const MEASUREMENTS: usize = 10_000;

/// Products of inputs of party 0, negated or not, that are multiplied by each other.
pub fn schedule() -> Schedule {
    let mut b = Builder::new();
    let (x, y) = (b.input(ANDS as u32 / 2), b.input(ANDS as u32 / 2));
    let mut last = x[0];
    for (x, y) in x.into_iter().zip(y) {
        let not = b.not(last);
        let product = b.and2(x, y);
        last = b.and2(not, product);
    }
    b.output(&[last]);
    Schedule::new(&b.finish())
}

/// Garbles, from random blocks of which the lowest bits are masks.
fn garble(common: &Common, ports: Ports<'_>, random: &[u128], pi: &Permutation) {
    let mut it = Garbling::new(common, ports, 1 << 48, (random, &[]));
    let answers = it.cross(common, pi);
    it.take_cross(1, &answers[1].words);
    it.fix_products(common, &[0; ANDS.div_ceil(64)]);
    let mut masks = [0, 1].map(|role| Bits::zeros(ports.learned_by(role)));
    black_box(it.rows(common, &mut masks));
}

/// Whether garbling tells of the offset and the masks that `secrets` makes of random blocks.
fn told(secrets: impl Fn(bool, u128, &mut [u128]) -> u128) -> bool {
    let schedule = schedule();
    let inputs = [0, 0].map(|role| (role, ANDS / 2));
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &[vec![0]], guards: 0 };
    let offset = (Zeroizing::new(1), Opening::All);
    let mut common = Common::new([2; 2], 0, offset, b"session");
    let pi = Permutation::new([3; 16]);
    let secret = |class: bool, rng: &mut Rng| {
        let mut random = || u128::from(rng.word()) << 64 | u128::from(rng.word());
        let mut blocks: Vec<u128> = (0..Garbling::random_blocks(ports)).map(|_| random()).collect();
        (secrets(class, random(), &mut blocks), blocks)
    };
    tells(MEASUREMENTS, secret, |(offset, blocks)| {
        *common.offset = *offset;
        garble(&common, ports, blocks, &pi);
    })
}

/// A block, or zero.
fn kept(class: bool, block: u128) -> u128 {
    block & u128::from(class).wrapping_neg()
}

#[test]
#[ignore = "measures time"]
fn garbling_takes_as_long_for_any_offset() {
    assert!(!told(|class, random, _| kept(class, random) | 1));
}

#[test]
#[ignore = "measures time"]
fn garbling_takes_as_long_for_any_masks() {
    assert!(!told(|class, random, blocks| {
        blocks.iter_mut().for_each(|block| *block &= kept(class, 1) | !1);
        random | 1
    }));
}

#[test]
#[ignore = "measures time"]
fn bytes_are_multiplied_as_fast_by_any_other() {
    let multiples: Vec<Multiples> = Rng(test_seed())
        .words(64)
        .into_iter()
        .map(|word| Multiples::new(u128::from(word) << 64 | u128::from(!word)))
        .collect();
    let bytes =
        |class: bool, rng: &mut Rng| [(); 64].map(|()| kept(class, rng.word().into()) as u8);
    assert!(!tells(2 * MEASUREMENTS, bytes, |bytes| {
        let products = multiples.iter().zip(&*bytes).map(|(all, byte)| all.times(*byte));
        black_box(products.fold(0, |sum, product| sum ^ product));
    }));
}

/// What garbling must not do.
#[test]
#[ignore = "measures time"]
fn rows_that_are_left_out_where_a_mask_is_zero_are_seen() {
    let masks = |class: bool, rng: &mut Rng| kept(class, rng.word().into()) as u64;
    let mut rows = [5u128; 64];
    assert!(tells(2 * MEASUREMENTS, masks, |masks| {
        for (bit, row) in rows.iter_mut().enumerate() {
            if *masks >> bit & 1 == 1 {
                *row = black_box(*row) << 1 ^ 3;
            }
        }
        black_box(&rows);
    }));
}
