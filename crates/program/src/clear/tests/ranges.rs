//! The ranges that values really take.

use super::*;
use crate::clear::{EXAMPLES, Inputs, Observed, evaluate_observed};
use crate::domain::Meaning;
use crate::ir::{Block, Node, Program, Reveal, Span, ValueId};
use crate::types::PartyId;

/// `x` of any `i8`, promised to lie in `-5..=5`, times eight in a type for that.
fn broken_promise() -> Program {
    let value = |node| ValueId { node, index: 0 };
    let column = |element, low, high| within(result(element, &[40]), low, high);
    let line = |line| Span { file: "f.py".into(), line, column: 3 };
    let promise = Op::Assume(Interval { low: -5, high: 5 });
    let input = Op::Input { name: "x".into(), party: Some(PartyId(0)), meaning: Meaning::Number };
    let nodes = vec![
        Node { op: input, operands: vec![], types: vec![column(I8, -128, 127)], span: line(1) },
        Node {
            op: promise,
            operands: vec![value(0)],
            types: vec![column(I8, -5, 5)],
            span: line(2),
        },
        Node {
            op: Op::ShiftLeft { by: 3 },
            operands: vec![value(1)],
            types: vec![column(I8, -40, 40)],
            span: line(3),
        },
    ];
    Program {
        parties: vec!["alice".into()],
        body: Block { nodes, results: vec![] },
        reveals: vec![Reveal {
            value: value(2),
            name: "y".into(),
            to: vec![PartyId(0)],
            by: Vec::new(),
            meaning: Meaning::Number,
        }],
        ..Program::default()
    }
}

fn run(values: &[i128]) -> (Vec<i128>, Observed) {
    let mut values = values.to_vec();
    values.resize(40, 0);
    let inputs = Inputs::from([("x".to_owned(), column(I8, &values))]);
    let (outputs, observed) = evaluate_observed(&broken_promise(), &[], inputs).expect("outputs");
    (outputs[0].1.values().collect(), observed)
}

#[test]
fn kept_promises_report_intervals_only() {
    let (outputs, observed) = run(&[3, -5]);
    assert_eq!(outputs[..2], [24, -40]);
    assert!(observed.violations.is_empty());
    let interval = |node: u32| observed.intervals[&vec![node]][0];
    assert_eq!(interval(0), Some(Interval { low: -5, high: 3 }));
    assert_eq!(interval(2), Some(Interval { low: -40, high: 24 }));
}

#[test]
fn broken_promises_name_place_and_value() {
    let (outputs, observed) = run(&[1, 6, 0, -100]);
    // 6 * 8 leaves its interval but fits its type; -800 does not and wraps.
    assert_eq!(outputs[..4], [8, 48, 0, -800 + 768]);
    let places: Vec<_> = observed.violations.keys().cloned().collect();
    assert_eq!(places, [(vec![1], 0), (vec![2], 0)]);
    let [promise, product] = [&observed.violations[&places[0]], &observed.violations[&places[1]]];
    assert_eq!(promise.to_string(), "f.py:2:3: 2 values leave -5 to 5: the first is 6 at index 1");
    let found: Vec<_> = product.examples.iter().map(|o| (o.index, o.value)).collect();
    assert_eq!((found, product.count), (vec![(1, 48), (3, -800)], 2));
    assert_eq!(observed.intervals[&vec![2]][0], Some(Interval { low: -800, high: 48 }));
}

#[test]
fn many_violations_are_counted_and_some_kept() {
    let (_, observed) = run(&[100; 40]);
    let promise = &observed.violations[&(vec![1], 0)];
    assert_eq!((promise.count, promise.examples.len()), (40, EXAMPLES));
}

#[test]
fn wrapping_operations_never_violate() {
    let a = column(I8, &[127, -128]);
    let add = Op::Add { wrap: true };
    assert_eq!(values(&add, &[&a, &a], result(I8, &[2])), Ok(vec![-2, 0]));
    let wide = Element::Fixed { bits: 5, fraction: 2 };
    let b = column(wide, &[15, -16]);
    assert_eq!(values(&add, &[&b, &b], result(wide, &[2])), Ok(vec![-2, 0]));
    assert_eq!(values(&Op::Neg { wrap: true }, &[&b], result(wide, &[2])), Ok(vec![-15, -16]));
}
