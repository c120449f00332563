//! A block under way, and its operations as they are about to be computed.

use super::context::{Context, Value};
use super::layout::{Layout, lengths};
use super::operand::{Cache, Operand, Task};
use super::rings::BlockRings;
use super::seats::Seat;
use crate::circuit::EvaluateError;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tacit_backend::{Backend, Secret, Values};
use tacit_program::clear::Array;
use tacit_program::{Block, Extent, Node, NodeId, PartyId, Type, ValueId, Visibility};
use tacit_sharing::SharingError;

/// One block under way.
pub(super) struct Frame<'f> {
    pub block: &'f Block,
    pub layout: Layout,
    pub rings: &'f BlockRings,
    pub values: Vec<Vec<Value>>,
    /// What one party knows and all have shares of.
    pub ready: &'f Ready,
    /// Public values of one number that are kept as that one.
    pub splats: Vec<bool>,
}

/// Shares of a body's parameters that one party knows, made before the first turn of the loop.
pub(super) type Ready = HashMap<NodeId, Arc<Secret>>;

impl Frame<'_> {
    /// A value that is there already.
    pub fn value(&self, id: ValueId) -> Result<&Value, SharingError> {
        let value = self.values[id.node as usize].get(id.index as usize);
        value.ok_or_else(|| SharingError::Shape("a value is used before it is there".into()))
    }
}

impl Context<'_> {
    /// Prepares a node: on rows `at` of its stream, or on whole arrays. `local` are values of the backend's own
    /// roles.
    pub fn task<'t>(
        &'t self,
        frame: &'t Frame<'_>,
        id: NodeId,
        (backend, seat): (&'t mut dyn Backend, Seat<'_>),
        cache: &'t mut Cache,
        local: &HashMap<ValueId, Arc<Secret>>,
        at: Option<(&Extent, Range<usize>)>,
    ) -> Result<Task<'t>, SharingError> {
        let node = &frame.block.nodes[id as usize];
        let mut task = Task {
            backend,
            cache,
            node,
            types: node.operands.iter().map(|v| frame.block.type_of(*v)).collect(),
            rings: frame.rings.node(id),
            lines: node
                .operands
                .iter()
                .map(|v| frame.block.nodes[v.node as usize].span.line)
                .collect(),
            operands: Vec::new(),
            shapes: Vec::new(),
            results: Vec::new(),
            tested: self.tested,
            by_bits: self.by_bits,
        };
        for (operand, ty) in node.operands.iter().zip(task.types.clone()) {
            let (shape, cut) = self.cut(ty, at.as_ref())?;
            let ready = frame.ready.get(&operand.node);
            let ready = ready.map(|secret| Value::Secret(secret.clone()));
            task.operands.push(match (local.get(operand), &ready) {
                (Some(secret), _) => Operand::Secret(secret.clone()),
                (None, Some(ready)) => self.operand(ready, ty, cut, seat)?,
                (None, None) => self.operand(frame.value(*operand)?, ty, cut, seat)?,
            });
            task.shapes.push(shape);
        }
        for ty in &node.types {
            task.results.push(self.cut(ty, at.as_ref())?.0);
        }
        Ok(task)
    }

    /// The shape of a value and, if only rows `at` are meant, the elements of these rows.
    fn cut(
        &self,
        ty: &Type,
        at: Option<&(&Extent, Range<usize>)>,
    ) -> Result<(Vec<usize>, Option<Range<usize>>), SharingError> {
        let mut shape = lengths(&ty.shape, self.rows)?;
        let Some((extent, rows)) = at else { return Ok((shape, None)) };
        if ty.shape.first() != Some(extent) {
            return Ok((shape, None));
        }
        let width: usize = shape[1..].iter().product();
        shape[0] = rows.len();
        Ok((shape, Some(rows.start * width..rows.end * width)))
    }

    fn operand(
        &self,
        value: &Value,
        ty: &Type,
        cut: Option<Range<usize>>,
        seat: Seat<'_>,
    ) -> Result<Operand, SharingError> {
        let elements = |array: &Arc<Array>| match &cut {
            // One number that fills all rows.
            _ if array.len() == 1 => vec![array.get(0)],
            Some(at) => at.clone().map(|i| array.get(i)).collect(),
            None => array.values().collect(),
        };
        Ok(match (value, ty.visibility) {
            (Value::Secret(secret), _) => Operand::Secret(match cut {
                Some(at) => Arc::new(seat.taken_there(secret.slice(at))),
                None => seat.there(&**secret).map_or_else(|| secret.clone(), Arc::new),
            }),
            (Value::Clear(array), Visibility::Private(PartyId(party))) => {
                let values = array.as_ref().map(elements).map(Values::new);
                Operand::Private(seat.roles[usize::from(party)], values)
            }
            (Value::Clear(array), Visibility::Public) => {
                Operand::Public(array.as_ref().map(elements))
            }
            (Value::Clear(_), Visibility::Secret) => {
                return Err(SharingError::Shape("a secret that was never shared".into()));
            }
        })
    }
}

/// An error with the user's position.
pub(super) fn at(node: &Node, error: SharingError) -> EvaluateError {
    match error {
        SharingError::Shape(what) => EvaluateError::Bug(format!("{}{what}", node.span.prefix())),
        other => other.into(),
    }
}
