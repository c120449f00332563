//! Approximations of plain numbers, whose truncation rounds as a test says, against the real functions.

use super::coefficients::{EXP, LOG, SIGMOID};
use super::exponential::Exponential;
use super::logarithm::Logarithm;
use super::piecewise::Piecewise;
use super::{Approximation, Function};
use crate::Ring;
use crate::machine::Machine;
use crate::machine::rounded::{ROUNDINGS, Rounded, Rounding};

const BITS: [u32; 5] = [8, 12, 16, 20, 24];

/// Ranges, fractional bits, and how many numbers are left out between two.
const RANGES: [Range; 9] = [
    (-32768, 32767, 12, 11),
    (-32768, 32767, 8, 13),
    (-(1 << 20), 1 << 20, 16, 1331),
    (0, 1 << 16, 16, 33),
    (-(1 << 16), -1, 13, 33),
    (5 << 10, 11 << 10, 10, 7),
    (-128, 127, 3, 1),
    (-(1 << 31), (1 << 31) - 1, 16, 1 << 21),
    (-(1 << 24), 1 << 24, 20, 16411),
];

/// All numbers of 16 bits.
const ALL: [Range; 4] =
    [(-32768, 32767, 12, 1), (-32768, 32767, 13, 1), (-32768, 32767, 11, 1), (-32768, 32767, 8, 1)];

type Range = (i128, i128, u32, usize);

/// Numbers of a range: its ends, those around zero and powers of two, and others at a distance.
fn numbers((low, high, _, step): Range) -> Vec<i128> {
    let mut all: Vec<i128> = (low..=high).step_by(step).collect();
    all.extend([low, low + 1, high - 1, high, -2, -1, 0, 1, 2]);
    for i in 0..33 {
        all.extend([-1, 0, 1].map(|more| (1i128 << i) + more));
        all.extend([-1, 0, 1].map(|more| more - (1i128 << i)));
    }
    all.retain(|x| (low..=high).contains(x));
    all
}

fn wanted(function: Function, bits: u32, range: Range) -> Approximation {
    let (low, high, fraction, _) = range;
    Approximation { function, bits, low, high, fraction }
}

fn unit(fraction: u32) -> f64 {
    2f64.powi(-(fraction as i32))
}

/// Whether a raw result is as close as it has to be; within 1.7 units, beside its bits.
fn assert_close(result: i128, exact: f64, bits: u32, fraction: u32, scale: f64, what: &str) {
    let distance = (result as f64 * unit(fraction) - exact).abs();
    let bound = unit(bits) * scale + 1.7 * unit(fraction);
    assert!(distance <= bound, "{what}: {result}, exactly {}", exact / unit(fraction));
}

#[test]
fn sigmoids_are_within_their_bound_and_between_zero_and_one() {
    check_sigmoids(&RANGES);
}

fn check_sigmoids(ranges: &[Range]) {
    for &range in ranges {
        for bits in BITS {
            let Some(plan) = Piecewise::sigmoid(&wanted(Function::Sigmoid, bits, range)) else {
                assert!(bits == 24 && range.2 == 20, "{bits} bits of {range:?}");
                continue;
            };
            for x in numbers(range) {
                // One truncation: down or up is all that it may be.
                for rounding in [Rounding::Down, Rounding::Up] {
                    let mut machine = Rounded::new(plan.ring, rounding);
                    let powers = plan.powers(&mut machine, &x).unwrap();
                    let changes = plan.changes(&mut machine, &powers).unwrap();
                    let below = plan.cuts.iter().zip(&changes).filter(|(cut, _)| x < **cut);
                    let terms: Vec<(i128, &i128)> = below.map(|(_, change)| (1, change)).collect();
                    let added = machine.linear(0, &terms).unwrap();
                    let result = plan.finish(&mut machine, &powers, Some(&added)).unwrap();
                    let exact = 1.0 / (1.0 + (-(x as f64) * unit(range.2)).exp());
                    let what = format!("sigmoid of {x}, {bits} bits, {range:?}, {rounding:?}");
                    assert_close(result, exact, bits, range.2, 1.0, &what);
                    assert!((0..=1 << range.2).contains(&result), "{what}: {result}");
                }
            }
        }
    }
}

#[test]
fn exponentials_are_within_their_bound() {
    check_exponentials(&RANGES);
}

fn check_exponentials(ranges: &[Range]) {
    for &range in ranges {
        for bits in BITS {
            let Some(plan) = Exponential::of(&wanted(Function::Exp, bits, range)) else {
                assert!(range.1 >= 60 << range.2 || range.0 <= -60 << range.2, "{range:?}");
                continue;
            };
            for x in numbers(range) {
                let below: Vec<i128> = plan.cuts.iter().map(|cut| i128::from(x < *cut)).collect();
                let vanished = plan.vanishes.then(|| below[0] * x);
                for rounding in ROUNDINGS {
                    let mut machine = Rounded::new(plan.ring, rounding);
                    let [rest, scale] =
                        plan.split(&mut machine, &x, &below, vanished.as_ref()).unwrap();
                    let result = plan.finish(&mut machine, [&rest, &scale]).unwrap();
                    let exact = (x as f64 * unit(range.2)).exp();
                    let what = format!("exp of {x}, {bits} bits, {range:?}, {rounding:?}");
                    assert_close(result, exact, bits, range.2, exact, &what);
                }
            }
        }
    }
}

#[test]
fn logarithms_are_within_their_bound() {
    check_logarithms(&RANGES);
}

fn check_logarithms(ranges: &[Range]) {
    for &range in ranges {
        for bits in BITS {
            let least = -1 << 20;
            let function = Function::Log { least };
            let Some(plan) = Logarithm::of(&wanted(function, bits, range), least) else {
                assert!(range.1 <= 0, "{range:?}");
                continue;
            };
            for x in numbers(range) {
                let counts = if x < 0 { !x } else { x };
                let place = counts.checked_ilog2().unwrap_or(0);
                let (scale, more) = (plan.up(place), plan.more(place));
                for rounding in ROUNDINGS {
                    let mut machine = Rounded::new(plan.ring, rounding);
                    let result = plan.approximate(&mut machine, [&x, &scale, &more]).unwrap();
                    if x > 0 {
                        let exact = (x as f64 * unit(range.2)).ln();
                        let what = format!("log of {x}, {bits} bits, {range:?}, {rounding:?}");
                        assert_close(result, exact, bits, range.2, 1.0, &what);
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "a minute and a half"]
fn every_number_of_sixteen_bits() {
    check_sigmoids(&ALL);
    check_exponentials(&ALL);
    check_logarithms(&ALL);
}

#[test]
fn rings_are_as_narrow_as_they_may_be() {
    let ring = |function, bits, range| wanted(function, bits, range).ring();
    let range = (-(8 << 16), 8 << 16, 16, 1);
    assert_eq!(ring(Function::Sigmoid, 12, range), Some(Ring::W64));
    assert_eq!(ring(Function::Sigmoid, 16, range), Some(Ring::W64));
    assert_eq!(ring(Function::Sigmoid, 20, range), Some(Ring::W128));
    assert_eq!(ring(Function::Exp, 16, range), Some(Ring::W64));
    assert_eq!(ring(Function::Log { least: 0 }, 20, range), Some(Ring::W64));
    assert_eq!(ring(Function::Sigmoid, 24, range), Some(Ring::W128));
    assert_eq!(ring(Function::Exp, 24, range), Some(Ring::W64));
    assert_eq!(ring(Function::Log { least: 0 }, 24, (1, 1 << 30, 16, 1)), Some(Ring::W64));
    assert_eq!(ring(Function::Sigmoid, 24, (-(1 << 25), 1 << 25, 20, 1)), None);
    assert_eq!(ring(Function::Exp, 12, (0, 100 << 16, 16, 1)), None);
}

/// The constants of this crate are those of the specification.
#[test]
fn coefficients_are_those_of_the_specification() {
    let text = include_str!("../../../../docs/spec/data/approximation_coefficients.json");
    let all: serde_json::Value = serde_json::from_str(text).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<i128> {
        value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap().into()).collect()
    };
    for (name, table) in [("exp", EXP), ("log", LOG)] {
        for (bits, (fraction, coefficients)) in table {
            let entry = &all[name][bits.to_string()];
            assert_eq!(entry["fraction"], fraction);
            assert_eq!(numbers(&entry["coefficients"]), coefficients, "{name}, {bits} bits");
        }
    }
    for (bits, pieces) in SIGMOID {
        let entry = &all["sigmoid"][bits.to_string()];
        assert_eq!(
            (entry["fraction"].as_u64(), entry["cuts_over"].as_u64()),
            (Some(pieces.fraction.into()), Some(64))
        );
        let cuts: Vec<i128> = pieces.cuts.iter().map(|cut| i128::from(*cut)).collect();
        assert_eq!(numbers(&entry["cuts"]), cuts);
        let rows: Vec<i128> = entry["rows"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert_eq!(rows, pieces.rows);
    }
}
