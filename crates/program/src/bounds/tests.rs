use super::*;
use crate::build::{Array as Declared, Builder, Carried, Groups, Value};
use crate::clear::{Array, evaluate_op};
use crate::ir::{Node, ValueId};
use crate::types::Element;
use std::collections::BTreeMap;

const FIXED: Element = Element::Fixed { bits: 24, fraction: 8 };

/// Columns `x` in -20..=20 and `y` in 1..=9 of different parties, and what `f` makes of them.
fn program(f: impl FnOnce(&mut Builder, Value, Value) -> Value) -> Program {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 64);
    let x = b.input("x", alice, Declared::of(FIXED).axis(n).range(-20..=20));
    let y = b.input("y", bob, Declared::of(FIXED).axis(n).range(1..=9));
    let result = f(&mut b, x, y);
    b.reveal("result", result, &[alice]);
    b.finish().expect("a program")
}

fn bound(f: impl FnOnce(&mut Builder, Value, Value) -> Value) -> u128 {
    reveal_bounds(&program(f))[0].1
}

#[test]
fn exact_operations_have_no_error() {
    assert_eq!(bound(|b, x, y| b.add(x, y)), 0);
    assert_eq!(bound(|b, x, y| b.div(x, y)), 0);
    assert_eq!(
        bound(|b, x, y| {
            let z = b.add(x, y);
            b.sqrt(z)
        }),
        0
    );
    assert_eq!(bound(|b, x, y| b.lt(x, y)), 0);
    let integers = |b: &mut Builder, x, y| {
        let [x, y] = [b.cast(x, Element::int(16)), b.cast(y, Element::int(16))];
        b.dot(x, y)
    };
    assert_eq!(bound(integers), 0);
}

#[test]
fn values_of_one_party_are_exact() {
    assert_eq!(bound(|b, x, _| b.mul(x, x)), 0);
    assert_eq!(bound(|b, x, _| b.exp(x)), 0);
}

#[test]
fn each_rounding_adds_a_unit() {
    assert_eq!(bound(|b, x, y| b.mul(x, y)), 1);
    assert_eq!(bound(|b, x, y| b.dot(x, y)), 1);
    let sum = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        b.sum(z, 0)
    };
    assert_eq!(bound(sum), 64);
    // 1 unit times 20 (5120 of 256), and one more.
    let twice = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        b.mul(z, x)
    };
    assert_eq!(bound(twice), 21);
    let cast = |b: &mut Builder, x, y| {
        let z = b.add(x, y);
        b.cast(z, Element::int(16))
    };
    assert_eq!(bound(cast), 1);
}

#[test]
fn comparisons_of_inexact_values_may_flip() {
    let less = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        b.lt(z, y)
    };
    assert_eq!(bound(less), 1);
    let apart = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        b.lt(z, 1000)
    };
    assert_eq!(bound(apart), 0);
    let select = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        let bit = b.lt(z, y);
        b.select(bit, x, y)
    };
    // x and y are at most 29 apart.
    assert_eq!(bound(select), 29 * 256);
    let count = |b: &mut Builder, x, y| {
        let z = b.mul(x, y);
        let group = b.cast(x, Element::int(8));
        let bit = b.lt(z, y);
        b.group_count(Groups::by(group, 0..4).only(bit))
    };
    assert_eq!(bound(count), 64);
}

#[test]
fn loops_add_up_their_errors() {
    let trips = |trips: u64| {
        bound(move |b, x, y| {
            let carried = Carried::within(x, -20..=20);
            b.repeat(trips, &[carried], |b, now, _| {
                let half = b.mul(y, 0.5);
                let z = b.mul(now[0], half);
                let z = b.sub(z, z);
                vec![b.assume(z, -20..=20)]
            })[0]
        })
    };
    assert_eq!(trips(0), 0);
    assert!(trips(1) >= 1 && trips(1) < trips(2) && trips(2) < trips(3));
    assert_eq!(trips(1 << 40), u128::MAX);
}

/// The column that evaluation gives if every rounding goes up or down at random.
fn noisy(program: &Program, inputs: &BTreeMap<&str, Array>, random: &mut Random) -> Array {
    let mut values: Vec<Array> = Vec::new();
    for node in &program.body.nodes {
        values.push(match &node.op {
            Op::Input { name, .. } => inputs[name.as_str()].clone(),
            op => {
                let operands: Vec<&Array> =
                    node.operands.iter().map(|v: &ValueId| &values[v.node as usize]).collect();
                let wide =
                    Type { interval: node.types[0].element.interval(), ..node.types[0].clone() };
                let exact = evaluate_op(op, &operands, &[wide], &[inputs["x"].len() as u64]);
                let from = operands.first().map_or(0, |a| a.element().fraction());
                disturbed(node, from, exact.expect("a value").remove(0), random)
            }
        });
    }
    values[program.reveals[0].value.node as usize].clone()
}

/// A result as it may be under a protocol, of operands with `from` fractional bits.
fn disturbed(node: &Node, from: u8, exact: Array, random: &mut Random) -> Array {
    let ty = &node.types[0];
    let most = match &node.op {
        _ if ty.visibility != Visibility::Secret => return exact,
        Op::Mul { .. } if from > 0 => 1,
        Op::Cast(to) if from > to.fraction() => 1,
        Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => {
            approximation(&node.op, ty) as i128 - 1
        }
        _ => return exact,
    };
    let least = if most == 1 { 0 } else { -most };
    let moved = exact.values().map(|v| v + random.within(least, most)).collect::<Vec<_>>();
    Array::from_values(ty.element, exact.shape().to_vec(), moved).expect("room for errors")
}

struct Random(u64);

impl Random {
    fn within(&mut self, low: i128, high: i128) -> i128 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + i128::from(self.0 >> 33) % (high - low + 1)
    }
}

/// A chain of operations picked at random, promised back into a range where it grows.
fn chain(b: &mut Builder, x: Value, y: Value, random: &mut Random) -> Value {
    let (mut last, mut other) = (x, y);
    for _ in 0..1 + random.within(0, 6) {
        let next = match random.within(0, 12) {
            0 => b.add(last, other),
            1 | 2 => b.mul(last, other),
            3 => b.div(last, other),
            4 => {
                let a = b.abs(last);
                b.sqrt(a)
            }
            5 => b.sigmoid(last),
            6 => {
                let top = b.min(last, 3);
                b.exp(top)
            }
            7 => {
                let a = b.max(last, 0.5);
                b.log(a)
            }
            8 => {
                let bit = b.lt(last, other);
                b.select(bit, last, other)
            }
            9 => b.max(last, other),
            10 => b.shift_right(last, 2),
            11 => {
                let wide = b.cast(last, Element::Fixed { bits: 40, fraction: 5 });
                b.cast(wide, Element::Fixed { bits: 44, fraction: 8 })
            }
            _ => b.sub(other, last),
        };
        let top = b.min(next, 30);
        let next = b.max(top, -30);
        (other, last) = (last, next);
    }
    last
}

#[test]
fn bounds_hold_for_random_programs() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let program = program(|b, x, y| chain(b, x, y, &mut random));
        let (name, bound) = reveal_bounds(&program)[0];
        assert_eq!(name, "result");
        let column = |low: i128, high: i128, random: &mut Random| {
            let values = (0..64).map(|_| random.within(low * 256, high * 256));
            Array::from_values(FIXED, vec![64], values).expect("in range")
        };
        let inputs =
            BTreeMap::from([("x", column(-20, 20, &mut random)), ("y", column(1, 9, &mut random))]);
        let owned = inputs.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
        let exact = crate::clear::evaluate(&program, &[64], owned).expect("outputs").remove(0).1;
        for _ in 0..4 {
            let noisy = noisy(&program, &inputs, &mut random);
            let far = exact.values().zip(noisy.values()).map(|(a, b)| a.abs_diff(b)).max();
            let ops: Vec<_> = program.body.nodes.iter().map(|node| &node.op).collect();
            assert!(far <= Some(bound), "seed {seed}: {far:?} beyond {bound}: {ops:?}");
        }
    }
}

#[test]
fn prefix_sums_add_up_errors_and_shifts_move_them() {
    let one = bound(|b, x, y| b.mul(x, y));
    let sums = bound(|b, x, y| {
        let products = b.mul(x, y);
        b.cumsum(products, 0, false)
    });
    let shifted = bound(|b, x, y| {
        let products = b.mul(x, y);
        b.shift(products, 0, -2, 0.5)
    });
    assert_eq!((sums, shifted), (64 * one, one));
}
