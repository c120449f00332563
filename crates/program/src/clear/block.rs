//! Blocks of nodes, and loops.

use super::array::Array;
use super::error::{ClearError, OpError};
use super::observe::{Observed, Place, Seen};
use super::op::observe_op;
use crate::ir::{Block, Loop, Node, NodeId, Op, Span, ValueId};
use crate::types::{Element, Type};
use std::sync::Arc;

/// One evaluation of a program.
pub(super) struct Run<'a> {
    rows: &'a [u64],
    /// What the values were so far.
    pub observed: Observed,
    /// The node being evaluated, after the loops around it.
    node: Vec<NodeId>,
    /// The iterations of those loops.
    trips: Vec<u64>,
}

/// Gives the value of an input or parameter, and whether its range is to be watched.
pub(super) type Source<'s> = dyn FnMut(&Op) -> Option<(Arc<Array>, bool)> + 's;

impl<'a> Run<'a> {
    pub fn new(rows: &'a [u64]) -> Self {
        Run { rows, observed: Observed::default(), node: Vec::new(), trips: Vec::new() }
    }

    /// The wanted values of a block. Others are dropped after their last use.
    pub fn block(
        &mut self,
        block: &Block,
        wanted: &[ValueId],
        source: &mut Source<'_>,
    ) -> Result<Vec<Arc<Array>>, ClearError> {
        let last = last_uses(block, wanted);
        let mut values: Vec<Vec<Arc<Array>>> = Vec::with_capacity(block.nodes.len());
        for (id, node) in (0..).zip(&block.nodes) {
            self.node.push(id);
            let operands = find(&values, &node.operands).map_err(|e| self.fail(node, e))?;
            values.push(self.evaluate(node, operands, source)?);
            self.node.pop();
            let unused = last[id as usize].is_none().then_some(id);
            let used = node.operands.iter().map(|operand| operand.node);
            for dead in used.filter(|&used| last[used as usize] == Some(id)).chain(unused) {
                values[dead as usize].clear();
            }
        }
        find(&values, wanted).map_err(|error| op_error(self.node.clone(), Span::default(), error))
    }

    fn evaluate(
        &mut self,
        node: &Node,
        operands: Vec<Arc<Array>>,
        source: &mut Source<'_>,
    ) -> Result<Vec<Arc<Array>>, ClearError> {
        match (&node.op, &node.types[..]) {
            (Op::Input { .. } | Op::Parameter(_), [ty]) => {
                let Some((value, watch)) = source(&node.op) else {
                    return Err(self.fail(node, OpError::Malformed("a parameter without value")));
                };
                let value = if watch { self.adopt(node, 0, value, ty)? } else { value };
                Ok(vec![value])
            }
            (Op::Loop(inner), types) => self.repeat(node, inner, operands, types),
            (op, types) => {
                let operands: Vec<&Array> = operands.iter().map(Arc::as_ref).collect();
                let results = observe_op(op, &operands, types, self.rows);
                let results = results.map_err(|error| self.fail(node, error))?;
                let watched = results.into_iter().zip(types).zip(0..);
                Ok(watched
                    .map(|(((array, seen), ty), result)| {
                        self.record(node, result, seen, ty);
                        Arc::new(array)
                    })
                    .collect())
            }
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        inner: &Loop,
        mut carried: Vec<Arc<Array>>,
        types: &[Type],
    ) -> Result<Vec<Arc<Array>>, ClearError> {
        let malformed = OpError::Malformed("a loop has one result per carried value");
        if carried.len() < inner.carried || types.len() != inner.carried {
            return Err(self.fail(node, malformed));
        }
        let trips = inner.trips.bound(self.rows);
        let trips = trips.ok_or_else(|| self.fail(node, OpError::TooLarge))?;
        let outside = carried.split_off(inner.carried);
        for trip in 0..trips {
            let iteration = Array::trusted(Element::int(64), Vec::new(), vec![trip as i64]);
            let own = carried.into_iter().chain([Arc::new(iteration)]);
            let parameters: Vec<_> = own.chain(outside.iter().cloned()).collect();
            let mut source = |op: &Op| match op {
                Op::Parameter(number) => {
                    let number = *number as usize;
                    Some((parameters.get(number)?.clone(), number <= inner.carried))
                }
                _ => None,
            };
            self.trips.push(trip);
            carried = self.block(&inner.body, &inner.body.results, &mut source)?;
            self.trips.pop();
        }
        let results = carried.into_iter().zip(types).zip(0..);
        results.map(|((value, ty), result)| self.adopt(node, result, value, ty)).collect()
    }

    /// A value that comes from elsewhere, as result of the node. It was checked where it was
    /// computed, against an interval within this type's.
    fn adopt(
        &mut self,
        node: &Node,
        result: u32,
        value: Arc<Array>,
        ty: &Type,
    ) -> Result<Arc<Array>, ClearError> {
        if value.element() != ty.element {
            let error = OpError::Malformed("carried values keep their element type");
            return Err(self.fail(node, error));
        }
        self.record(node, result, Seen::of(&value), ty);
        Ok(value)
    }

    fn record(&mut self, node: &Node, result: u32, seen: Seen, ty: &Type) {
        let place = Place { node: &self.node, trips: &self.trips, span: &node.span };
        self.observed.record(place, result, seen, ty.interval);
    }

    fn fail(&self, node: &Node, error: OpError) -> ClearError {
        op_error(self.node.clone(), node.span.clone(), error)
    }
}

/// Evaluates one operation on operands in the clear: how a party computes on public values and
/// on those that it holds alone.
///
/// `types` are the types of its results, `rows` the row counts of the program's dims. Loops are
/// evaluated whole; inputs and parameters have no value here. A result outside its element's
/// interval is taken modulo its width; [`evaluate_observed`](super::evaluate_observed) reports
/// such values.
///
/// # Errors
/// [`ClearError::Op`] if the operation has no result, or operands and types do not belong to it.
pub fn evaluate_op(
    op: &Op,
    operands: &[&Array],
    types: &[Type],
    rows: &[u64],
) -> Result<Vec<Array>, ClearError> {
    let fail = |error| op_error(Vec::new(), Span::default(), error);
    let Op::Loop(inner) = op else {
        let results = observe_op(op, operands, types, rows).map_err(fail)?;
        return Ok(results.into_iter().map(|(array, _)| array).collect());
    };
    let node = Node {
        op: Op::Parameter(0),
        operands: Vec::new(),
        types: Vec::new(),
        span: Span::default(),
    };
    let operands = operands.iter().map(|&a| Arc::new(a.clone())).collect();
    let results = Run::new(rows).repeat(&node, inner, operands, types)?;
    Ok(results.into_iter().map(take).collect())
}

/// The array itself, copied only if it is used elsewhere.
pub(super) fn take(array: Arc<Array>) -> Array {
    Arc::try_unwrap(array).unwrap_or_else(|array| Array::clone(&array))
}

fn op_error(node: Vec<NodeId>, span: Span, error: OpError) -> ClearError {
    ClearError::Op { node, span, error }
}

/// For each node the last node that reads one of its results; the block's length for those that
/// are wanted, none for those that nobody reads.
fn last_uses(block: &Block, wanted: &[ValueId]) -> Vec<Option<NodeId>> {
    let mut last = vec![None; block.nodes.len()];
    let reads = (0..).zip(&block.nodes).flat_map(|(id, node)| {
        node.operands.iter().map(move |operand| (operand.node as usize, id))
    });
    let end = block.nodes.len() as NodeId;
    for (read, by) in reads.chain(wanted.iter().map(|value| (value.node as usize, end))) {
        if let Some(slot) = last.get_mut(read) {
            *slot = Some(by);
        }
    }
    last
}

fn find(values: &[Vec<Arc<Array>>], ids: &[ValueId]) -> Result<Vec<Arc<Array>>, OpError> {
    let value = |id: &ValueId| values.get(id.node as usize)?.get(id.index as usize).cloned();
    let missing = OpError::Malformed("a value is used before it is computed");
    ids.iter().map(|id| value(id).ok_or(missing.clone())).collect()
}
