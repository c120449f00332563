//! Exponential, logarithm and sigmoid against `f64` and against evaluation in the clear, with the
//! bounds that `lower` states.

use crate::harness::{Column, both, values};
use tacit_program::Element;
use tacit_program::build::{Builder, Value};
use tacit_program::lower::exp_limit;
use tacit_ring::entropy::Rng;

const RELATIVE: f64 = 1.0 / (1u64 << 24) as f64;

fn columns(random: &mut Rng) -> Vec<Column> {
    let mut columns = Vec::new();
    for (bits, fraction) in
        [(16, 8), (24, 16), (32, 16), (64, 16), (40, 20), (64, 32), (33, 30), (44, 40), (10, 0)]
    {
        let element = Element::Fixed { bits, fraction };
        let all = element.interval();
        let mut list = values(all.low, all.high, 400, random);
        // Numbers of ordinary size, densely.
        let one = 1i128 << fraction;
        for _ in 0..3000 {
            let value = random.word() as i128 % (48 * one) - 24 * one;
            list.push(value.clamp(all.low, all.high));
        }
        columns.push(Column { element, range: (all.low, all.high), values: list });
    }
    let element = Element::Fixed { bits: 32, fraction: 16 };
    for (low, high) in [(65_536, 400_000), (-300_000, -70_000), (5, 5), (-20 << 16, 8 << 16)] {
        let list = values(low, high, 2000, random);
        columns.push(Column { element, range: (low, high), values: list });
    }
    columns
}

/// The largest error beyond 2 units, over the relative bound.
fn worst(
    column: &Column,
    op: fn(&mut Builder, Value) -> Value,
    truth: impl Fn(f64) -> f64,
    scale: impl Fn(f64) -> f64,
) -> f64 {
    let unit = 2f64.powi(column.element.fraction().into());
    let (before, after) = both(std::slice::from_ref(column), |b, v| op(b, v[0]));
    let mut worst = 0f64;
    for ((&x, before), after) in column.values.iter().zip(before).zip(after) {
        let exact = truth(x as f64 / unit) * unit;
        let scale = (scale(exact / unit) * unit).max(f64::MIN_POSITIVE);
        let error = ((after as f64 - exact).abs() - 2.0).max(0.0) / scale;
        // The clear value is rounded correctly.
        let apart = (((after - before) as f64).abs() - 2.5).max(0.0) / scale;
        worst = worst.max(error).max(apart);
        let shown = (x as f64 / unit, after, exact, before);
        assert!(error <= RELATIVE && apart <= RELATIVE, "{}: {shown:?}", column.element);
    }
    worst
}

#[test]
fn exponentials_stay_within_their_bound() {
    let mut random = Rng(7);
    for column in columns(&mut random) {
        let limit = exp_limit(column.element.fraction()) as f64;
        let error = worst(&column, |b, x| b.exp(x), |x| x.min(limit).exp(), |y| y);
        println!("{} {:?}: 2^{:.1}", column.element, column.range, error.log2());
    }
}

#[test]
fn logarithms_stay_within_their_bound() {
    let mut random = Rng(8);
    for mut column in columns(&mut random) {
        column.values.retain(|&v| v > 0);
        if column.values.is_empty() {
            continue;
        }
        let error = worst(&column, |b, x| b.log(x), f64::ln, |_| 1.0);
        println!("{} {:?}: 2^{:.1}", column.element, column.range, error.log2());
    }
}

#[test]
fn logarithms_of_what_is_not_positive_are_the_least_value() {
    let mut random = Rng(9);
    for mut column in columns(&mut random) {
        column.values.retain(|&v| v <= 0);
        if !column.values.is_empty() {
            let (before, after) = both(&[column], |b, v| b.log(v[0]));
            assert_eq!(before, after);
        }
    }
}

#[test]
fn sigmoids_stay_within_their_bound() {
    let mut random = Rng(10);
    for column in columns(&mut random) {
        let truth = |x: f64| 1.0 / (1.0 + (-x).exp());
        let error = worst(&column, |b, x| b.sigmoid(x), truth, |_| 1.0);
        println!("{} {:?}: 2^{:.1}", column.element, column.range, error.log2());
    }
}
