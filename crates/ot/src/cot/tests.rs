//! Tests of correlated OT.

use super::*;
use crate::seeds;
use tacit_ring::entropy::{Rng, test_seed};

const DELTA: u128 = 0xfedc_ba98_7654_3210_8796_a5b4_c3d2_e1f1;

fn pair(fan: FieldBits, delta: u128) -> (Receiver, Sender) {
    let (mut all, mut some) = seeds::pair(fan, delta, test_seed());
    let pi = Arc::new(Permutation::new([9; 16]));
    (all.receiver(&pi), some.sender(&pi))
}

fn chosen(choices: &[u64], i: usize) -> bool {
    choices[i / 64] >> (i % 64) & 1 == 1
}

#[test]
fn blocks_differ_by_delta_where_the_choice_is_one() {
    let mut rng = Rng(test_seed());
    for fan in FieldBits::ALL {
        let (mut receiver, mut sender) = pair(fan, DELTA);
        for words in [1, 2, 5, TILE, 0, 63] {
            let choices = rng.words(words);
            let mut message = vec![0; receiver.message_words(words)];
            assert_eq!(message.len() * 64, words * 64 * fan.message_bits());
            let t = receiver.correlate(&choices, &mut message).unwrap().to_vec();
            let q = sender.correlate(words, &message).unwrap();
            assert_eq!(t.len(), 64 * words);
            for (i, (t, q)) in t.iter().zip(q).enumerate() {
                assert_eq!(t ^ q, if chosen(&choices, i) { DELTA } else { 0 }, "{fan:?} {i}");
            }
        }
    }
}

#[test]
fn pads_are_those_chosen_and_balanced() {
    let mut rng = Rng(test_seed());
    let (mut receiver, mut sender) = pair(FieldBits::Four, DELTA);
    let words = 3 * TILE + 7;
    let choices = rng.words(words);
    let mut message = vec![0; receiver.message_words(words)];
    let [mut pads, mut zeros, mut ones] = [(); 3].map(|()| vec![0; words]);
    receiver.bits(&choices, &mut message, &mut pads).unwrap();
    sender.bits(&message, [&mut zeros, &mut ones]).unwrap();
    for (i, choice) in choices.iter().enumerate() {
        assert_eq!(pads[i], zeros[i] & !choice | ones[i] & choice);
    }
    // 12 736 bits each; five standard deviations are 282.
    let differ = zeros.iter().zip(&ones).map(|(zero, one)| (zero ^ one).count_ones());
    for count in [differ.sum::<u32>(), zeros.iter().map(|word| word.count_ones()).sum()] {
        assert!(count.abs_diff(32 * words as u32) < 282, "{count} of {}", 64 * words);
    }
}

#[test]
fn nothing_comes_twice() {
    let (mut receiver, _) = pair(FieldBits::Four, DELTA);
    let mut message = vec![0; receiver.message_words(1)];
    let first = receiver.correlate(&[5], &mut message).unwrap().to_vec();
    let again = message.clone();
    let second = receiver.correlate(&[5], &mut message).unwrap().to_vec();
    assert!(first != second && again != message);
    // Nor does another worker's stream.
    let (mut all, _) = seeds::pair(FieldBits::Four, DELTA, 1);
    let pi = Arc::new(Permutation::new([9; 16]));
    let [mut one, mut other] = [(); 2].map(|()| all.receiver(&pi));
    let one = one.correlate(&[5], &mut message).unwrap().to_vec();
    assert_ne!(one, other.correlate(&[5], &mut message).unwrap());
}

/// Runs so many transfers, tile after tile, and checks each; gives the sender's blocks.
fn correlated((receiver, sender): &mut (Receiver, Sender), choices: &[u64]) -> Vec<u128> {
    let (fan, delta) = (receiver.0.fan, **sender.delta);
    let mut all = Vec::with_capacity(64 * choices.len());
    for choices in choices.chunks(TILE) {
        let mut message = vec![0; receiver.message_words(choices.len())];
        assert_eq!(message.len(), choices.len() * KAPPA / fan.bits());
        assert_eq!(message.len(), sender.message_words(choices.len()));
        let t = receiver.correlate(choices, &mut message).unwrap();
        let q = sender.correlate(choices.len(), &message).unwrap();
        assert_eq!([t.len(), q.len()], [64 * choices.len(); 2]);
        let apart = |i: usize| if chosen(choices, i) { delta } else { 0 };
        let wrong = t.iter().zip(q).enumerate().position(|(i, (t, q))| t ^ q != apart(i));
        assert_eq!(wrong, None, "{fan:?}, {delta:032x}");
        all.extend_from_slice(q);
    }
    all
}

/// So many transfers of random choices, of which no two have the same block.
fn many(fan: FieldBits, log_transfers: u32) {
    let choices = Rng(test_seed()).words(1 << (log_transfers - 6));
    let mut blocks = correlated(&mut pair(fan, DELTA), &choices);
    assert_eq!(blocks.len(), 1 << log_transfers);
    blocks.sort_unstable();
    assert!(blocks.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_million_transfers_are_correlated() {
    many(FieldBits::Two, 20);
    [FieldBits::One, FieldBits::Four, FieldBits::Eight].into_iter().for_each(|fan| many(fan, 14));
}

#[test]
#[ignore = "takes long"]
fn a_million_transfers_of_every_fan_are_correlated() {
    FieldBits::ALL.into_iter().for_each(|fan| many(fan, 20));
}

#[test]
fn any_delta_and_any_choices_do() {
    let words = 11;
    let random = Rng(test_seed()).words(words);
    let lists = [vec![0; words], vec![u64::MAX; words], vec![0x5555_5555_5555_5555; words], random];
    for fan in FieldBits::ALL {
        for delta in [1, 1 << 61, 1 << 127, u128::MAX, 0] {
            let mut ends = pair(fan, delta);
            lists.iter().for_each(|choices| _ = correlated(&mut ends, choices));
        }
    }
}

fn refused(run: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err()
}

#[test]
fn messages_of_another_length_are_no_messages() {
    for fan in FieldBits::ALL {
        let (mut receiver, mut sender) = pair(fan, DELTA);
        let words = KAPPA / fan.bits();
        for length in [0, words - 1, words + 1, 2 * words] {
            let mut message = vec![0; length];
            assert!(refused(|| _ = receiver.correlate(&[5], &mut message).is_ok()), "{fan:?}");
            assert!(refused(|| _ = sender.correlate(1, &message).is_ok()), "{fan:?}");
        }
        // And nothing is lost by refusing.
        correlated(&mut (receiver, sender), &[5]);
    }
}
