//! Walks a program's blocks, stage by stage, over one backend per worker.

use super::context::{Backends, Context, Value};
use super::frame::{Frame, Ready, at};
use super::layout::{Layout, Place, Stage, is_secret, lengths};
use super::operand::Cache;
use super::rings::BlockRings;
use super::stream::run_stream;
use super::team::Team;
use crate::circuit::EvaluateError;
use std::collections::HashMap;
use std::sync::Arc;
use tacit_backend::{Backend, Kind, Ring, Values};
use tacit_program::clear::{self, Array, ClearError};
use tacit_program::{Block, Element, Loop, Node, NodeId, Op, PartyId, Type, ValueId, Visibility};

/// The wanted values of a block, given those of its parameters.
pub(super) fn run_block(
    context: &Context<'_>,
    backends: Backends<'_, '_>,
    block: &Block,
    rings: &BlockRings,
    (parameters, ready): (&[Value], &Ready),
    wanted: &[ValueId],
) -> Result<Vec<Value>, EvaluateError> {
    let layout = Layout::new(block, context.rows, wanted);
    let stages = layout.stages.len();
    let last = last_uses(block, &layout, wanted);
    let splats = splats(block, &layout, wanted);
    let values = vec![Vec::new(); block.nodes.len()];
    let mut frame = Frame { block, layout, rings, values, ready, splats };
    for stage in 0..stages {
        let Stage { whole, streams } = std::mem::take(&mut frame.layout.stages[stage]);
        for id in whole {
            let values = context.whole(backends, &frame, id, parameters)?;
            frame.values[id as usize] = values;
            let read = block.nodes[id as usize].operands.iter().map(|operand| operand.node);
            for done in read.chain([id]).filter(|value| last[*value as usize] == Last::Whole(id)) {
                frame.values[done as usize].clear();
            }
        }
        for stream in &streams {
            run_stream(context, backends, &mut frame, stream)?;
        }
        for (id, last) in last.iter().enumerate() {
            if *last == Last::Streams(stage) {
                frame.values[id].clear();
            }
        }
    }
    Ok(wanted.iter().map(|id| frame.value(*id).cloned()).collect::<Result<_, _>>()?)
}

/// Which nodes fill an array with one public number, for operations on secrets only: those take
/// the number itself, so that no array of it is ever made.
fn splats(block: &Block, layout: &Layout, wanted: &[ValueId]) -> Vec<bool> {
    let fills = |node: &Node| match &node.op {
        Op::Constant(values) => values.len() == 1,
        Op::Broadcast => block.type_of(node.operands[0]).shape.is_empty(),
        _ => false,
    };
    let public = |node: &Node| node.types[0].visibility == Visibility::Public;
    let mut splats: Vec<bool> =
        block.nodes.iter().map(|node| fills(node) && public(node)).collect();
    for (node, place) in block.nodes.iter().zip(&layout.places) {
        if *place == Place::Clear || matches!(node.op, Op::Loop(_) | Op::Sort { .. }) {
            node.operands.iter().for_each(|operand| splats[operand.node as usize] = false);
        }
    }
    let kept = wanted.iter().chain(&block.results);
    kept.for_each(|value| splats[value.node as usize] = false);
    splats
}

/// When the values of a node are no longer needed.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// They are wanted in the end.
    Never,
    /// Behind a node on whole arrays, the last that reads them.
    Whole(NodeId),
    /// Behind the streams of a stage.
    Streams(usize),
}

fn last_uses(block: &Block, layout: &Layout, wanted: &[ValueId]) -> Vec<Last> {
    let mut last = vec![Last::Never; block.nodes.len()];
    for (stage, Stage { whole, streams }) in layout.stages.iter().enumerate() {
        let streamed = streams.iter().flat_map(|stream| &stream.nodes);
        let whole = whole.iter().map(|id| (*id, Last::Whole(*id)));
        for (id, at) in whole.chain(streamed.map(|id| (*id, Last::Streams(stage)))) {
            last[id as usize] = at;
            for operand in &block.nodes[id as usize].operands {
                last[operand.node as usize] = at;
            }
        }
    }
    wanted.iter().for_each(|id| last[id.node as usize] = Last::Never);
    last
}

impl Context<'_> {
    /// Evaluates a node on whole arrays.
    fn whole(
        &self,
        backends: Backends<'_, '_>,
        frame: &Frame<'_>,
        id: NodeId,
        parameters: &[Value],
    ) -> Result<Vec<Value>, EvaluateError> {
        let node = &frame.block.nodes[id as usize];
        backends.iter_mut().for_each(|backend| backend.at_line(node.span.line));
        match &node.op {
            Op::Parameter(number) => Ok(vec![parameters[*number as usize].clone()]),
            Op::Input { name, .. } => Ok(vec![self.given(name)]),
            _ if frame.splats[id as usize] => self.splat(frame, node),
            _ if frame.layout.places[id as usize] == Place::Clear => self.clear(frame, node),
            Op::Loop(inner) => self.repeat(backends, frame, id, inner),
            Op::Sort { .. } => self.sort(backends, frame, id),
            _ => {
                let mut cache = Cache::default();
                let mut team = Team::new(backends, self);
                let team = (&mut team as &mut dyn Backend, self.seats[0]);
                let mut task = self.task(frame, id, team, &mut cache, &HashMap::new(), None)?;
                let results = task.run().map_err(|error| at(node, error))?;
                self.keep_tests(cache.take_tests());
                let checked = cache.take_checked();
                if !checked.is_empty() {
                    self.checks().keep(&mut Team::new(backends, self), checked)?;
                }
                Ok(results.into_iter().map(|secret| Value::Secret(Arc::new(secret))).collect())
            }
        }
    }

    /// An input: shares, if it is from outside.
    fn given(&self, name: &str) -> Value {
        match self.entered.get().and_then(|entered| entered.get(name)) {
            Some(secret) => Value::Secret(secret.clone()),
            None => Value::Clear(self.inputs.get(name).cloned()),
        }
    }

    /// Sorts: secret columns under the protocol, others in the clear.
    fn sort(
        &self,
        backends: Backends<'_, '_>,
        frame: &Frame<'_>,
        id: NodeId,
    ) -> Result<Vec<Value>, EvaluateError> {
        let node = &frame.block.nodes[id as usize];
        let mut cache = Cache::default();
        let mut team = Team::new(backends, self);
        let team = (&mut team as &mut dyn Backend, self.seats[0]);
        let mut task = self.task(frame, id, team, &mut cache, &HashMap::new(), None)?;
        let mut secrets = task.run().map_err(|error| at(node, error))?.into_iter();
        let key = node.operands[0];
        let mut results = Vec::new();
        for (column, ty) in node.operands.iter().zip(&node.types) {
            if is_secret(ty) {
                let secret = secrets.next().map(|secret| Value::Secret(Arc::new(secret)));
                results.extend(secret);
                continue;
            }
            // Whoever may see the key and this column sorts them alone.
            let types = vec![frame.block.type_of(key).clone(), ty.clone()];
            let operands = vec![key, *column];
            let pair = Node { op: node.op.clone(), operands, types, span: node.span.clone() };
            results.extend(self.clear(frame, &pair)?.pop());
        }
        Ok(results)
    }

    /// The number that a node fills an array with.
    fn splat(&self, frame: &Frame<'_>, node: &Node) -> Result<Vec<Value>, EvaluateError> {
        if let Op::Constant(values) = &node.op {
            let number = Array::scalar(node.types[0].element, values[0]);
            return Ok(vec![Value::Clear(number.ok().map(Arc::new))]);
        }
        Ok(vec![frame.value(node.operands[0])?.clone()])
    }

    /// Evaluates a node in the clear, where its operands are known.
    fn clear(&self, frame: &Frame<'_>, node: &Node) -> Result<Vec<Value>, EvaluateError> {
        let mut operands = Vec::new();
        for operand in &node.operands {
            match frame.value(*operand)? {
                Value::Clear(Some(array)) => operands.push(array.clone()),
                _ => return Ok(vec![Value::Clear(None); node.types.len()]),
            }
        }
        if let (Op::Constant(_), Visibility::Private(_)) = (&node.op, node.types[0].visibility) {
            return Ok(vec![Value::Clear(None)]);
        }
        let operands: Vec<&Array> = operands.iter().map(Arc::as_ref).collect();
        let results = clear::evaluate_op(&node.op, &operands, &node.types, self.rows)
            .map_err(|error| in_clear(node, &error))?;
        Ok(results.into_iter().map(|array| Value::Clear(Some(Arc::new(array)))).collect())
    }

    fn repeat(
        &self,
        backends: Backends<'_, '_>,
        frame: &Frame<'_>,
        id: NodeId,
        inner: &Loop,
    ) -> Result<Vec<Value>, EvaluateError> {
        let node = &frame.block.nodes[id as usize];
        let trips = inner.trips.bound(self.rows).unwrap_or(0);
        let operands: Vec<Value> =
            node.operands.iter().map(|v| frame.value(*v).cloned()).collect::<Result<_, _>>()?;
        let Some(rings) = &frame.rings.node(id).body else {
            return Err(EvaluateError::Bug("a loop without rings".into()));
        };
        let body = &inner.body;
        // A parameter that is secret gets shares, whatever it is given.
        let parameter = |number: usize| &body.nodes[number].types[0];
        let mut given = Vec::new();
        for (i, value) in operands.into_iter().enumerate() {
            let number = i + usize::from(i >= inner.carried);
            let ty = frame.block.type_of(node.operands[i]);
            let ring = frame.rings.node(id).operands[i];
            let secret = is_secret(parameter(number));
            given.push(if secret { self.shared(backends, value, ty, ring)? } else { value });
        }
        let outside = given.split_off(inner.carried);
        let ready = self.ready(backends, frame, (id, inner), &outside)?;
        let mut carried = given;
        for trip in 0..trips {
            let number = Array::scalar(Element::int(64), i128::from(trip)).ok().map(Arc::new);
            let parameters: Vec<Value> = carried
                .into_iter()
                .chain([Value::Clear(number)])
                .chain(outside.iter().cloned())
                .collect();
            let given = (&parameters[..], &ready);
            let results = run_block(self, backends, body, rings, given, &body.results)?;
            backends.iter_mut().for_each(|backend| backend.at_line(node.span.line));
            carried = Vec::new();
            for (i, (value, id)) in results.into_iter().zip(&body.results).enumerate() {
                let ring = rings.node(id.node).results[id.index as usize];
                let secret = is_secret(parameter(i));
                let ty = body.type_of(*id);
                carried.push(if secret { self.shared(backends, value, ty, ring)? } else { value });
            }
            (self.progress)(1);
        }
        Ok(carried)
    }

    /// What one party knows of a loop's values of outside, as shares: once, if the body shares it in one form, and not in every turn.
    fn ready(
        &self,
        backends: Backends<'_, '_>,
        frame: &Frame<'_>,
        (id, inner): (NodeId, &Loop),
        outside: &[Value],
    ) -> Result<Ready, EvaluateError> {
        let (node, rings) = (&frame.block.nodes[id as usize], frame.rings.node(id));
        let mut ready = Ready::new();
        // Where inputs are tested, whoever may cheat shared them where they came in.
        let Some(rings) = rings.body.as_ref().filter(|_| !self.tested) else { return Ok(ready) };
        for (i, value) in (inner.carried..).zip(outside) {
            let (parameter, operand) = (i as NodeId + 1, node.operands[i]);
            let ty = &inner.body.nodes[parameter as usize].types[0];
            if !matches!((value, ty.visibility), (Value::Clear(_), Visibility::Private(_))) {
                continue;
            }
            if let Some(known) = frame.ready.get(&operand.node) {
                ready.insert(parameter, known.clone());
                continue;
            }
            let Some(Some(ring)) = form_of(&inner.body, rings, parameter) else { continue };
            if let Value::Secret(secret) = self.shared(backends, value.clone(), ty, ring)? {
                ready.insert(parameter, secret);
            }
        }
        Ok(ready)
    }

    /// A value as shares: what is in the clear is shared by its owner.
    fn shared(
        &self,
        backends: Backends<'_, '_>,
        value: Value,
        ty: &Type,
        ring: Ring,
    ) -> Result<Value, EvaluateError> {
        let Value::Clear(array) = value else { return Ok(value) };
        let len = lengths(&ty.shape, self.rows)?.iter().product();
        let kind = if ty.element == Element::Bit { Kind::Bits } else { Kind::Ring(ring) };
        let values = array.map(|array| Values::new(array.values().collect()));
        let values = values.as_ref().map(|values| &values[..]);
        let backend = &mut *backends[0];
        let secret = match ty.visibility {
            Visibility::Private(PartyId(party)) => {
                let owner = self.seats[0].roles[usize::from(party)];
                backend.input(kind, owner, values, len)?
            }
            // In a dry run there are no values.
            _ => backend.public(kind, values.unwrap_or(&[0]), len),
        };
        Ok(Value::Secret(Arc::new(secret)))
    }
}

/// The ring in which a body's operations on secrets share a parameter that one party knows, if any do. Nothing where it is not always the
/// same, or they take its bits from its owner. Of bits the ring says nothing.
fn form_of(body: &Block, rings: &BlockRings, parameter: NodeId) -> Option<Option<Ring>> {
    let mut form = None;
    for (id, node) in (0..).zip(&body.nodes) {
        let rings = rings.node(id);
        for (i, _) in node.operands.iter().enumerate().filter(|(_, v)| v.node == parameter) {
            let now = match &node.op {
                Op::Sort { .. } | Op::GroupSum { .. } | Op::GroupCount { .. } => return None,
                Op::Circuit { .. } => return None,
                Op::Loop(inner) if i < inner.carried => return None,
                Op::Loop(inner) => form_of(&inner.body, rings.body.as_ref()?, i as NodeId + 1)?,
                _ => node.types.iter().any(is_secret).then(|| rings.operands[i]),
            };
            let Some(now) = now else { continue };
            if form.replace(now).is_some_and(|before| before != now) {
                return None;
            }
        }
    }
    Some(form)
}

/// An error of evaluation in the clear: a check that failed is one of all parties.
fn in_clear(node: &Node, error: &ClearError) -> EvaluateError {
    let place = format!("{}{error}", node.span.prefix());
    if error.is_failed_check() {
        EvaluateError::Check(Some(place))
    } else {
        EvaluateError::Job(place)
    }
}
