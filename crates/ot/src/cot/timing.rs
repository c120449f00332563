//! That correlated OT takes as long whatever Delta and the choices are.

use super::*;
use crate::base::BaseReceiver;
use crate::check::expected;
use crate::seeds;
use crate::transfer::Padding;
use std::hint::black_box;
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_ring::timing::tells;

/// Words of transfers.
const WORDS: usize = 8;
const MEASUREMENTS: usize = 20_000;

fn pair(fan: FieldBits) -> (Receiver, Sender) {
    let (mut all, mut some) = seeds::pair(fan, 5, test_seed());
    let pi = Arc::new(Permutation::new([9; 16]));
    (all.receiver(&pi), some.sender(&pi))
}

/// A Delta of one bit, or any.
fn delta(class: bool, rng: &mut Rng) -> u128 {
    let [low, high] = [rng.word(), rng.word()];
    (u128::from(high) << 64 | u128::from(low)) & u128::from(class).wrapping_neg() | 1
}

/// No choices but zeros, or any.
fn choices<const N: usize>(class: bool, rng: &mut Rng) -> [u64; N] {
    [(); N].map(|()| rng.word() & u64::from(class).wrapping_neg())
}

#[test]
#[ignore = "measures time"]
fn senders_take_as_long_for_any_delta() {
    for fan in [FieldBits::One, FieldBits::Four] {
        let (_, mut sender) = pair(fan);
        let message = Rng(test_seed()).words(sender.message_words(WORDS));
        let [mut zeros, mut ones] = [[0; WORDS]; 2];
        let told = tells(MEASUREMENTS, delta, |delta| {
            **sender.delta = *delta;
            sender.bits(&message, [&mut zeros, &mut ones]).unwrap();
        });
        assert!(!told, "{fan:?}");
    }
}

#[test]
#[ignore = "measures time"]
fn receivers_take_as_long_for_any_choices() {
    for fan in [FieldBits::One, FieldBits::Four] {
        let (mut receiver, _) = pair(fan);
        let mut message = vec![0; receiver.message_words(WORDS)];
        let mut pads = [0; WORDS];
        let told = tells(MEASUREMENTS, choices::<WORDS>, |choices| {
            receiver.bits(choices, &mut message, &mut pads).unwrap();
        });
        assert!(!told, "{fan:?}");
    }
}

#[test]
#[ignore = "measures time"]
fn base_receivers_take_as_long_for_any_choice() {
    let mut entropy = Entropy::insecure_seeded(test_seed(), 0);
    let choice = |class: bool, rng: &mut Rng| choices::<1>(class, rng)[0] as u8 & 1;
    let told = tells(MEASUREMENTS / 4, choice, |choice| {
        let receiver = BaseReceiver::new(&[1; 32], &[*choice], &mut entropy).unwrap();
        black_box(receiver.message());
    });
    assert!(!told);
}

#[test]
#[ignore = "measures time"]
fn messages_are_chosen_as_fast_by_any_choices() {
    let pi = Arc::new(Permutation::new([9; 16]));
    let mut rng = Rng(test_seed());
    let mut block = || u128::from(rng.word()) << 64 | u128::from(rng.word());
    let blocks: Vec<u128> = (0..64 * WORDS).map(|_| block()).collect();
    let messages: Vec<[u128; 2]> = blocks.iter().map(|block| [*block, !block]).collect();
    let mut padding = Padding::new(pi, 1);
    let told = tells(MEASUREMENTS, choices::<WORDS>, |choices| {
        black_box(padding.receiver(choices, &blocks).receive(&messages).unwrap());
    });
    assert!(!told);
}

#[test]
#[ignore = "measures time"]
fn hashes_are_compared_as_fast_for_any_delta() {
    let hashes: Vec<u128> = (0..KAPPA as u128).map(|i| i << 64 | i).collect();
    let told = tells(MEASUREMENTS, delta, |delta| {
        black_box(expected(black_box(&hashes), *delta, 7 << 80));
    });
    assert!(!told);
}

/// What a sender must not do.
#[test]
#[ignore = "measures time"]
fn columns_that_are_left_out_where_delta_is_zero_are_seen() {
    let mut rng = Rng(test_seed());
    let (message, mut columns) = (rng.words(KAPPA * WORDS), rng.words(KAPPA * WORDS));
    let told = tells(MEASUREMENTS, delta, |delta| {
        let both = columns.chunks_mut(WORDS).zip(message.chunks(WORDS));
        for (bit, (column, message)) in both.enumerate() {
            if *delta >> bit & 1 == 1 {
                column.iter_mut().zip(message).for_each(|(column, message)| *column ^= message);
            }
        }
        black_box(&columns);
    });
    assert!(told);
}
