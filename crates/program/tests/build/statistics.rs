//! Means, variances and standard deviations against `f64`.

use crate::{column, run};
use tacit_program::build::{Along, Array, Builder, Groups};
use tacit_program::{Element, Interval};

const FRACTION: u8 = 12;
const UNIT: f64 = 4096.0;
const U32: Element = Element::uint(32);
const U8: Element = Element::uint(8);

fn salaries(count: usize) -> (Vec<i128>, Vec<i128>) {
    let pay = (0..count as i128).map(|i| 20_000 + (i * 7_919_999) % 980_000).collect();
    let group = (0..count as i128).map(|i| (i * i) % 4).collect();
    (pay, group)
}

/// Mean and variance of what is in a group, zero of nothing.
fn moments(pay: &[i128], keep: impl Fn(usize) -> bool) -> (f64, f64) {
    let kept: Vec<f64> =
        pay.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, &v)| v as f64).collect();
    let count = kept.len().max(1) as f64;
    let mean = kept.iter().sum::<f64>() / count;
    (mean, kept.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count)
}

fn close(raw: i128, exact: f64, units: f64) {
    let value = raw as f64;
    assert!((value - exact * UNIT).abs() <= units, "{} for {exact}", value / UNIT);
}

/// The results of each group.
fn by_group(results: &[Vec<i128>]) -> Vec<Vec<i128>> {
    (0..results[0].len()).map(|g| results.iter().map(|r| r[g]).collect()).collect()
}

#[test]
fn of_integers_by_group() {
    let mut b = Builder::new("pay");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 6000);
    let pay = b.input("pay", alice, Array::of(U32).axis(n).range(0..=1_000_000));
    let group = b.input("group", bob, Array::of(U8).axis(n));
    let by = Groups::by(group, 0..4);
    let results = [
        b.group_mean(pay, by, FRACTION),
        b.group_variance(pay, by, FRACTION),
        b.group_std(pay, by, FRACTION),
    ];
    for (name, value) in ["mean", "variance", "std"].iter().zip(results) {
        b.reveal(name, value, &[alice, bob]);
    }
    let program = b.finish().unwrap();
    for count in [0, 1, 2, 3, 1000] {
        let (pay, group) = salaries(count);
        let inputs = [("pay", column(U32, &pay)), ("group", column(U8, &group))];
        let results = run(&program, &[count as u64], &inputs);
        for (g, found) in (0..4).zip(by_group(&results)) {
            let (mean, variance) = moments(&pay, |i| group[i] == g);
            close(found[0], mean, 1.0);
            close(found[1], variance, 4.0);
            // The root of an error of four units of the variance.
            let slack = if variance > 0.0 { 4.0 / variance.sqrt() } else { (4.0 * UNIT).sqrt() };
            close(found[2], variance.sqrt(), 1.0 + slack);
        }
    }
}

#[test]
fn over_an_axis() {
    let mut b = Builder::new("pay");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let pay = b.input("pay", alice, Array::of(U32).axis(50).range(20_000..=1_000_000));
    let bonus = b.input("bonus", bob, Array::of(U32).axis(50).range(0..=1));
    let total = b.add(pay, bonus);
    let results =
        [b.mean(total, Along::axis(0), FRACTION), b.variance(total, Along::axis(0), FRACTION)];
    b.reveal("mean", results[0], &[alice]);
    b.reveal("variance", results[1], &[bob]);
    let program = b.finish().unwrap();
    let (pay, _) = salaries(50);
    let bonus = vec![1; 50];
    let results = run(&program, &[], &[("pay", column(U32, &pay)), ("bonus", column(U32, &bonus))]);
    let (mean, variance) = moments(&pay, |_| true);
    close(results[0][0], mean + 1.0, 1.0);
    close(results[1][0], variance, 4.0);
}

#[test]
fn of_those_where_a_bit_is_one() {
    let mut b = Builder::new("pay");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 6000);
    let pay = b.input("pay", alice, Array::of(U32).axis(n).range(20_000..=1_000_000));
    let counts = b.input("counts", bob, Array::of(Element::Bit).axis(n));
    let along = Along::axis(0).only(counts);
    let precise = FRACTION + 30;
    let results = [
        b.mean(pay, along, FRACTION),
        b.variance(pay, along, FRACTION),
        b.mean(pay, along, precise),
    ];
    for (name, value) in ["mean", "variance", "precise"].iter().zip(results) {
        b.reveal(name, value, &[alice]);
    }
    let program = b.finish().unwrap();
    for (result, fraction) in [(0, FRACTION), (2, precise)] {
        let ty = program.body.type_of(program.reveals[result].value);
        assert_eq!(ty.interval, Interval { low: 0, high: 1_000_000 << fraction });
    }
    for count in [0, 1, 2, 1000] {
        let (pay, group) = salaries(count);
        let bits: Vec<i128> = group.iter().map(|g| i128::from(*g == 1)).collect();
        let inputs = [("pay", column(U32, &pay)), ("counts", column(Element::Bit, &bits))];
        let results = run(&program, &[count as u64], &inputs);
        let (mean, variance) = moments(&pay, |i| bits[i] == 1);
        close(results[0][0], mean, 1.0);
        close(results[1][0], variance, 4.0);
        close(results[2][0] >> 30, mean, 1.0);
    }
}

#[test]
fn of_fixed_point() {
    let element = Element::Fixed { bits: 32, fraction: FRACTION };
    let mut b = Builder::new("heights");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 1000);
    let height = b.input("height", alice, Array::of(element).axis(n).range(0.0..=2.5));
    let group = b.input("group", bob, Array::of(U8).axis(n));
    let by = Groups::by(group, 0..2);
    let results = [b.group_mean(height, by, FRACTION), b.group_variance(height, by, FRACTION)];
    b.reveal("mean", results[0], &[alice]);
    b.reveal("variance", results[1], &[bob]);
    let program = b.finish().unwrap();
    let raw: Vec<i128> = (0..300).map(|i| 4096 + (i * 991) % 5000).collect();
    let group: Vec<i128> = (0..300).map(|i| i % 3).collect();
    let inputs = [("height", column(element, &raw)), ("group", column(U8, &group))];
    let results = run(&program, &[300], &inputs);
    for (g, found) in (0..2).zip(by_group(&results)) {
        let (mean, variance) = moments(&raw, |i| group[i] == g);
        close(found[0], mean / UNIT, 1.0);
        close(found[1], variance / UNIT / UNIT, 2.0 * mean / UNIT + 4.0);
    }
}
