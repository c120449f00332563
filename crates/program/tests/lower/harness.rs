//! Programs of one operation on secrets, run before and after lowering.

use std::collections::BTreeMap;
use tacit_circuit::library::adder::AdderForm;
use tacit_program::build::{Array, Builder, Value};
use tacit_program::clear::{Array as Data, evaluate_observed};
use tacit_program::infer::check;
use tacit_program::ir::{Block, Op};
use tacit_program::lower::{Target, lower};
use tacit_program::{Element, Program, ProgramError};
use tacit_ring::entropy::Rng;

/// A value in a range, more often a short one.
pub fn within(rng: &mut Rng, low: i128, high: i128) -> i128 {
    let shift = rng.word() % 64;
    let value = (rng.word() >> shift) as i128;
    let value = if rng.word() & 1 == 0 { value } else { -value };
    low + (value - low).rem_euclid(high - low + 1)
}

/// A column: its element, and raw values; the range is declared as theirs.
#[derive(Clone)]
pub struct Column {
    pub element: Element,
    pub range: (i128, i128),
    pub values: Vec<i128>,
}

/// Values at the ends of a range, around zero and at random.
pub fn values(low: i128, high: i128, count: usize, random: &mut Rng) -> Vec<i128> {
    let edges = [low, low + 1, -2, -1, 0, 1, 2, high - 1, high];
    let mut all: Vec<i128> = edges.into_iter().filter(|v| (low..=high).contains(v)).collect();
    all.extend((0..count).map(|_| within(random, low, high)));
    all
}

/// Every pair of values of two columns.
pub fn pairs(a: &Column, b: &Column) -> (Column, Column) {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for &v in &a.values {
        for &w in &b.values {
            x.push(v);
            y.push(w);
        }
    }
    (Column { values: x, ..a.clone() }, Column { values: y, ..b.clone() })
}

/// A program that applies `op` to columns of secrets.
pub fn program(
    columns: &[Column],
    op: impl FnOnce(&mut Builder, &[Value]) -> Value,
) -> Result<Program, ProgramError> {
    let mut b = Builder::new("test");
    let (alice, bob) = (b.party("alice"), b.party("bob"));
    let count = columns[0].values.len() as u64;
    // What depends on a bit of another party is secret.
    let secret = b.input("secret", bob, Array::of(Element::Bit).axis(count));
    let mut operands = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let array = Array::of(column.element).axis(count);
        let x = b.input(&format!("x{i}"), alice, array);
        let interval = tacit_program::Interval { low: column.range.0, high: column.range.1 };
        let x = b.assume_raw(x, interval);
        operands.push(b.select(secret, x, x));
    }
    let result = op(&mut b, &operands);
    b.reveal("result", result, &[alice, bob]);
    b.finish()
}

/// The revealed raw values; no value may leave its interval.
pub fn run(program: &Program, columns: &[Column]) -> Vec<i128> {
    let count = columns[0].values.len();
    let bits = (0..count).map(|i| (i % 2) as i128);
    let secret = Data::from_values(Element::Bit, vec![count], bits).unwrap();
    let mut inputs = BTreeMap::from([("secret".to_string(), secret)]);
    for (i, column) in columns.iter().enumerate() {
        let values = column.values.iter().copied();
        let data = Data::from_values(column.element, vec![count], values).unwrap();
        inputs.insert(format!("x{i}"), data);
    }
    let (outputs, observed) = evaluate_observed(program, &[], inputs).unwrap();
    if let Some(((path, _), violation)) = observed.violations.iter().next() {
        let node = &program.body.nodes[path[0] as usize];
        let outside = (violation.examples[0].value, violation.declared);
        panic!("{outside:?} of {:?} : {:?}", node.op, node.types);
    }
    outputs[0].1.values().collect()
}

/// A target that divides and takes roots of everything by itself.
const DIVIDES: Target = Target {
    adders: AdderForm::Select,
    divides: |_, bits| bits.is_none(),
    roots: |_| true,
    approximates: |_, _| false,
};

/// Results before and after lowering, to circuits and to operations of the target.
pub fn both(
    columns: &[Column],
    op: impl FnOnce(&mut Builder, &[Value]) -> Value,
) -> (Vec<i128>, Vec<i128>) {
    let program = program(columns, op).unwrap_or_else(|e| panic!("{e}"));
    let [circuits, operations] =
        [Target::circuits(AdderForm::Select), DIVIDES].map(|target| lower(&program, target));
    for lowered in [&circuits, &operations] {
        check(lowered).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            program.body.type_of(program.reveals[0].value),
            lowered.body.type_of(lowered.reveals[0].value)
        );
    }
    assert!(is_core(&circuits.body), "{:?}", circuits.body.nodes.iter().map(|n| &n.op));
    let after = run(&circuits, columns);
    assert_eq!(run(&operations, columns), after, "by operations of the target");
    (run(&program, columns), after)
}

fn is_core(block: &Block) -> bool {
    block.nodes.iter().all(|node| match &node.op {
        Op::Loop(inner) => is_core(&inner.body),
        Op::Abs | Op::Min | Op::Max | Op::Div { .. } | Op::Rem | Op::Sqrt => false,
        Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => false,
        Op::Product { .. } | Op::MinOver { .. } | Op::MaxOver { .. } => false,
        _ => true,
    })
}

/// Whether lowering changed nothing.
pub fn assert_same(columns: &[Column], op: impl FnOnce(&mut Builder, &[Value]) -> Value) {
    let (before, after) = both(columns, op);
    for (i, (x, y)) in before.iter().zip(&after).enumerate() {
        let operands: Vec<i128> =
            columns.iter().map(|c| c.values.get(i).copied().unwrap_or(0)).collect();
        assert_eq!(x, y, "of {operands:?}, {}", columns[0].element);
    }
}
