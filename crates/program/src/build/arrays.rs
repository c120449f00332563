//! Shapes, axes and tables.

use super::{Arg, Builder, Number, POISON, Value};
use crate::infer::{element, shape};
use crate::ir::{Fold, Op};
use crate::types::{Element, Extent, Interval, Shape, Type};

impl Builder {
    /// Gives the elements another shape of as many.
    #[track_caller]
    pub fn reshape(&mut self, a: Value, to: impl Into<Shape>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let ty = Type { shape: to.into(), ..ty };
        self.push(Op::Reshape, &[a], Some(&[ty]))
    }

    /// Repeats an array along new leading axes and axes of length one.
    #[track_caller]
    pub fn broadcast_to(&mut self, a: Value, to: impl Into<Shape>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let to = to.into();
        if ty.shape == to {
            return a;
        }
        self.push(Op::Broadcast, &[a], Some(&[Type { shape: to, ..ty }]))
    }

    /// Both in the shape that NumPy broadcasts them to.
    #[track_caller]
    pub(super) fn broadcast_pair(&mut self, a: Value, b: Value) -> [Value; 2] {
        let (Some(x), Some(y)) = (self.ty(a), self.ty(b)) else { return [POISON; 2] };
        match shape::joint(&x.shape, &y.shape) {
            Some(joint) => [self.broadcast_to(a, joint.clone()), self.broadcast_to(b, joint)],
            None => {
                let show = |s: &Shape| shape::describe(s, &self.program.dims);
                let (x, y) = (show(&x.shape), show(&y.shape));
                self.fail(format!("shapes {x} and {y} do not broadcast: reshape one of them"));
                [POISON; 2]
            }
        }
    }

    /// `length` elements of an axis from `start`, each `step` after the one before.
    #[track_caller]
    pub fn slice(
        &mut self,
        a: Value,
        axis: u32,
        start: u64,
        length: impl Into<Extent>,
        step: u64,
    ) -> Value {
        if self.length(a, axis).is_none() {
            return POISON;
        }
        let Some(ty) = self.ty(a) else { return POISON };
        let to = Type { shape: shape::with(&ty.shape, axis, length.into()), ..ty };
        self.push(Op::Slice { axis, start, step }, &[a], Some(&[to]))
    }

    /// `length` elements of an axis from a public position on that the program computes, such as one that depends on
    /// the number of a loop's iteration. It must lie in `0..=axis - length` by its range.
    #[track_caller]
    pub fn slice_at(&mut self, a: Value, start: Value, axis: u32, length: u64) -> Value {
        self.push(Op::SliceAt { axis, length }, &[a, start], None)
    }

    /// The array with `part` in place of its own elements of an axis, from a public position on that the program
    /// computes. It must lie in `0..=axis - length` by its range, where `length` is that of the part.
    #[track_caller]
    pub fn update_at(&mut self, a: Value, part: Value, start: Value, axis: u32) -> Value {
        self.push(Op::UpdateAt { axis }, &[a, part, start], None)
    }

    /// Element `i` along an axis is element `i - by` of the array, or `fill` where there is none. The axis may be of
    /// symbolic length.
    #[track_caller]
    pub fn shift(&mut self, a: Value, axis: u32, by: i64, fill: impl Into<Number>) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        match fill.into().raw(ty.element) {
            Ok(fill) => self.push(Op::Shift { axis, by, fill }, &[a], None),
            Err(message) => self.fail(message),
        }
    }

    /// An axis from its last element to its first. It may be of symbolic length.
    #[track_caller]
    pub fn flip(&mut self, a: Value, axis: u32) -> Value {
        self.push(Op::Flip { axis }, &[a], None)
    }

    /// One after the other along an axis.
    #[track_caller]
    pub fn concat(&mut self, parts: &[Value], axis: u32) -> Value {
        self.push(Op::Concat { axis }, parts, None)
    }

    /// Axis `i` of the result is axis `order[i]` of `a`.
    #[track_caller]
    pub fn transpose(&mut self, a: Value, order: &[u32]) -> Value {
        self.push(Op::Transpose { order: order.to_vec() }, &[a], None)
    }

    /// Elements of an axis at public positions.
    #[track_caller]
    pub fn gather(&mut self, a: Value, axis: u32, indices: &[u64]) -> Value {
        self.push(Op::Gather { axis, indices: indices.to_vec() }, &[a], None)
    }

    /// Sums over an axis; of bits, how many are one.
    #[track_caller]
    pub fn sum(&mut self, a: Value, axis: u32) -> Value {
        let a = self.countable(a, axis);
        self.push(Op::Sum { axis }, &[a], None)
    }

    /// The sums of the elements up to each one along an axis, itself among them; of bits, how many are one. With
    /// `reverse` the sums from each one to the end.
    #[track_caller]
    pub fn cumsum(&mut self, a: Value, axis: u32, reverse: bool) -> Value {
        let a = self.countable(a, axis);
        self.push(Op::CumSum { axis, reverse }, &[a], None)
    }

    /// Bits as integers wide enough for their sum.
    #[track_caller]
    fn countable(&mut self, a: Value, axis: u32) -> Value {
        let Some(extent) = self.length(a, axis) else { return POISON };
        if self.type_of(a).map(|t| t.element) != Some(Element::Bit) {
            return a;
        }
        let most = shape::most(&extent, &self.program.dims).unwrap_or(u64::MAX);
        let all = Interval { low: 0, high: most.into() };
        self.cast(a, element::smallest(all).unwrap_or(Element::uint(64)))
    }

    /// Products over an axis of known length.
    #[track_caller]
    pub fn product(&mut self, a: Value, axis: u32) -> Value {
        self.push(Op::Product { axis }, &[a], None)
    }

    /// Least over an axis, of known length but in a column; of no rows, the greatest value of its range.
    #[track_caller]
    pub fn min_over(&mut self, a: Value, axis: u32) -> Value {
        self.push(Op::MinOver { axis }, &[a], None)
    }

    /// Greatest over an axis, of known length but in a column; of no rows, the least value of its range.
    #[track_caller]
    pub fn max_over(&mut self, a: Value, axis: u32) -> Value {
        self.push(Op::MaxOver { axis }, &[a], None)
    }

    /// A column with `count` more rows of a raw value.
    #[track_caller]
    fn padded(&mut self, a: Value, count: u64, raw: i128) -> Value {
        let Some(ty) = self.ty(a) else { return POISON };
        let pad = self.raw_constant(ty.element, vec![count.into()], vec![raw]);
        self.concat(&[a, pad], 0)
    }

    /// Matrix product, as NumPy's `@`: the second operand has one or two axes.
    #[track_caller]
    pub fn matmul(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.number(a), self.number(b));
        self.push(Op::MatMul, &[a, b], None)
    }

    /// Inner product of two columns.
    #[track_caller]
    pub fn dot(&mut self, a: Value, b: Value) -> Value {
        self.matmul(a, b)
    }

    /// For each column what is folded since a segment began: `starts` says by a bit per row where one begins. Columns have the
    /// length of `starts`.
    pub fn segments(&mut self, fold: Fold, starts: Value, columns: &[Value]) -> Vec<Value> {
        let operands: Vec<Value> = std::iter::once(starts).chain(columns.iter().copied()).collect();
        let folded = self.push_all(Op::Segment { fold }, &operands, None);
        if folded.is_empty() { vec![POISON; columns.len()] } else { folded }
    }

    /// Columns sorted by the first of them, stably; ascending unless `descending`.
    #[track_caller]
    pub fn sort(&mut self, columns: &[Value], descending: bool) -> Vec<Value> {
        let sorted = self.push_all(Op::Sort { descending }, columns, None);
        if sorted.is_empty() { vec![POISON; columns.len()] } else { sorted }
    }

    /// The `k` rows with the greatest values in the first column, greatest first. Where a
    /// symbolic row count is below `k`, the rest is filled with each column's least value.
    #[track_caller]
    pub fn top_k(&mut self, columns: &[Value], k: u64) -> Vec<Value> {
        let mut padded = columns.to_vec();
        for column in &mut padded {
            let Some(ty) = self.ty(*column) else { return vec![POISON; columns.len()] };
            if ty.shape.len() == 1 && ty.shape[0].known().is_none() {
                *column = self.padded(*column, k, ty.interval.low);
            }
        }
        let mut sorted = self.sort(&padded, true);
        for column in &mut sorted {
            *column = self.slice(*column, 0, 0, k, 1);
        }
        sorted
    }

    /// How many of a column's integers are `first`, `first + 1`, ..., `first + bins - 1`.
    #[track_caller]
    pub fn histogram(&mut self, a: Value, first: i64, bins: u64) -> Value {
        self.push(Op::GroupCount { first, groups: bins }, &[a], None)
    }

    /// A value for an argument that stands alone.
    #[track_caller]
    pub fn value(&mut self, arg: impl Into<Arg>) -> Value {
        self.lift(arg.into(), None)
    }
}
