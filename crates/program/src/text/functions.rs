//! The functions of the language.

use super::options::Options;
use crate::build::{Along, Builder, Groups, Value};
use crate::ir::{Fold, Op};
use crate::types::Shape;

/// A function of the language.
pub(super) struct Function {
    pub name: &'static str,
    /// Options that it must have.
    pub required: &'static [&'static str],
    /// Options that it may have.
    pub optional: &'static [&'static str],
    pub apply: Apply,
}

/// What a function does.
pub(super) enum Apply {
    /// One operation, element by element: numbers are converted and broadcast.
    Elementwise(fn(&Options) -> Op),
    /// One operation, on operands as they are.
    Exactly(fn(&Options) -> Op),
    /// Several operations, of so many operands.
    Built { least: usize, most: usize, build: fn(&mut Builder, &[Value], &Options) -> Vec<Value> },
}
use Apply::{Elementwise, Exactly};

const fn function(name: &'static str, required: &'static [&'static str], apply: Apply) -> Function {
    Function { name, required, optional: &[], apply }
}

const fn optional(name: &'static str, optional: &'static [&'static str], apply: Apply) -> Function {
    Function { name, required: &[], optional, apply }
}

const fn built(
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    (least, most): (usize, usize),
    build: fn(&mut Builder, &[Value], &Options) -> Vec<Value>,
) -> Function {
    Function { name, required, optional, apply: Apply::Built { least, most, build } }
}

/// Whether a function takes so many operands; `Err` is what to say if not.
pub(super) fn counted(name: &str, given: usize, least: usize, most: usize) -> Result<(), String> {
    let wanted = match (least, most) {
        _ if (least..=most).contains(&given) => return Ok(()),
        (a, b) if a == b => a.to_string(),
        (a, usize::MAX) => format!("at least {a}"),
        (a, b) => format!("{a} to {b}"),
    };
    Err(format!("`{name}` is given {given} operands where {wanted} are needed"))
}

/// All functions. Those of one operation are called as [`name`](super::op_names::name) says.
pub(super) static FUNCTIONS: &[Function] = &[
    optional("add", &["wrap"], Elementwise(|o| Op::Add { wrap: o.wrap })),
    optional("sub", &["wrap"], Elementwise(|o| Op::Sub { wrap: o.wrap })),
    optional("neg", &["wrap"], Elementwise(|o| Op::Neg { wrap: o.wrap })),
    optional("mul", &["wrap"], Elementwise(|o| Op::Mul { wrap: o.wrap })),
    function("abs", &[], Elementwise(|_| Op::Abs)),
    built("min", &[], &["axis"], (1, 2), |b, v, o| extreme(b, v, o, false)),
    built("max", &[], &["axis"], (1, 2), |b, v, o| extreme(b, v, o, true)),
    function("shift_left", &["by"], Elementwise(|o| Op::ShiftLeft { by: o.by })),
    function("shift_right", &["by"], Elementwise(|o| Op::ShiftRight { by: o.by })),
    optional("div", &["bits"], Elementwise(|o| Op::Div { bits: o.has("bits").then_some(o.bits) })),
    function("rem", &[], Elementwise(|_| Op::Rem)),
    built("reciprocal", &[], &["bits"], (1, 1), |b, v, o| {
        vec![if o.has("bits") { b.div_to(1, v[0], o.bits) } else { b.reciprocal(v[0]) }]
    }),
    function("sqrt", &[], Elementwise(|_| Op::Sqrt)),
    optional("exp", &["bits"], Elementwise(|o| Op::Exp { bits: o.bits })),
    optional("log", &["bits"], Elementwise(|o| Op::Log { bits: o.bits })),
    optional("sigmoid", &["bits"], Elementwise(|o| Op::Sigmoid { bits: o.bits })),
    built("tanh", &[], &["bits"], (1, 1), |b, v, o| vec![b.tanh(v[0], o.bits)]),
    function("less", &[], Elementwise(|_| Op::Less)),
    function("equal", &[], Elementwise(|_| Op::Equal)),
    function("select", &[], Elementwise(|_| Op::Select)),
    function("and", &[], Elementwise(|_| Op::And)),
    function("or", &[], Elementwise(|_| Op::Or)),
    function("xor", &[], Elementwise(|_| Op::Xor)),
    function("not", &[], Elementwise(|_| Op::Not)),
    function("cast", &["to"], Exactly(|o| Op::Cast(o.to))),
    built("to_fixed", &["fraction"], &[], (1, 1), |b, v, o| vec![b.to_fixed(v[0], o.fraction)]),
    function("wrap", &["to"], Exactly(|o| Op::Wrap(o.to))),
    function("assume", &["in"], Exactly(|o| Op::Assume(o.within))),
    function("check", &["in"], Exactly(|o| Op::Check(o.within))),
    built("sum", &["axis"], &[], (1, 1), |b, v, o| vec![b.sum(v[0], o.axis)]),
    built("cumsum", &["axis"], &["reverse"], (1, 1), |b, v, o| {
        vec![b.cumsum(v[0], o.axis, o.reverse)]
    }),
    function("product", &["axis"], Exactly(|o| Op::Product { axis: o.axis })),
    built("median", &[], &["axis"], (1, 2), |b, v, o| vec![b.median(v[0], along(v, o))]),
    built("quantile", &[], &["axis"], (1, 2), |b, v, o| {
        let all = b.quantiles(v[0], along(v, o), &o.quantiles);
        vec![if o.quantile_list { all } else { b.reshape(all, Shape::new()) }]
    }),
    built("positions", &["length"], &[], (0, 0), |b, _, o| vec![b.positions(o.length.clone())]),
    built("count", &["axis"], &[], (1, 1), |b, v, o| vec![b.count(v[0], o.axis)]),
    built("mean", &["axis"], &["fraction"], (1, 2), |b, v, o| {
        vec![b.mean(v[0], along(v, o), o.fraction)]
    }),
    built("variance", &["axis"], &["fraction"], (1, 2), |b, v, o| {
        vec![b.variance(v[0], along(v, o), o.fraction)]
    }),
    built("std", &["axis"], &["fraction"], (1, 2), |b, v, o| {
        vec![b.std(v[0], along(v, o), o.fraction)]
    }),
    function("matmul", &[], Exactly(|_| Op::MatMul)),
    built("dot", &[], &[], (2, 2), |b, v, _| vec![b.dot(v[0], v[1])]),
    function("reshape", &["shape"], Exactly(|_| Op::Reshape)),
    Function {
        name: "slice",
        required: &["axis", "length"],
        optional: &["start", "step"],
        apply: Exactly(|o| Op::Slice { axis: o.axis, start: o.start, step: o.step }),
    },
    function(
        "shift",
        &["axis", "by", "fill"],
        Exactly(|o| Op::Shift { axis: o.axis, by: o.places, fill: o.fill }),
    ),
    function(
        "slice_at",
        &["axis", "length"],
        Exactly(|o| Op::SliceAt { axis: o.axis, length: o.length.constant }),
    ),
    function("flip", &["axis"], Exactly(|o| Op::Flip { axis: o.axis })),
    function("update_at", &["axis"], Exactly(|o| Op::UpdateAt { axis: o.axis })),
    function("concat", &["axis"], Exactly(|o| Op::Concat { axis: o.axis })),
    function("transpose", &["order"], Exactly(|o| Op::Transpose { order: o.order.clone() })),
    function("broadcast", &["shape"], Exactly(|_| Op::Broadcast)),
    function(
        "gather",
        &["axis", "at"],
        Exactly(|o| Op::Gather { axis: o.axis, indices: o.at.clone() }),
    ),
    built("group_sum", GROUPS, &["by"], (2, 3), |b, v, o| {
        let mut operands = v.to_vec();
        operands[1] = b.as_number(v[1]);
        by_group(b, Op::GroupSum { first: o.first, groups: o.groups }, &operands, o)
    }),
    built("group_count", GROUPS, &["by"], (1, 2), |b, v, o| {
        by_group(b, Op::GroupCount { first: o.first, groups: o.groups }, v, o)
    }),
    built("group_mean", GROUPS, &["by", "fraction"], (2, 3), |b, v, o| {
        grouped(b, v, o, |b, a, by| b.group_mean(a, by, o.fraction))
    }),
    built("group_variance", GROUPS, &["by", "fraction"], (2, 3), |b, v, o| {
        grouped(b, v, o, |b, a, by| b.group_variance(a, by, o.fraction))
    }),
    built("group_std", GROUPS, &["by", "fraction"], (2, 3), |b, v, o| {
        grouped(b, v, o, |b, a, by| b.group_std(a, by, o.fraction))
    }),
    optional("sort", &["descending"], Exactly(|o| Op::Sort { descending: o.descending })),
    function("segment_first", &[], Exactly(|_| Op::Segment { fold: Fold::First })),
    function("segment_sum", &[], Exactly(|_| Op::Segment { fold: Fold::Sum })),
    function("segment_min", &[], Exactly(|_| Op::Segment { fold: Fold::Min })),
    function("segment_max", &[], Exactly(|_| Op::Segment { fold: Fold::Max })),
    built("top", &["rows"], &[], (1, usize::MAX), |b, v, o| b.top_k(v, o.rows)),
];

/// What says which groups there are, unless `by` names a domain.
pub(super) const GROUPS: &[&str] = &["first", "groups"];

/// Least or greatest of two, or over an axis.
fn extreme(b: &mut Builder, v: &[Value], o: &Options, greatest: bool) -> Vec<Value> {
    match (o.has("axis"), greatest) {
        (false, false) => b.elementwise(Op::Min, v),
        (false, true) => b.elementwise(Op::Max, v),
        (true, _) if v.len() > 1 => b.exactly(Op::MinOver { axis: o.axis }, v, None),
        (true, false) => vec![b.min_over(v[0], o.axis)],
        (true, true) => vec![b.max_over(v[0], o.axis)],
    }
}

/// All values along an axis, or those where the second operand is one.
fn along(v: &[Value], o: &Options) -> Along {
    let all = Along::axis(o.axis);
    v.get(1).map_or(all, |mask| all.only(*mask))
}

/// An operation by group, whose result is labelled if the groups are.
fn by_group(b: &mut Builder, op: Op, operands: &[Value], o: &Options) -> Vec<Value> {
    let results = b.exactly(op, operands, None);
    results.iter().for_each(|result| b.label_groups(*result, &o.domains));
    results
}

/// A statistic of values by group, of all rows or of those where the third operand is one.
fn grouped(
    b: &mut Builder,
    v: &[Value],
    o: &Options,
    statistic: impl FnOnce(&mut Builder, Value, Groups) -> Value,
) -> Vec<Value> {
    let by = b.groups(v[0], v.get(2).copied(), o.first, o.groups);
    let Some(by) = by else { return Vec::new() };
    let result = statistic(b, v[1], by);
    b.label_groups(result, &o.domains);
    vec![result]
}
