//! Parts of what was built, as programs of their own.

use crate::domain::{Domain, Meaning};
use crate::ir::{Block, Loop, Node, NodeId, Op, Program, Reveal, ValueId};
use crate::types::{DimId, Extent, Type};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The program of what results depend on, in the order in which it was built, with what is tied to that: nodes, row counts and
/// domains that nothing needs are left out, parties are kept.
pub(super) fn cut(
    whole: &Program,
    (block, ties): (&Block, &[(NodeId, NodeId)]),
    name: &str,
    reveals: Vec<Reveal>,
) -> Program {
    let kept = reached(block, ties, &reveals);
    let mut used = BTreeSet::new();
    kept.iter().for_each(|id| dims_of_node(&block.nodes[*id as usize], &mut used));
    let dims = used.iter().map(|dim| whole.dims[dim.0 as usize].clone()).collect();
    let places: HashMap<NodeId, NodeId> = kept.iter().copied().zip(0..).collect();
    let renumber = Renumber { dims: used.into_iter().zip((0..).map(DimId)).collect() };
    let at = |id: &ValueId| ValueId { node: places[&id.node], index: id.index };
    let nodes: Vec<Node> = kept
        .iter()
        .map(|id| {
            let node = renumber.node(&block.nodes[*id as usize]);
            Node { operands: node.operands.iter().map(at).collect(), ..node }
        })
        .collect();
    let reveals: Vec<Reveal> =
        reveals.into_iter().map(|reveal| Reveal { value: at(&reveal.value), ..reveal }).collect();
    let domains = domains(whole, &nodes, &reveals);
    let body = Block { nodes, results: Vec::new() };
    let parties = whole.parties.clone();
    Program { name: name.to_owned(), parties, dims, domains, body, reveals }
}

/// The nodes that results depend on, or that are tied to these.
fn reached(block: &Block, ties: &[(NodeId, NodeId)], reveals: &[Reveal]) -> BTreeSet<NodeId> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<NodeId> = reveals.iter().map(|reveal| reveal.value.node).collect();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(block.nodes[id as usize].operands.iter().map(|operand| operand.node));
            open.extend(ties.iter().filter(|(node, _)| *node == id).map(|(_, other)| *other));
        }
    }
    reached
}

/// The domains that inputs and results speak of.
fn domains(whole: &Program, nodes: &[Node], reveals: &[Reveal]) -> Vec<Arc<Domain>> {
    let inputs = nodes.iter().filter_map(|node| match &node.op {
        Op::Input { meaning, .. } => Some(meaning),
        _ => None,
    });
    let of = |meaning: &Meaning, domain: &Domain| matches!(meaning, Meaning::Domain(it) if **it == *domain);
    let meanings: Vec<&Meaning> = inputs.chain(reveals.iter().map(|it| &it.meaning)).collect();
    let labels = |domain: &Domain| reveals.iter().any(|it| it.by.iter().any(|by| **by == *domain));
    let used = |domain: &&Arc<Domain>| {
        meanings.iter().any(|meaning| of(meaning, domain)) || labels(domain)
    };
    whole.domains.iter().filter(used).cloned().collect()
}

fn dims_of_node(node: &Node, used: &mut BTreeSet<DimId>) {
    let mut extent = |extent: &Extent| used.extend(extent.terms.iter().map(|(dim, _)| *dim));
    node.types.iter().flat_map(|ty| &ty.shape).for_each(&mut extent);
    if let Op::Loop(inner) = &node.op {
        extent(&inner.trips);
        inner.body.nodes.iter().for_each(|node| dims_of_node(node, used));
    }
}

/// New numbers for row counts.
struct Renumber {
    dims: HashMap<DimId, DimId>,
}

impl Renumber {
    fn extent(&self, extent: &Extent) -> Extent {
        let terms = extent.terms.iter().map(|(dim, factor)| (self.dims[dim], *factor)).collect();
        Extent { terms, ..extent.clone() }
    }

    fn node(&self, node: &Node) -> Node {
        let ty = |ty: &Type| Type {
            shape: ty.shape.iter().map(|extent| self.extent(extent)).collect(),
            ..ty.clone()
        };
        let op = match &node.op {
            Op::Loop(inner) => {
                let nodes = inner.body.nodes.iter().map(|node| self.node(node)).collect();
                let body = Block { nodes, results: inner.body.results.clone() };
                let trips = self.extent(&inner.trips);
                Op::Loop(Box::new(Loop { trips, carried: inner.carried, body }))
            }
            op => op.clone(),
        };
        Node { op, types: node.types.iter().map(ty).collect(), ..node.clone() }
    }
}
