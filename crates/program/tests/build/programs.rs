//! Arithmetic, tables and loops.

use crate::{column, run};
use std::sync::Arc;
use tacit_circuit::library::{Params, build};
use tacit_program::build::{Array, Builder, Carried, Groups};
use tacit_program::{Element, Interval, text};

const I32: Element = Element::int(32);

#[test]
fn broadcasting_and_numbers() {
    let mut b = Builder::new("test");
    let alice = b.party("alice");
    let n = b.rows("n", 10);
    let x = b.input("x", alice, Array::of(I32).axis(n).range(-100..=100));
    let row = b.constants(I32, &[1, 3], &[1, 10, 100]);
    let tall = b.reshape(x, vec![n.into(), 1.into()]);
    let table = b.mul(tall, row);
    let sums = b.sum(table, 0);
    b.reveal("sums", sums, &[alice]);
    let half = b.to_fixed(x, 8);
    let half = b.mul(half, 0.5);
    let mixed = b.add(half, x);
    b.reveal("mixed", mixed, &[alice]);
    let positive = b.ge(x, 0);
    let count = b.sum(positive, 0);
    b.reveal("count", count, &[alice]);
    let program = b.finish().unwrap();
    let results = run(&program, &[3], &[("x", column(I32, &[5, -7, 4]))]);
    assert_eq!(results[0], [2, 20, 200]);
    assert_eq!(results[1], [1920, -2688, 1536]);
    assert_eq!(results[2], [2]);
}

#[test]
fn comparisons_and_choices() {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let x = b.input("x", alice, Array::of(I32).axis(4));
    let y = b.input("y", bob, Array::of(Element::uint(8)).axis(4));
    let all = [b.lt(x, y), b.le(x, y), b.gt(x, y), b.ge(x, y), b.eq(x, y), b.ne(x, y)];
    let parity = all[1..].iter().fold(all[0], |sum, &bit| b.xor(sum, bit));
    for (i, bits) in all.iter().enumerate() {
        b.reveal(&format!("{i}"), *bits, &[alice]);
    }
    let least = b.select(all[0], x, y);
    let same = b.eq(all[0], parity);
    b.reveal("least", least, &[bob]);
    b.reveal("same", same, &[bob]);
    let program = b.finish().unwrap();
    let x = column(I32, &[-1, 5, 200, 201]);
    let y = column(Element::uint(8), &[0, 5, 200, 200]);
    let results = run(&program, &[], &[("x", x), ("y", y)]);
    let expected: [&[i128]; 8] = [
        &[1, 0, 0, 0],
        &[1, 1, 1, 0],
        &[0, 0, 0, 1],
        &[0, 1, 1, 1],
        &[0, 1, 1, 0],
        &[1, 0, 0, 1],
        &[-1, 5, 200, 200],
        // Three of the six are one in every row, so the parity is: it is the first where that is.
        &[1, 0, 0, 0],
    ];
    assert_eq!(results, expected);
}

#[test]
fn tables() {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 100);
    let key = b.input("key", alice, Array::of(Element::uint(16)).axis(n));
    let pay = b.input("pay", bob, Array::of(I32).axis(n).range(0..=1000));
    let top = b.top_k(&[pay, key], 2);
    b.reveal("top", top[0], &[alice]);
    b.reveal("of", top[1], &[alice]);
    let large = b.gt(pay, 15);
    let groups = Groups::by(key, 1..4);
    let values = [
        b.group_sum(pay, groups),
        b.group_count(groups.only(large)),
        b.histogram(key, 1, 3),
        b.max_over(pay, 0),
        b.min_over(pay, 0),
        b.dot(key, pay),
    ];
    for (i, value) in values.into_iter().enumerate() {
        b.reveal(&format!("{i}"), value, &[alice, bob]);
    }
    let program = b.finish().unwrap();
    let key = column(Element::uint(16), &[1, 2, 2, 9, 3]);
    let pay = column(I32, &[10, 20, 30, 40, 15]);
    let results = run(&program, &[5], &[("key", key), ("pay", pay)]);
    assert_eq!(results[0], [40, 30]);
    assert_eq!(results[1], [9, 2]);
    assert_eq!(results[2], [10, 50, 15]);
    assert_eq!(results[3], [0, 2, 0]);
    assert_eq!(results[4], [1, 2, 1]);
    assert_eq!((results[5][0], results[6][0]), (40, 10));
    assert_eq!(results[7], [515]);
    let none = column(Element::uint(16), &[]);
    let results = run(&program, &[0], &[("key", none), ("pay", column(I32, &[]))]);
    assert_eq!(results[0], [0, 0]);
    assert_eq!((results[5][0], results[6][0], results[7][0]), (0, 1000, 0));
}

#[test]
fn loops_take_in_what_they_read() {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let x = b.input("x", alice, Array::of(I32).axis(2).range(0..=9));
    let y = b.input("y", bob, Array::of(I32).axis(2).range(0..=9));
    let zero = b.full_like(x, 0);
    let outer = b.repeat(3, &[Carried::from(zero)], |b, now, i| {
        let inner = b.repeat(2, &[now[0].into()], |b, now, j| {
            let both = b.add(x, y);
            let both = b.add(both, i);
            let both = b.add(both, j);
            let sum = b.add_wrapping(now[0], 0);
            let sum = b.add(sum, both);
            vec![b.assume(sum, 0..=10_000)]
        });
        let next = b.add(inner[0], x);
        vec![b.assume(next, 0..=20_000)]
    });
    b.reveal("sum", outer[0], &[alice]);
    let program = b.finish().unwrap();
    let results = run(&program, &[], &[("x", column(I32, &[1, 2])), ("y", column(I32, &[5, 0]))]);
    // 6 (x + y) + sum of i twice + sum of j thrice + 3 x.
    assert_eq!(results[0], [6 * 6 + 6 + 3 + 3, 6 * 2 + 6 + 3 + 6]);
}

#[test]
fn circuits_lane_by_lane() {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let x = b.input("x", alice, Array::of(Element::uint(8)).axis(3));
    let y = b.input("y", bob, Array::of(Element::uint(8)));
    let adder = Arc::new(build("add", &Params::new().width(8)).unwrap());
    let sum = b.circuit("add", &adder, &[x, y], &[Element::uint(8)]);
    b.reveal("sum", sum[0], &[alice]);
    let program = b.finish().unwrap();
    let y = tacit_program::clear::Array::scalar(Element::uint(8), 200).unwrap();
    let x = column(Element::uint(8), &[1, 55, 56]);
    assert_eq!(run(&program, &[], &[("x", x), ("y", y)])[0], [201, 255, 0]);
}

#[test]
fn checks_narrow_ranges_and_are_shown() {
    let source = "program test\nparties a, b\nrows n <= 9\ninput x: fixed(24,8)[n] from a in -9..9\n\
        let y = loop 3 carry (z: fixed(24,8)[n] secret in -2..2 = check(x, in -1..1)) {\n\
            yield check(z * 2, in -2..2)\n}\nreveal y to b\n";
    let program = text::parse("sums.tacit", source).unwrap();
    let summary = tacit_program::summary::summary(&program).to_string();
    let wanted = "CHECKED IN THE RUN: 1 bit for all checks together, to everybody\n  \
        sums.tacit:5:59  fixed(24,8)[n]  in -1..1\n  \
        sums.tacit:6:7   fixed(24,8)[n]  in -2..2  in each iteration\n";
    assert!(summary.contains(wanted), "{summary}");

    let mut b = Builder::new("test");
    let alice = b.party("alice");
    let x = b.input("x", alice, Array::of(Element::int(8)).range(-7..=7));
    assert_eq!(b.check(x, -9..=7), x);
    let y = b.check(x, -9..=3);
    assert_eq!(b.type_of(y).unwrap().interval, Interval { low: -7, high: 3 });
    b.check(x, 8..=9);
    assert!(b.finish().unwrap_err().message.contains("range that is checked"));
}
