//! One operation on given operands.

use super::array::Array;
use super::error::OpError;
use super::observe::{Seen, Sink};
use super::{elementwise, lanes, layout, real, reduce, table};
use crate::ir::Op;
use crate::types::Type;

/// Evaluates anything but a loop, an input or a parameter; says what values the results have.
pub(super) fn observe_op(
    op: &Op,
    operands: &[&Array],
    types: &[Type],
    rows: &[u64],
) -> Result<Vec<(Array, Seen)>, OpError> {
    let sinks: Result<Vec<_>, _> = types.iter().map(|ty| Sink::new(ty, rows)).collect();
    let mut sinks = sinks?;
    match (op, &mut sinks[..]) {
        (Op::Sort { descending }, out) => sort(operands, *descending, out)?,
        (Op::Segment { fold }, out) => table::segments(*fold, operands, out)?,
        (Op::Circuit { circuit, .. }, out) => lanes::run(circuit, operands, out)?,
        (_, [out]) => single(op, operands, out)?,
        _ => return Err(OpError::Malformed("the operation has one result")),
    }
    sinks.into_iter().map(Sink::finish).collect()
}

fn sort(operands: &[&Array], descending: bool, out: &mut [Sink]) -> Result<(), OpError> {
    let &[key, ..] = operands else {
        return Err(OpError::Malformed("a sort needs a key"));
    };
    if operands.len() != out.len() {
        return Err(OpError::Malformed("a sort has one result per operand"));
    }
    let order = table::order(key, descending);
    operands.iter().zip(out).try_for_each(|(a, out)| table::permute(a, &order, out))
}

/// Operations with one result.
fn single(op: &Op, operands: &[&Array], out: &mut Sink) -> Result<(), OpError> {
    match op {
        Op::Constant(values) => elementwise::constant(values, out),
        Op::Positions => {
            out.extend(0..out.len() as i128);
            Ok(())
        }
        Op::Concat { axis } => layout::concat(operands, *axis, out),
        Op::GroupSum { .. } | Op::GroupCount { .. } => group(op, operands, out),
        _ => match *operands {
            [a] => unary(op, a, out),
            [a, b] => binary(op, a, b, out),
            [bit, a, b] if matches!(op, Op::Select) => elementwise::select(bit, a, b, out),
            [a, part, at] if let Op::UpdateAt { axis } = op => {
                layout::update_at(a, (part, at), *axis, out)
            }
            _ => Err(not_this_many()),
        },
    }
}

fn group(op: &Op, operands: &[&Array], out: &mut Sink) -> Result<(), OpError> {
    let (first, group, values, counts) = match (op, operands) {
        (Op::GroupSum { first, .. }, &[group, values]) => (first, group, Some(values), None),
        (Op::GroupSum { first, .. }, &[group, values, bit]) => {
            (first, group, Some(values), Some(bit))
        }
        (Op::GroupCount { first, .. }, &[group]) => (first, group, None, None),
        (Op::GroupCount { first, .. }, &[group, bit]) => (first, group, None, Some(bit)),
        _ => return Err(not_this_many()),
    };
    table::by_group(group, values, counts, *first, out)
}

fn unary(op: &Op, a: &Array, out: &mut Sink) -> Result<(), OpError> {
    match op {
        Op::Neg { wrap } => elementwise::negate(a, *wrap, out),
        Op::Abs => elementwise::map(a, out, i128::abs),
        Op::Not => elementwise::map(a, out, |a| a ^ 1),
        Op::ShiftLeft { by } => {
            elementwise::map(a, out, |a| super::scalar::shift_left(a, u32::from(*by)))
        }
        Op::ShiftRight { by } => elementwise::map(a, out, |a| a >> (*by).min(127)),
        Op::Sqrt => elementwise::root(a, out),
        Op::Exp { .. } => real::exp(a, out),
        Op::Log { .. } => real::log(a, out),
        Op::Sigmoid { .. } => real::sigmoid(a, out),
        Op::Cast(_) => elementwise::cast(a, out),
        Op::Wrap(_) => elementwise::low_bits(a, out),
        Op::Assume(_) => elementwise::map(a, out, |a| a),
        Op::Check(within) => elementwise::checked(a, *within, out),
        Op::Sum { axis } => reduce::fold(a, *axis, 0, out, i128::saturating_add),
        Op::CumSum { axis, reverse } => reduce::prefix_sums(a, *axis, *reverse, out),
        Op::Product { axis } => reduce::product(a, *axis, out),
        Op::MinOver { axis } => reduce::fold(a, *axis, out.declared().high, out, i128::min),
        Op::MaxOver { axis } => reduce::fold(a, *axis, out.declared().low, out, i128::max),
        Op::Reshape => elementwise::map(a, out, |a| a),
        Op::Slice { axis, start, step } => layout::slice(a, *axis, [*start, *step], out),
        Op::Shift { axis, by, fill } => layout::shift(a, *axis, (*by, *fill), out),
        Op::Flip { axis } => layout::flip(a, *axis, out),
        Op::Transpose { order } => layout::transpose(a, order, out),
        Op::Broadcast => layout::broadcast(a, out),
        Op::Gather { axis, indices } => layout::gather(a, *axis, indices, out),
        _ => Err(not_this_many()),
    }
}

fn binary(op: &Op, a: &Array, b: &Array, out: &mut Sink) -> Result<(), OpError> {
    match op {
        Op::Add { wrap } => elementwise::add_like([a, b], *wrap, out, |a, b| a + b),
        Op::Sub { wrap } => elementwise::add_like([a, b], *wrap, out, |a, b| a - b),
        Op::Mul { wrap } => elementwise::multiply(a, b, *wrap, out),
        Op::Min => elementwise::zip(a, b, out, i128::min),
        Op::Max => elementwise::zip(a, b, out, i128::max),
        Op::Div { .. } => elementwise::quotient(a, b, out),
        Op::Quotient { shift, .. } => elementwise::raw_quotient(a, b, *shift, out),
        Op::Rem => elementwise::modulo(a, b, out),
        Op::Less => elementwise::zip(a, b, out, |a, b| i128::from(a < b)),
        Op::Equal => elementwise::zip(a, b, out, |a, b| i128::from(a == b)),
        Op::And => elementwise::zip(a, b, out, |a, b| a & b),
        Op::Or => elementwise::zip(a, b, out, |a, b| a | b),
        Op::Xor => elementwise::zip(a, b, out, |a, b| a ^ b),
        Op::MatMul => reduce::matmul(a, b, out),
        Op::SliceAt { axis, length } => layout::slice_at(a, b, (*axis, *length), out),
        _ => Err(not_this_many()),
    }
}

fn not_this_many() -> OpError {
    OpError::Malformed("the operation has another number of operands")
}
