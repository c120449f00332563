//! Loops.

use super::{Builder, Number, POISON, Scope, Value};
use crate::infer::element::describe;
use crate::ir::{Block, Loop, Node, NodeId, Op, ValueId};
use crate::types::{Element, Extent, Type, Visibility};
use std::ops::RangeInclusive;

/// A value that a loop carries from one iteration to the next.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    first: Value,
    range: Option<(Number, Number)>,
}

impl From<Value> for Carried {
    /// Anything of the value's element type, in every iteration.
    fn from(first: Value) -> Self {
        Carried { first, range: None }
    }
}

impl Carried {
    /// Within a range in every iteration.
    #[must_use]
    pub fn within<T: Into<Number> + Copy>(first: Value, range: RangeInclusive<T>) -> Self {
        let range = Some(((*range.start()).into(), (*range.end()).into()));
        Carried { first, range }
    }
}

impl Builder {
    /// Repeats `body`, which is given the carried values and the iteration number and gives back
    /// the next carried values. It may use values of outside. The result: the carried values
    /// after `trips` iterations.
    ///
    /// The body is called again when a carried value turns out to be secret, so it should do
    /// nothing else than build.
    #[track_caller]
    pub fn repeat(
        &mut self,
        trips: impl Into<Extent>,
        carried: &[Carried],
        mut body: impl FnMut(&mut Builder, &[Value], Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let poison = vec![POISON; carried.len()];
        let trips = trips.into();
        let mut types = Vec::new();
        for value in carried {
            match self.carried_type(value) {
                Some(ty) => types.push(ty),
                None => return poison,
            }
        }
        let iteration = match crate::infer::iteration(&trips, &self.program.dims) {
            Ok(ty) => ty,
            Err(message) => {
                self.fail(message);
                return poison;
            }
        };
        loop {
            let parameters: Vec<Type> = types.iter().cloned().chain([iteration.clone()]).collect();
            let (values, number) = self.open(&parameters);
            let (now, index) = values.split_at(carried.len());
            let next = body(self, now, index[0]);
            let next = self.conform(next, &types);
            let Some(scope) = self.close(number) else { return poison };
            let Some(next) = next else { return poison };
            if !widen(&mut types, &scope.block, &next) {
                return self.finish_loop(trips, carried, scope, next);
            }
        }
    }

    #[track_caller]
    fn carried_type(&mut self, carried: &Carried) -> Option<Type> {
        let mut ty = self.ty(carried.first)?;
        ty.interval = ty.element.interval();
        if let Some((low, high)) = carried.range {
            match (low.raw(ty.element), high.raw(ty.element)) {
                (Ok(low), Ok(high)) => ty.interval = crate::types::Interval { low, high },
                (Err(message), _) | (_, Err(message)) => {
                    self.fail(message);
                    return None;
                }
            }
        }
        Some(ty)
    }

    /// Opens a scope with these parameters.
    #[track_caller]
    pub(super) fn open(&mut self, parameters: &[Type]) -> (Vec<Value>, u32) {
        let number = self.scopes_so_far;
        self.scopes_so_far += 1;
        self.scopes.push(Scope { number, ..Scope::default() });
        let mut values = Vec::new();
        for (i, ty) in (0..).zip(parameters) {
            values.push(self.push(Op::Parameter(i), &[], Some(std::slice::from_ref(ty))));
        }
        (values, number)
    }

    pub(super) fn close(&mut self, number: u32) -> Option<Scope> {
        let scope = self.scopes.pop().expect("it was opened");
        debug_assert_eq!(scope.number, number);
        self.error.is_none().then_some(scope)
    }

    /// The next carried values in the element types of the carried ones.
    #[track_caller]
    fn conform(&mut self, next: Vec<Value>, types: &[Type]) -> Option<Vec<ValueId>> {
        if next.len() != types.len() {
            let (n, m) = (types.len(), next.len());
            self.fail(format!("a loop that carries {n} values is given {m} for the next turn"));
            return None;
        }
        let mut ids = Vec::new();
        for (i, (value, ty)) in next.into_iter().zip(types).enumerate() {
            let mut value = value;
            let new = self.ty(value)?;
            if !ty.interval.contains(new.interval)
                && ty.element.fraction() == new.element.fraction()
            {
                self.fail(format!(
                    "carried value {i} may leave its range {}: the next may be anything in {}; \
                     promise one with `assume`, carry a wider type, or use the wrapping form",
                    describe(ty.element, ty.interval),
                    describe(new.element, new.interval)
                ));
                return None;
            }
            if ty.element != Element::Bit {
                value = self.cast(value, ty.element);
            }
            ids.push(self.resolve(value)?);
        }
        Some(ids)
    }

    #[track_caller]
    fn finish_loop(
        &mut self,
        trips: Extent,
        carried: &[Carried],
        scope: Scope,
        next: Vec<ValueId>,
    ) -> Vec<Value> {
        let outer = self.scopes.last().expect("the outermost scope stays").number;
        let mut operands: Vec<Value> = carried.iter().map(|c| c.first).collect();
        operands.extend(scope.captured.iter().map(|&id| Value { scope: outer, id }));
        let mut body = parameters_first(scope.block, next);
        let inner = Loop { trips, carried: carried.len(), body: std::mem::take(&mut body) };
        let values = self.push_all(Op::Loop(Box::new(inner)), &operands, None);
        if values.is_empty() { vec![POISON; carried.len()] } else { values }
    }
}

/// Makes carried values as secret as what follows them. Whether any had to be.
fn widen(types: &mut [Type], block: &Block, next: &[ValueId]) -> bool {
    let mut changed = false;
    for (ty, id) in types.iter_mut().zip(next) {
        let joined: Visibility = ty.visibility.join(block.type_of(*id).visibility);
        changed |= joined != ty.visibility;
        ty.visibility = joined;
    }
    changed
}

/// The block with its parameters, which were found one by one, before everything else.
pub(super) fn parameters_first(block: Block, results: Vec<ValueId>) -> Block {
    let is_parameter = |node: &Node| matches!(node.op, Op::Parameter(_));
    let parameters = block.nodes.iter().filter(|n| is_parameter(n)).count() as NodeId;
    let (mut next_parameter, mut next_other) = (0, parameters);
    let mut places = Vec::with_capacity(block.nodes.len());
    for node in &block.nodes {
        let next = if is_parameter(node) { &mut next_parameter } else { &mut next_other };
        places.push(*next);
        *next += 1;
    }
    let moved = |id: &ValueId| ValueId { node: places[id.node as usize], index: id.index };
    let mut nodes: Vec<(NodeId, Node)> = places.iter().copied().zip(block.nodes).collect();
    nodes.sort_by_key(|(place, _)| *place);
    let renumbered = nodes.into_iter().map(|(place, node)| Node {
        op: if is_parameter(&node) { Op::Parameter(place) } else { node.op },
        operands: node.operands.iter().map(moved).collect(),
        ..node
    });
    Block { nodes: renumbered.collect(), results: results.iter().map(moved).collect() }
}
