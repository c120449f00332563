//! In which order a block is computed: stages, and in each stage streams of rows.
//!
//! Operations that treat every row of a large array alike form a *stream*: a chunk of rows goes
//! through all of them before the next begins, so memory holds a chunk of each value, not the
//! whole. Sums over rows end a stream. What a stream does not keep is gone with its chunk.

use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use tacit_program::{Block, Extent, Node, NodeId, Op, Shape, Type, ValueId, Visibility};
use tacit_sharing::SharingError;

/// Where a node is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the clear, by whoever may see it.
    Clear,
    /// On whole arrays.
    Whole,
    /// Row by row.
    Row,
    /// Over rows, into something without them.
    Reduce,
}

/// Operations over the rows of one extent.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Number of rows.
    pub rows: usize,
    /// Nodes, in order.
    pub nodes: Vec<NodeId>,
    /// Row values that are needed after the stream.
    pub kept: Vec<ValueId>,
}

/// What can be computed once the stages before are done: whole values first, then streams.
#[derive(Debug, Default)]
pub(super) struct Stage {
    pub whole: Vec<NodeId>,
    pub streams: Vec<Stream>,
}

/// A block's order.
#[derive(Debug)]
pub(super) struct Layout {
    pub places: Vec<Place>,
    pub stages: Vec<Stage>,
}

/// The extent whose rows a value can be cut into.
fn rows_of(ty: &Type) -> Option<&Extent> {
    ty.shape.first().filter(|extent| !extent.terms.is_empty())
}

pub(super) fn is_secret(ty: &Type) -> bool {
    ty.visibility == Visibility::Secret
}

/// Lengths of a shape's axes.
///
/// # Errors
/// If there are more elements than an index counts.
pub(super) fn lengths(shape: &[Extent], rows: &[u64]) -> Result<Vec<usize>, SharingError> {
    let length = |extent: &Extent| extent.bound(rows).and_then(|n| usize::try_from(n).ok());
    let shape: Option<Vec<usize>> = shape.iter().map(length).collect();
    let fits = |shape: &Vec<usize>| {
        let all = shape.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
        all.is_some_and(|all| all <= u32::MAX as usize)
    };
    shape
        .filter(fits)
        .ok_or_else(|| SharingError::Shape("an array has more than 2^32 - 1 elements".into()))
}

/// Checks that every array of a program is one that can be computed.
///
/// # Errors
/// Says where one has too many elements.
pub(super) fn check_sizes(block: &Block, rows: &[u64]) -> Result<(), EvaluateError> {
    for node in &block.nodes {
        if let Op::Loop(inner) = &node.op {
            check_sizes(&inner.body, rows)?;
        }
        let too_large = node.types.iter().find_map(|ty| lengths(&ty.shape, rows).err());
        if let Some(error) = too_large {
            return Err(EvaluateError::Job(format!("{}{error}", node.span.prefix())));
        }
    }
    Ok(())
}

impl Layout {
    pub fn new(block: &Block, rows: &[u64], wanted: &[ValueId]) -> Self {
        let places: Vec<Place> = block.nodes.iter().map(|node| place(block, node)).collect();
        let stage_of = stages(block, &places);
        let last = stage_of.iter().max().map_or(0, |last| last + 1);
        let mut stages: Vec<Stage> = (0..last).map(|_| Stage::default()).collect();
        let mut streams: Vec<BTreeMap<String, Stream>> =
            (0..last).map(|_| BTreeMap::new()).collect();
        for (id, stage) in (0..).zip(&stage_of) {
            match streamed(block, &places, id) {
                None => stages[*stage].whole.push(id),
                Some(extent) => {
                    let stream = streams[*stage].entry(format!("{extent:?}")).or_default();
                    stream.rows = extent.bound(rows).unwrap_or(0) as usize;
                    stream.nodes.push(id);
                }
            }
        }
        for (stage, streams) in stages.iter_mut().zip(streams) {
            stage.streams = streams.into_values().collect();
            for stream in &mut stage.streams {
                stream.kept = kept(block, &places, stream, wanted);
            }
        }
        Layout { places, stages }
    }
}

/// The extent over whose rows a node streams.
fn streamed<'b>(block: &'b Block, places: &[Place], id: NodeId) -> Option<&'b Extent> {
    let node = &block.nodes[id as usize];
    match places[id as usize] {
        Place::Row => rows_of(&node.types[0]),
        Place::Reduce => rows_of(block.type_of(node.operands[0])),
        _ => None,
    }
}

/// Stage by stage: an operand of the same stream is there, one of another or a sum over rows only
/// in the next stage.
fn stages(block: &Block, places: &[Place]) -> Vec<usize> {
    let mut stage_of: Vec<usize> = Vec::new();
    for (id, node) in (0..).zip(&block.nodes) {
        let own = streamed(block, places, id);
        let after = node.operands.iter().map(|operand| {
            let at = operand.node as usize;
            let with_it = match places[at] {
                Place::Clear | Place::Whole => true,
                Place::Row => own.is_some() && own == streamed(block, places, operand.node),
                Place::Reduce => false,
            };
            stage_of[at] + usize::from(!with_it)
        });
        let stage = after.max().unwrap_or(0);
        stage_of.push(stage);
    }
    stage_of
}

/// Row values of a stream that something outside reads.
fn kept(block: &Block, places: &[Place], stream: &Stream, wanted: &[ValueId]) -> Vec<ValueId> {
    let inside = |id: NodeId| stream.nodes.binary_search(&id).is_ok();
    let row = |v: &ValueId| places[v.node as usize] == Place::Row && inside(v.node);
    let readers = (0..).zip(&block.nodes).filter(|(id, _)| !inside(*id));
    let read = readers.flat_map(|(_, node)| node.operands.iter().copied());
    let mut kept: Vec<ValueId> = read.chain(wanted.iter().copied()).filter(row).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn place(block: &Block, node: &Node) -> Place {
    // A loop over what one party knows may check it, which all parties do.
    let shares = |inner: &Node| inner.types.iter().any(is_secret);
    let within = matches!(&node.op, Op::Loop(inner) if inner.body.any_node(&shares));
    if !within && node.types.iter().all(|ty| !is_secret(ty)) {
        return Place::Clear;
    }
    let types: Vec<&Type> = node.operands.iter().map(|v| block.type_of(*v)).collect();
    match &node.op {
        Op::Sum { axis: 0 } if rows_of(types[0]).is_some() => Place::Reduce,
        Op::GroupSum { .. } | Op::GroupCount { .. } if rows_of(types[0]).is_some() => Place::Reduce,
        Op::MatMul if is_row_dot(&types) => Place::Reduce,
        op if keeps_rows(op, &types, &node.types) => Place::Row,
        _ => Place::Whole,
    }
}

/// An inner product over rows.
fn is_row_dot(types: &[&Type]) -> bool {
    let vector = |ty: &Type| ty.shape.len() == 1 && rows_of(ty).is_some();
    types.len() == 2 && vector(types[0]) && vector(types[1])
}

/// Whether row i of the results depends on row i of the operands only, and on operands
/// without rows.
fn keeps_rows(op: &Op, types: &[&Type], results: &[Type]) -> bool {
    let Some(extent) = rows_of(&results[0]) else { return false };
    let row = |ty: &&Type| ty.shape.first() == Some(extent);
    let all_rows = || types.iter().all(row) && results.iter().all(|ty| row(&ty));
    match op {
        Op::Sort { .. } | Op::Segment { .. } => false,
        Op::Loop(_) | Op::Parameter(_) | Op::Input { .. } | Op::Constant(_) => false,
        Op::Broadcast => {
            let aligned = types[0].shape.len() == results[0].shape.len() && row(&types[0]);
            aligned || !has_rows(&types[0].shape)
        }
        // Of a batch of matrices a row is one of them on both sides.
        Op::MatMul if types[1].shape.len() > 2 => {
            all_rows()
                && !types.iter().any(|ty| ty.shape[1..].iter().any(|it| !it.terms.is_empty()))
        }
        Op::MatMul => types[0].shape.len() >= 2 && row(&types[0]) && !has_rows(&types[1].shape),
        Op::Sum { axis } => *axis > 0 && all_rows(),
        Op::Slice { axis, .. } | Op::Concat { axis } | Op::Gather { axis, .. } => {
            *axis > 0 && all_rows()
        }
        // Along rows one needs others: these are computed on whole arrays.
        Op::CumSum { axis, .. } | Op::Shift { axis, .. } | Op::Flip { axis } => {
            *axis > 0 && all_rows()
        }
        Op::SliceAt { axis, .. } => *axis > 0 && row(&types[0]),
        Op::UpdateAt { axis } => *axis > 0 && row(&types[0]) && row(&types[1]),
        Op::Transpose { order } => order.first() == Some(&0) && all_rows(),
        Op::GroupSum { .. } | Op::GroupCount { .. } => false,
        _ => all_rows(),
    }
}

fn has_rows(shape: &Shape) -> bool {
    shape.iter().any(|extent| !extent.terms.is_empty())
}

/// What progress is told of in a block.
pub(super) fn steps_of(block: &Block, rows: &[u64], wanted: &[ValueId]) -> u64 {
    let layout = Layout::new(block, rows, wanted);
    let streams = layout.stages.iter().flat_map(|stage| &stage.streams);
    let rows_done = streams.map(|stream| stream.rows as u64).fold(0, u64::saturating_add);
    let loops = block.nodes.iter().zip(&layout.places).filter(|(_, place)| **place != Place::Clear);
    let loops = loops.filter_map(|(node, _)| match &node.op {
        Op::Loop(inner) => {
            let each = steps_of(&inner.body, rows, &inner.body.results).saturating_add(1);
            Some(inner.trips.bound(rows).unwrap_or(0).saturating_mul(each))
        }
        _ => None,
    });
    loops.fold(rows_done, u64::saturating_add)
}
