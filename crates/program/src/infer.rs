//! Types of results: element, shape, visibility and interval, from those of the operands.
//!
//! Intervals are of raw values and hold for every input within its declared range and every row
//! count up to its maximum. Element types grow to hold them, so that nothing overflows.

mod check;
mod context;
pub mod element;
pub(crate) mod elementary;
mod moves;
mod nested;
pub(crate) mod number;
pub mod range;
pub mod shape;
mod tables;
mod whole;

pub use check::check;
pub(crate) use check::check_labels;
pub use nested::{iteration, width};
pub use number::exp_limit;
pub(crate) use number::{log as log_interval, quotients};
pub(crate) use tables::positions_of;
pub use whole::{check_type, describe};

use crate::ir::{Dim, Op};
use crate::types::Type;
use context::Context;

/// Types of the results of an operation, or what is wrong with it.
///
/// `declared` says what operands do not: the whole type of an input or parameter; element and
/// shape of a constant; the shape of positions, a reshape or a broadcast; the length of a slice;
/// element and interval of a circuit's results, the element of a lowered quotient. Everything else in it must agree with what is inferred.
pub fn infer(
    op: &Op,
    operands: &[&Type],
    dims: &[Dim],
    declared: Option<&[Type]>,
) -> Result<Vec<Type>, String> {
    expect_operands(op, operands.len())?;
    let context = Context { operands, dims, declared };
    let types = match op {
        Op::Loop(inner) => nested::repeat(&context, inner)?,
        Op::Circuit { name, circuit } => nested::circuit(&context, name, circuit)?,
        Op::Sort { .. } => tables::sort(&context)?,
        Op::Segment { fold } => tables::segment(&context, *fold)?,
        _ => vec![single(op, &context)?],
    };
    for ty in &types {
        shape::valid(&ty.shape, dims)?;
    }
    match declared {
        Some(declared) if !narrower(op) && declared != types => {
            Err(disagreement(declared, &types, dims))
        }
        _ => Ok(types),
    }
}

/// Whether a declaration may be wider than what is inferred (it is then replaced).
fn narrower(op: &Op) -> bool {
    matches!(op, Op::Constant(_))
}

fn disagreement(declared: &[Type], inferred: &[Type], dims: &[Dim]) -> String {
    let show = |types: &[Type]| {
        let all: Vec<String> = types.iter().map(|t| describe(t, dims)).collect();
        all.join("; ")
    };
    format!("declared as {}, but it is {}", show(declared), show(inferred))
}

fn single(op: &Op, context: &Context<'_>) -> Result<Type, String> {
    match op {
        Op::Parameter(_) => {
            let ty = context.declaration("a parameter")?;
            check_type(ty, context.dims).map(|()| ty.clone())
        }
        Op::Input { party, meaning, .. } => number::input(context, *party, meaning),
        Op::Constant(values) => number::constant(context, values),
        Op::Positions => tables::positions(context),
        Op::Less | Op::Equal => number::compare(context),
        Op::Select => number::select(context),
        Op::And | Op::Or | Op::Xor | Op::Not => number::logic(context),
        Op::Quotient { shift, bits } => number::quotient(context, *shift, *bits),
        Op::Cast(to) => number::cast(context, *to),
        Op::Wrap(to) => number::wrap(context, *to),
        Op::Assume(interval) | Op::Check(interval) => number::assume(context, *interval),
        Op::Sum { axis } => tables::sum(context, *axis),
        Op::CumSum { axis, .. } => tables::prefix_sums(context, *axis),
        Op::Product { axis } => tables::product(context, *axis),
        Op::MinOver { axis } | Op::MaxOver { axis } => tables::extreme(context, *axis),
        Op::MatMul => tables::matmul(context),
        Op::Reshape => tables::reshape(context),
        Op::Broadcast => tables::broadcast(context),
        Op::Slice { axis, start, step } => tables::slice(context, *axis, *start, *step),
        Op::SliceAt { axis, length } => moves::slice_at(context, *axis, *length),
        Op::UpdateAt { axis } => moves::update_at(context, *axis),
        Op::Shift { axis, by, fill } => moves::shift(context, *axis, *by, *fill),
        Op::Flip { axis } => moves::flip(context, *axis),
        Op::Concat { axis } => tables::concat(context, *axis),
        Op::Transpose { order } => tables::transpose(context, order),
        Op::Gather { axis, indices } => tables::gather(context, *axis, indices),
        Op::GroupSum { first, groups } => tables::group_sum(context, *first, *groups),
        Op::GroupCount { first, groups } => tables::group_count(context, *first, *groups),
        _ => number::arithmetic(op, context),
    }
}

/// Whether the operation takes so many operands.
fn expect_operands(op: &Op, given: usize) -> Result<(), String> {
    let (least, most) = match op {
        Op::Parameter(_) | Op::Input { .. } | Op::Constant(_) | Op::Positions => (0, 0),
        Op::Add { .. } | Op::Sub { .. } | Op::Mul { .. } | Op::Min | Op::Max => (2, 2),
        Op::Div { .. } | Op::Quotient { .. } | Op::Rem | Op::Less | Op::Equal | Op::MatMul => {
            (2, 2)
        }
        Op::And | Op::Or | Op::Xor => (2, 2),
        Op::SliceAt { .. } => (2, 2),
        Op::Segment { .. } => (2, usize::MAX),
        Op::Select | Op::UpdateAt { .. } => (3, 3),
        Op::GroupSum { .. } => (2, 3),
        Op::GroupCount { .. } => (1, 2),
        Op::Concat { .. } | Op::Sort { .. } => (1, usize::MAX),
        Op::Circuit { .. } | Op::Loop(_) => (0, usize::MAX),
        _ => (1, 1),
    };
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let wanted = match (least, most) {
        (a, b) if a == b => a.to_string(),
        (a, usize::MAX) => format!("at least {a}"),
        (a, b) => format!("{a} to {b}"),
    };
    Err(format!("{given} operands where {wanted} are needed"))
}
