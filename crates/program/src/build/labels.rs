//! Labels of axes, which results by group have and operations carry on.

use super::{Builder, Value};
use crate::domain::{Axes, Domain, reshaped};
use crate::ir::{Op, ValueId};
use crate::types::Type;
use std::sync::Arc;

impl Builder {
    /// The labels of a value's axes.
    pub(super) fn axes(&self, value: Value) -> Axes {
        let scope = self.scopes.iter().find(|s| s.number == value.scope);
        scope.and_then(|scope| scope.labels.get(&value.id)).cloned().unwrap_or_default()
    }

    /// Gives labels to the axes of a value.
    pub(super) fn label(&mut self, value: Value, axes: Axes) {
        let scope = self.scopes.iter_mut().find(|s| s.number == value.scope);
        if let Some(scope) = scope.filter(|_| axes.iter().any(|axis| !axis.is_empty())) {
            scope.labels.insert(value.id, axes);
        }
    }

    /// Labels the groups of a result, the only axis of it.
    pub(crate) fn label_groups(&mut self, value: Value, by: &[Arc<Domain>]) {
        self.label(value, vec![by.to_vec()]);
    }

    /// The labels of the first result of an operation on values of the innermost block; `None` if it
    /// has none.
    pub(super) fn carried_labels(
        &self,
        op: &Op,
        operands: &[ValueId],
        types: &[Type],
    ) -> Option<Axes> {
        let scope = self.scopes.last()?;
        let of = |operand: &ValueId| scope.labels.get(operand);
        let labelled = operands.iter().find(|operand| of(operand).is_some())?;
        let (axes, to) = (of(labelled)?, types.first()?);
        if operands.iter().filter_map(of).any(|other| other != axes) {
            return None;
        }
        let from = &scope.block.type_of(*labelled).shape;
        let without = |at: u32| {
            let mut axes = axes.clone();
            axes[at as usize].clear();
            axes
        };
        Some(match op {
            Op::Sum { axis }
            | Op::Product { axis }
            | Op::MinOver { axis }
            | Op::MaxOver { axis } => {
                let mut axes = axes.clone();
                axes.remove(*axis as usize);
                axes
            }
            Op::Slice { axis, .. } | Op::Gather { axis, .. } => without(*axis),
            Op::Shift { axis, .. } | Op::Flip { axis } | Op::SliceAt { axis, .. } => without(*axis),
            Op::Concat { axis } if operands.iter().all(|operand| of(operand) == Some(axes)) => {
                without(*axis)
            }
            Op::Transpose { order } => {
                order.iter().map(|&axis| axes[axis as usize].clone()).collect()
            }
            Op::Reshape => reshaped(axes, &to.shape),
            Op::Broadcast => broadcast(axes, from, to),
            Op::MatMul | Op::Sort { .. } | Op::Loop(_) | Op::Concat { .. } => return None,
            Op::GroupSum { .. } | Op::GroupCount { .. } => return None,
            _ if *from == to.shape => axes.clone(),
            _ => return None,
        })
    }
}

/// Of a broadcast, whose last axes are those of its operand.
fn broadcast(axes: &Axes, from: &[crate::Extent], to: &Type) -> Axes {
    let new = to.shape.len() - from.len();
    let old = axes.iter().zip(from).zip(&to.shape[new..]);
    let old = old.map(|((axis, from), to)| if from == to { axis.clone() } else { Vec::new() });
    std::iter::repeat_n(Vec::new(), new).chain(old).collect()
}
