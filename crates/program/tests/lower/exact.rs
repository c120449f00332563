//! Operations whose lowering is exact.

use crate::harness::{Column, assert_same, pairs, values, within};
use tacit_circuit::library::adder::AdderForm;
use tacit_program::build::{Builder, Value};
use tacit_program::ir::Op;
use tacit_program::lower::{Target, lower};
use tacit_program::{Element, Program};
use tacit_ring::entropy::Rng;

/// Integer columns over all types, and narrow ranges of some.
fn integers(random: &mut Rng, count: usize) -> Vec<Column> {
    let mut columns = Vec::new();
    for bits in [8, 16, 32, 64] {
        for element in [Element::int(bits), Element::uint(bits)] {
            let all = element.interval();
            columns.push(column(element, all.low, all.high, count, random));
        }
    }
    columns.push(column(Element::int(32), 0, 99, count, random));
    columns.push(column(Element::int(64), -1000, -3, count, random));
    columns.push(column(Element::uint(16), 7, 7, count, random));
    columns
}

fn column(element: Element, low: i128, high: i128, count: usize, random: &mut Rng) -> Column {
    Column { element, range: (low, high), values: values(low, high, count, random) }
}

fn fixed(random: &mut Rng, count: usize) -> Vec<Column> {
    let mut columns = Vec::new();
    for (bits, fraction) in [(16, 8), (24, 8), (8, 0), (24, 16), (20, 19)] {
        let element = Element::Fixed { bits, fraction };
        let all = element.interval();
        columns.push(column(element, all.low, all.high, count, random));
    }
    columns.push(column(Element::Fixed { bits: 40, fraction: 16 }, 1, 1 << 38, count, random));
    columns
}

#[test]
fn of_one_integer() {
    let mut random = Rng(1);
    for x in integers(&mut random, 50) {
        assert_same(std::slice::from_ref(&x), |b, v| b.abs(v[0]));
        assert_same(std::slice::from_ref(&x), |b, v| b.sqrt(v[0]));
    }
}

type Binary = fn(&mut Builder, Value, Value) -> Value;
const BINARY: [Binary; 4] =
    [|b, x, y| b.min(x, y), |b, x, y| b.max(x, y), |b, x, y| b.rem(x, y), |b, x, y| b.div(x, y)];

#[test]
fn of_two_integers() {
    let mut random = Rng(2);
    let columns = integers(&mut random, 4);
    for x in &columns {
        for y in &columns {
            let operands = pairs(x, y);
            let operands = [operands.0, operands.1];
            for op in BINARY {
                // 2^63 - 1 + 1 of quotients by -1, and remainders of mixed 64-bit types.
                if !infers(&operands, op) {
                    continue;
                }
                assert_same(&operands, |b, v| op(b, v[0], v[1]));
            }
        }
    }
}

/// Whether the result has a type of at most 64 bits.
fn infers(columns: &[Column], op: Binary) -> bool {
    crate::harness::program(columns, |b, v| op(b, v[0], v[1])).is_ok()
}

#[test]
fn of_fixed_point() {
    let mut random = Rng(3);
    for x in fixed(&mut random, 40) {
        assert_same(std::slice::from_ref(&x), |b, v| b.abs(v[0]));
        assert_same(std::slice::from_ref(&x), |b, v| b.sqrt(v[0]));
        let operands = pairs(&x, &x);
        let operands = [operands.0, operands.1];
        for op in [BINARY[0], BINARY[1], BINARY[3]] {
            assert_same(&operands, |b, v| op(b, v[0], v[1]));
        }
    }
}

#[test]
fn by_integers_in_fixed_point() {
    let mut random = Rng(4);
    let x = column(Element::Fixed { bits: 40, fraction: 16 }, -(1 << 39), 1 << 38, 20, &mut random);
    let y = column(Element::uint(16), 0, 5000, 20, &mut random);
    let operands = pairs(&x, &y);
    assert_same(&[operands.0, operands.1], |b, v| b.div(v[0], v[1]));
}

/// Division by constant powers of two are shifts.
#[test]
fn by_powers_of_two() {
    let (mut random, mut tried) = (Rng(7), 0);
    for x in integers(&mut random, 30).into_iter().chain(fixed(&mut random, 30)) {
        for divisor in [1, 2, 8, 64] {
            let column = std::slice::from_ref(&x);
            for op in
                [|b: &mut Builder, x, y: i64| b.div(x, y), |b: &mut Builder, x, y| b.rem(x, y)]
            {
                // Remainders are of integers.
                let Ok(program) = crate::harness::program(column, |b, v| op(b, v[0], divisor))
                else {
                    continue;
                };
                assert!(!has_circuits(&program), "{:?} by {divisor}", x.element);
                assert_same(column, |b, v| op(b, v[0], divisor));
                tried += 1;
            }
        }
    }
    // Eleven types of integers, by two operations, and six of fixed point.
    assert_eq!(tried, 4 * (2 * 11 + 6));
}

fn has_circuits(program: &Program) -> bool {
    let lowered = lower(program, Target::circuits(AdderForm::Select));
    lowered.body.nodes.iter().any(|node| matches!(node.op, Op::Circuit { .. }))
}

#[test]
fn over_an_axis() {
    let mut random = Rng(5);
    for length in [1, 2, 3, 5, 7, 8] {
        for element in [Element::int(16), Element::Fixed { bits: 16, fraction: 8 }] {
            let mut x = column(element, -3, 3, 0, &mut random);
            x.values = (0..2 * length).map(|_| within(&mut random, -3, 3)).collect();
            for axis in [0, 1] {
                let shape = move |axis| match axis {
                    0 => vec![(length as u64).into(), 2.into()],
                    _ => vec![2.into(), (length as u64).into()],
                };
                let column = std::slice::from_ref(&x);
                assert_same(column, |b, v| {
                    let matrix = b.reshape(v[0], shape(axis));
                    b.product(matrix, axis)
                });
                assert_same(column, |b, v| {
                    let matrix = b.reshape(v[0], shape(axis));
                    let (least, most) = (b.min_over(matrix, axis), b.max_over(matrix, axis));
                    b.concat(&[least, most], 0)
                });
            }
        }
    }
}

#[test]
fn within_loops() {
    let mut random = Rng(6);
    let x = column(Element::int(16), -500, 500, 20, &mut random);
    assert_same(std::slice::from_ref(&x), |b, v| {
        let outside = v[0];
        let carried = [tacit_program::build::Carried::within(outside, -500..=500)];
        b.repeat(5, &carried, |b, now, index| {
            let below = b.sub(now[0], index);
            let next = b.max(below, outside);
            let next = b.abs(next);
            let half = b.div(next, -2);
            vec![b.assume(half, -500..=500)]
        })[0]
    });
}
