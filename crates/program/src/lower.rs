//! Programs in the core operations, which every protocol has.
//!
//! Operations on secret values that are not core ones become circuits and core operations:
//!
//! | operation | becomes | error |
//! |---|---|---|
//! | absolute value, min, max | a comparison and a selection | exact |
//! | product, min, max over an axis | a balanced tree of halves | as the products |
//! | division, remainder | operations of the [`Target`], else non-restoring division in a circuit; by a constant power of two, shifts | exact |
//! | square root | an operation of the target, else a digit recurrence in a circuit | exact |
//! | exponential, logarithm, sigmoid | operations of the target where it has them, else polynomials with coefficients by lookup | stated below |
//!
//! In units of the result's last place, `2^-fraction`:
//!
//! - `exp`: 2 units and `2^-24` of the result. From [`exp_limit`] on it is cut off, where the
//!   result is about `2^60` units.
//! - `log`: 2 units and `2^-24`, for all positive values.
//! - `sigmoid`: 2 units and `2^-24`, for all values.
//!
//! Where fewer bits are asked for, those stand in place of 24.
//!
//! Lookups work with 30 fractional bits, whatever the type has, and products below `2^63`.
//! Coefficients come out of lookups in a circuit, which cost one AND per table row. The tables
//! are made by additions, products and divisions only, so that all parties have the same.

mod approximate;
mod circuits;
mod compare;
mod divide;
mod emit;
mod tables;
mod target;

pub use crate::infer::exp_limit;
pub use circuits::{Port, divide_floor, remainder_floor, square_root};
pub use target::{DivisionSizes, Target, root_bits};

use crate::ir::{Block, Loop, Node, NodeId, Op, Program, ValueId};
use crate::types::{Type, Visibility};
use emit::Emitter;

/// Lowers a program to core operations. Values keep their types; the inputs, the reveals and what
/// they are called stay.
///
/// # Panics
/// If the program does not pass [`check`](crate::infer::check).
#[must_use]
pub fn lower(program: &Program, target: Target) -> Program {
    let (body, map) = lower_block(&program.body, program, target);
    let mut reveals = program.reveals.clone();
    for reveal in &mut reveals {
        reveal.value = map.value(reveal.value);
    }
    Program { body, reveals, ..program.clone() }
}

/// Where the values of a block went: one list per node.
struct Map(Vec<Vec<ValueId>>);

impl Map {
    fn value(&self, old: ValueId) -> ValueId {
        self.0[old.node as usize][old.index as usize]
    }
}

fn lower_block(block: &Block, program: &Program, target: Target) -> (Block, Map) {
    let mut emitter = Emitter::new(&program.dims, target);
    let mut map = Map(Vec::with_capacity(block.nodes.len()));
    for node in &block.nodes {
        let operands: Vec<ValueId> = node.operands.iter().map(|&v| map.value(v)).collect();
        emitter.span = node.span.clone();
        let results = match &node.op {
            Op::Loop(inner) => {
                let (body, _) = lower_block(&inner.body, program, target);
                let inner = Loop { body, ..(**inner).clone() };
                kept(&mut emitter, node, Op::Loop(Box::new(inner)), operands)
            }
            op if replaced(op, &node.types, |axis| is_known(&emitter, &operands, axis)) => {
                let value = lower_node(&mut emitter, op, &operands);
                vec![emitter.shaped_as(value, &node.types[0])]
            }
            op => kept(&mut emitter, node, op.clone(), operands),
        };
        map.0.push(results);
    }
    let results = block.results.iter().map(|&v| map.value(v)).collect();
    (Block { nodes: emitter.nodes, results }, map)
}

/// The node as it is, on the new operands.
fn kept(emitter: &mut Emitter<'_>, node: &Node, op: Op, operands: Vec<ValueId>) -> Vec<ValueId> {
    let id = emitter.nodes.len() as NodeId;
    emitter.nodes.push(Node { op, operands, ..node.clone() });
    (0..node.types.len() as u32).map(|index| ValueId { node: id, index }).collect()
}

fn replaced(op: &Op, types: &[Type], is_known: impl Fn(u32) -> bool) -> bool {
    match op {
        Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => secret(types),
        Op::Abs | Op::Min | Op::Max | Op::Div { .. } | Op::Rem | Op::Sqrt => secret(types),
        Op::Product { .. } => secret(types),
        // Of columns of symbolic length they are core operations: their trees are known when rows are.
        Op::MinOver { axis } | Op::MaxOver { axis } => secret(types) && is_known(*axis),
        _ => false,
    }
}

/// Whether an axis of the operand has a known length.
fn is_known(emitter: &Emitter<'_>, operands: &[ValueId], axis: u32) -> bool {
    emitter.ty(operands[0]).shape[axis as usize].known().is_some()
}

fn secret(types: &[Type]) -> bool {
    types[0].visibility == Visibility::Secret
}

fn lower_node(emitter: &mut Emitter<'_>, op: &Op, operands: &[ValueId]) -> ValueId {
    let a = operands[0];
    match op {
        Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. } => approximate::value(emitter, op, a),
        Op::Abs => compare::abs(emitter, a),
        Op::Min => compare::extreme(emitter, a, operands[1], false),
        Op::Max => compare::extreme(emitter, a, operands[1], true),
        Op::Div { bits } => divide::quotient(emitter, a, operands[1], *bits),
        Op::Rem => divide::remainder(emitter, a, operands[1]),
        Op::Sqrt => divide::root(emitter, a),
        Op::Product { axis } => compare::tree(emitter, a, *axis, emit::product),
        Op::MinOver { axis } => compare::tree(emitter, a, *axis, compare::lesser),
        Op::MaxOver { axis } => compare::tree(emitter, a, *axis, compare::greater),
        _ => unreachable!("{op:?} is a core operation"),
    }
}
