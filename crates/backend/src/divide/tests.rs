//! Division and roots of plain numbers, whose truncation rounds as a test says.

use super::LeadingOne;
use super::plan::{Plan, Sizes};
use super::root::Root;
use crate::Ring;
use crate::machine::rounded::{ROUNDINGS, Rounded};
use tacit_circuit::library::FanIn;
use tacit_circuit::{Builder, Circuit};
use tacit_ring::entropy::Rng;

/// Sizes of the operands of integer and fixed-point types.
const SIZES: [(u32, u32, u32); 13] = [
    (8, 8, 8),
    (7, 7, 8),
    (15, 15, 15),
    (16, 16, 16),
    (31, 31, 31),
    (32, 32, 32),
    (47, 31, 47),
    (63, 63, 63),
    (64, 64, 64),
    (40, 10, 40),
    (30, 3, 30),
    (5, 60, 5),
    (16, 43, 16),
];

fn sizes((dividend, divisor, quotient): (u32, u32, u32)) -> Sizes {
    Sizes { dividend, divisor, quotient }
}

/// Numbers up to a power of two: powers and what is next to them, and others of all lengths.
fn edges(bits: u32, count: usize, random: &mut Rng) -> Vec<i128> {
    let top = 1i128 << bits;
    let mut all = vec![1, 2, 3, 5, 7, top - 1, top - 2, top / 2, top / 2 - 1, top / 2 + 1, top / 3];
    for i in 0..bits {
        all.extend([1 << i, (1 << i) - 1, (1 << i) + 1]);
    }
    all.extend((0..count).map(|_| below(random, bits)));
    all.retain(|value| (1..=top).contains(value));
    all
}

/// A number of up to so many bits, more often a short one.
fn below(random: &mut Rng, bits: u32) -> i128 {
    let shift = random.word() % u64::from(bits);
    (i128::from(random.word()) & ((1 << bits) - 1)) >> shift
}

/// The circuit that finds leading ones, and what it says of a number.
fn found(leading: LeadingOne, number: i128) -> (u32, bool) {
    let mut b = Builder::new();
    leading.build(&mut b, FanIn::TWO);
    said(leading, &b.finish(), number)
}

/// The place of the one line that is set, and whether the number is not zero.
fn said(leading: LeadingOne, circuit: &Circuit, number: i128) -> (u32, bool) {
    let width = leading.bits + u32::from(leading.signed);
    let outputs = circuit.eval(&[(0..width).map(|bit| number >> bit & 1 == 1).collect()]);
    let lines: Vec<u32> = (0..leading.places()).filter(|i| outputs[0][*i as usize]).collect();
    let [line] = lines[..] else { panic!("{lines:?} of {number}, {leading:?}") };
    (leading.bits - 1 - line, outputs[1][0])
}

#[test]
fn quotients_are_exact_however_truncations_round() {
    let mut random = Rng(11);
    for (number, case) in (0..).zip(SIZES) {
        let sizes = sizes(case);
        let plan = Plan::new(sizes).expect("a plan");
        for d in edges(sizes.divisor, 60, &mut random) {
            // As it is, and, of a negative divisor, by its inverted bits.
            let signed = d == 1 << sizes.divisor || random.word() & 1 == 1;
            let leading = LeadingOne { bits: sizes.divisor, signed, lowest: 0 };
            let (place, nonzero) = found(leading, if signed { -d } else { d });
            assert!(nonzero);
            let scale = 1i128 << (sizes.divisor - 1 - place);
            let mut dividends = vec![0, 1, d - 1, d, d + 1, 1 << sizes.dividend];
            for _ in 0..6 {
                let base = below(&mut random, sizes.quotient) * d;
                dividends.extend([base - 1, base, base + 1, base + d - 1]);
            }
            for n in dividends.iter().flat_map(|n| [*n, -n]) {
                if n.abs() > 1 << sizes.dividend || n.abs() > d << sizes.quotient {
                    continue;
                }
                for rounding in ROUNDINGS {
                    let mut machine = Rounded::new(plan.ring, rounding);
                    let operands = [&n, &d, &scale];
                    let (y, rest) = plan.approximate(&mut machine, operands).expect("arithmetic");
                    assert_eq!(machine.products, plan.products(), "{plan:?}");
                    let right = n.div_euclid(d);
                    assert_eq!(rest, n - y * d, "{n} / {d}, case {number}");
                    let over = (1..plan.comparisons()).filter(|m| rest >= i128::from(*m) * d);
                    let corrected = y - i128::from(rest < 0) + over.count() as i128;
                    assert_eq!(corrected, right, "{n} / {d} {rounding:?} {plan:?}");
                    let room = 1 << (plan.remainder_bits() - 1);
                    assert!((-room..room).contains(&(rest - 2 * d)), "{n} / {d}");
                }
            }
        }
    }
}

#[test]
fn approximate_quotients_are_within_their_bound() {
    let mut random = Rng(13);
    for case in SIZES {
        let sizes = sizes(case);
        for bits in [8, 12, 16, 20, 24] {
            let Some(plan) = Plan::approximate_to(sizes, bits) else {
                assert!(sizes.dividend + sizes.divisor > 85, "{sizes:?} {bits}");
                continue;
            };
            for d in edges(sizes.divisor, 30, &mut random) {
                let signed = d == 1 << sizes.divisor || random.word() & 1 == 1;
                let leading = LeadingOne { bits: sizes.divisor, signed, lowest: 0 };
                let (place, _) = found(leading, if signed { -d } else { d });
                let scale = 1i128 << (sizes.divisor - 1 - place);
                let mut dividends = vec![0, 1, d - 1, d, d + 1, 1 << sizes.dividend];
                dividends.extend((0..6).map(|_| below(&mut random, sizes.dividend)));
                for n in dividends.iter().flat_map(|n| [*n, -n]) {
                    if n.abs() > 1 << sizes.dividend || n.abs() > d << sizes.quotient {
                        continue;
                    }
                    for rounding in ROUNDINGS {
                        let mut machine = Rounded::new(plan.ring, rounding);
                        let operands = [&n, &d, &scale];
                        let y = plan.quotient(&mut machine, operands).unwrap().quotient;
                        let exact = n as f64 / d as f64;
                        let bound = exact.abs() * 2f64.powi(-(bits as i32)) + 1.99;
                        let off = (y as f64 - exact).abs();
                        assert!(
                            off <= bound,
                            "{n} / {d} is {y}, {bits} bits, {rounding:?} {plan:?}"
                        );
                        assert!(n < 0 || y >= 0, "{n} / {d} is {y}");
                    }
                }
            }
        }
    }
}

/// As the executable model of the specification has them.
#[test]
fn plans_are_those_of_the_model() {
    let of = |case, ring| {
        let plan = Plan::within(sizes(case), ring).expect("a plan");
        let Plan { fraction, iterations, steps, scale, twice_offset, cut, .. } = plan;
        (fraction, iterations, steps, scale, twice_offset, cut)
    };
    assert_eq!(of((15, 15, 15), Ring::W64), (19, 2, 1, 0, 2, 0));
    assert_eq!(of((16, 16, 16), Ring::W64), (24, 2, 1, 0, 2, 0));
    assert_eq!(of((31, 31, 31), Ring::W64), (21, 2, 2, 38, 1, 0));
    assert_eq!(of((32, 32, 32), Ring::W128), (38, 3, 1, 0, 2, 0));
    assert_eq!(of((63, 63, 63), Ring::W128), (37, 3, 2, 68, 1, 0));
    assert!(Plan::new(sizes((120, 64, 120))).is_none());
}

#[test]
fn roots_are_exact_however_truncations_round() {
    let mut random = Rng(12);
    for bits in [1, 2, 7, 8, 15, 16, 17, 31, 32, 40, 47, 48, 63, 64] {
        let plan = Root::of(bits).expect("a plan");
        let mut numbers = edges(bits, 200, &mut random);
        for _ in 0..200 {
            let root = below(&mut random, bits.div_ceil(2)).max(1);
            numbers.extend([root * root - 1, root * root, root * root + 2 * root]);
        }
        numbers.retain(|n| (1..1 << bits).contains(n));
        for n in numbers {
            let place = n.ilog2();
            let scale = 1i128 << (bits - 1 - place);
            let up = Root::up(place);
            let down = plan.step.map(|step| Root::down(place, step));
            for rounding in ROUNDINGS {
                let mut machine = Rounded::new(plan.ring, rounding);
                let operands = [&n, &scale, &up];
                let (root, rest) = plan
                    .approximate(&mut machine, bits, operands, down.as_ref())
                    .expect("arithmetic");
                assert_eq!(rest, n - root * root);
                let corrected = root - i128::from(rest < 0) + i128::from(rest > 2 * root);
                assert_eq!(corrected, n.isqrt(), "of {n}, {rounding:?}, {bits} bits");
                let room = 1 << (bits.div_ceil(2) + 4);
                assert!((-room..room).contains(&(rest - 2 * root - 1)), "of {n}");
            }
        }
    }
    assert!(Root::of(65).is_none());
}

/// Exactly one line for every number, the lowest for those that have no one.
#[test]
fn leading_ones_of_all_short_numbers() {
    for (bits, signed) in (1..8).flat_map(|bits| [(bits, false), (bits, true)]) {
        for lowest in 0..bits {
            for fan_in in [FanIn::TWO, FanIn::FOUR] {
                let leading = LeadingOne { bits, signed, lowest };
                let mut b = Builder::new();
                leading.build(&mut b, fan_in);
                let circuit = b.finish();
                let least = if signed { -(1i128 << bits) } else { 0 };
                for number in least..1 << bits {
                    let counts = if number < 0 { !number } else { number };
                    let place = counts.checked_ilog2().unwrap_or(0);
                    if place < lowest && counts >= 1 {
                        continue;
                    }
                    let (found, nonzero) = said(leading, &circuit, number);
                    assert_eq!(found, place.max(lowest), "{leading:?} of {number}");
                    assert_eq!(nonzero, number != 0, "{leading:?} of {number}");
                }
            }
        }
    }
}
