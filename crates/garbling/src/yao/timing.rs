//! A test that garbling takes the same time for all offsets and lowest bits of labels.

use super::gates::{Hash, SIDE, garble};
use crate::Ports;
use std::hint::black_box;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_ring::entropy::Rng;
use tacit_ring::timing::tells;

/// Bits of each input, all multiplied.
const BITS: usize = 32;
const MEASUREMENTS: usize = 10_000;

/// Whether garbling tells of the offset and the labels of inputs that `secrets` makes of random blocks.
fn told(secrets: impl Fn(u128, u128, &mut [u128]) -> u128) -> bool {
    let mut b = Builder::new();
    let (x, y) = (b.input(BITS as u32), b.input(BITS as u32));
    let products: Vec<_> = x.into_iter().zip(y).map(|(x, y)| b.and2(x, y)).collect();
    b.output(&products);
    let schedule = Schedule::new(&b.finish());
    let inputs = [(0, BITS), (1, BITS)];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &[vec![0]], guards: 0 };
    let hash = Hash::new([3; 16]);
    let secret = |class: bool, rng: &mut Rng| {
        let mut random = || u128::from(rng.word()) << 64 | u128::from(rng.word());
        let mut labels: Vec<u128> = (0..2 * BITS).map(|_| random()).collect();
        let kept = u128::from(class).wrapping_neg();
        (secrets(kept, random(), &mut labels), labels)
    };
    tells(MEASUREMENTS, secret, |(offset, labels)| {
        let garbled = garble::<1>(&hash, ports, [0], *offset, [labels]).unwrap();
        black_box(garbled.0[0].len());
        // And several instances, which are garbled in another way.
        let garbled = garble(&hash, ports, [0; SIDE], *offset, [&labels[..]; SIDE]).unwrap();
        black_box(garbled.0[0].len());
    })
}

#[test]
#[ignore = "measures time"]
fn garbling_takes_as_long_for_any_offset() {
    assert!(!told(|kept, random, _| random & kept | 1));
}

#[test]
#[ignore = "measures time"]
fn garbling_takes_as_long_for_any_lowest_bits() {
    assert!(!told(|kept, random, labels| {
        labels.iter_mut().for_each(|label| *label &= kept | !1);
        random | 1
    }));
}
