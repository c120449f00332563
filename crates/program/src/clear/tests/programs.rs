//! Whole programs.

use super::*;
use crate::build::{Array as Declared, Builder, Carried, Groups};
use crate::clear::{Inputs, OpError, evaluate, evaluate_observed};
use crate::ir::Program;

/// `sum of a * b` over `n` rows, and the rows where `a < b`.
fn dot() -> Program {
    let mut b = Builder::new("dot");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let n = b.rows("n", 100);
    let x = b.input("x", alice, Declared::of(I8).axis(n).range(-9..=9));
    let y = b.input("y", bob, Declared::of(U8).axis(n));
    let total = b.dot(x, y);
    let less = b.lt(x, y);
    b.reveal("less", less, &[alice]);
    b.reveal("total", total, &[alice, bob]);
    b.finish().expect("a program")
}

fn inputs(arrays: &[(&str, Array)]) -> Inputs {
    arrays.iter().map(|(name, array)| ((*name).to_owned(), array.clone())).collect()
}

#[test]
fn reveals_come_in_order() {
    for (x, y, total) in
        [(vec![], vec![], 0), (vec![-9], vec![255], -2295), (vec![1, 2, 3], vec![4, 5, 0], 14)]
    {
        let less = x.iter().zip(&y).map(|(x, y)| i128::from(x < y)).collect::<Vec<_>>();
        let rows = [x.len() as u64];
        let given = inputs(&[("x", column(I8, &x)), ("y", column(U8, &y))]);
        let outputs = evaluate(&dot(), &rows, given).expect("outputs");
        let found: Vec<_> =
            outputs.iter().map(|(n, a)| (n.as_str(), a.values().collect::<Vec<_>>())).collect();
        assert_eq!(found, [("less", less), ("total", vec![total])]);
    }
}

#[test]
fn inputs_must_fit() {
    let y = || column(U8, &[1, 2]);
    let x = || column(I8, &[1, 2]);
    let run = |rows: &[u64], given: &[(&str, Array)]| {
        evaluate(&dot(), rows, inputs(given)).expect_err("an error").to_string()
    };
    let case = |given: &[(&str, Array)]| run(&[2], given);
    assert_eq!(case(&[("x", x())]), "input `y` is missing");
    assert_eq!(case(&[("x", x()), ("y", y()), ("z", y())]), "the program has no input `z`");
    assert_eq!(case(&[("x", y()), ("y", y())]), "input `x` must be i8, not u8");
    assert_eq!(
        case(&[("x", column(I8, &[1])), ("y", y())]),
        "input `x` must have the shape [2], not [1]"
    );
    assert_eq!(
        case(&[("x", column(I8, &[1, -10])), ("y", y())]),
        "input `x`: its value at place 1, counted from 0, is outside its declared range -9 to 9"
    );
    assert_eq!(run(&[], &[]), "the program has 1 row counts, 0 are given");
    assert_eq!(run(&[101], &[]), "`n` has 101 rows, the program allows at most 100");
}

/// Fibonacci numbers: `trips` steps from 0, 1 on values promised below a million; reads a value of
/// outside and the iteration number too.
fn fibonacci() -> Program {
    let mut b = Builder::new("fibonacci");
    let alice = b.party("alice");
    let trips = b.rows("trips", 50);
    let zero = b.input("zero", alice, Declared::of(I64).range(0..=0));
    let one = b.add(zero, 1);
    let carried = [
        Carried::within(zero, 0..=1_000_000),
        Carried::within(one, 0..=1_000_000),
        Carried::within(zero, 0..=10_000),
    ];
    let after = b.repeat(trips, &carried, |b, now, i| {
        let next = b.add(now[0], now[1]);
        let next = b.add(next, zero);
        let steps = b.add(now[2], i);
        let promised = [b.assume(next, 0..=1_000_000), b.assume(steps, 0..=10_000)];
        vec![now[1], promised[0], promised[1]]
    });
    b.reveal("number", after[0], &[alice]);
    b.reveal("steps", after[2], &[alice]);
    b.finish().expect("a program")
}

#[test]
fn loops_carry_values() {
    for (trips, number, steps) in [(0, 0, 0), (1, 1, 0), (10, 55, 45), (29, 514_229, 406)] {
        let given = inputs(&[("zero", array(I64, &[], &[0]))]);
        let (outputs, observed) =
            evaluate_observed(&fibonacci(), &[trips], given).expect("outputs");
        let found: Vec<i128> = outputs.iter().map(|(_, array)| array.get(0)).collect();
        assert_eq!(found, [number, steps], "{trips} trips");
        assert!(observed.violations.is_empty());
    }
}

#[test]
fn loops_report_what_they_carry_too_far() {
    let given = inputs(&[("zero", array(I64, &[], &[0]))]);
    let (_, observed) = evaluate_observed(&fibonacci(), &[33], given).expect("outputs");
    // Others follow from this one.
    let promised = Interval { low: 0, high: 1_000_000 };
    let mut violations = observed.violations.values();
    let first = violations.find(|v| v.declared == promised).expect("a violation");
    assert_eq!(first.node.len(), 2, "a node of the loop's body");
    assert_eq!(first.examples[0].trips, [29]);
    assert_eq!((first.examples[0].index, first.examples[0].value), (0, 1_346_269));
    assert_eq!(first.count, 4);
    assert!(first.span.line > 0 && first.span.file.ends_with("programs.rs"));
    let text = first.to_string();
    assert!(
        text.ends_with(
            "4 values leave 0 to 1000000: the first is 1346269 at index 0 of iteration [29]"
        ),
        "{text}"
    );
}

#[test]
fn nested_loops() {
    let mut b = Builder::new("power");
    let alice = b.party("alice");
    let start = b.input("start", alice, Declared::of(U64).range(0..=3));
    let after = b.repeat(3, &[Carried::within(start, 0..=1 << 20)], |b, outer, _| {
        let inner = b.repeat(2, &[Carried::within(outer[0], 0..=1 << 20)], |b, now, _| {
            let double = b.mul(now[0], 2);
            vec![b.assume(double, 0..=1 << 20)]
        });
        vec![inner[0]]
    });
    b.reveal("after", after[0], &[alice]);
    let program = b.finish().expect("a program");
    let given = inputs(&[("start", array(U64, &[], &[3]))]);
    assert_eq!(evaluate(&program, &[], given).expect("outputs")[0].1.get(0), 3 << 6);
}

#[test]
fn statistics_by_group() {
    let mut b = Builder::new("pay");
    let alice = b.party("alice");
    let n = b.rows("n", 1000);
    let group = b.input("group", alice, Declared::of(U8).axis(n).range(0..=3));
    let pay = b.input("pay", alice, Declared::of(Element::uint(32)).axis(n).range(0..=10_000));
    let by = Groups::by(group, 0..4);
    let mean = b.group_mean(pay, by, 8);
    let spread = b.group_std(pay, by, 8);
    b.reveal("mean", mean, &[alice]);
    b.reveal("spread", spread, &[alice]);
    let program = b.finish().expect("a program");
    let given = inputs(&[
        ("group", column(U8, &[0, 0, 2, 0, 2])),
        ("pay", column(Element::uint(32), &[100, 200, 50, 301, 51])),
    ]);
    let outputs = evaluate(&program, &[5], given).expect("outputs");
    let all = |i: usize| outputs[i].1.values().map(|v| v as f64 / 256.0).collect::<Vec<_>>();
    for (found, right) in all(0).iter().zip([601.0 / 3.0, 0.0, 50.5, 0.0]) {
        assert!((found - right).abs() <= 1.0 / 128.0, "{found} {right}");
    }
    for (found, right) in all(1).iter().zip([82.06, 0.0, 0.5, 0.0]) {
        assert!((found - right).abs() <= 0.5, "{found} {right}");
    }
}

#[test]
fn errors_say_where() {
    let mut b = Builder::new("wrong");
    let alice = b.party("alice");
    let x = b.input("x", alice, Declared::of(I8));
    let y = b.add(x, x);
    b.reveal("y", y, &[alice]);
    let mut program = b.finish().expect("a program");
    program.body.nodes[1].operands.pop();
    let error = evaluate(&program, &[], inputs(&[("x", array(I8, &[], &[1]))])).unwrap_err();
    let ClearError::Op { node, span, error: OpError::Malformed(_) } = &error else {
        panic!("{error}")
    };
    assert_eq!((&node[..], span.line > 0), (&[1][..], true));
    assert!(error.to_string().starts_with(&*span.file), "{error}");
}
