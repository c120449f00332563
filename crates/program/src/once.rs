//! Programs that compute nothing twice, and nothing that is not used.
//!
//! Two operations that are equal, on equal operands, have one result. What takes no messages and has a row for each row of a table is
//! computed again where it is used, as memory would hold it in between. Inputs and checks stay, whether anybody reads them or not.

use crate::ir::{Block, Loop, Node, NodeId, Op, Program, ValueId};
use crate::types::{Type, Visibility};
use std::collections::{HashMap, HashSet};

/// Numbers that an operation may have, of constants and positions, to be looked for among others.
const FEW: usize = 64;

/// Gives a program that reveals what `program` does, in which equal operations are one, and unused ones are gone.
#[must_use]
pub fn once(program: &Program) -> Program {
    let wanted: Vec<ValueId> = program.reveals.iter().map(|reveal| reveal.value).collect();
    let (body, map) = once_block(&program.body, &wanted);
    let mut reveals = program.reveals.clone();
    for reveal in &mut reveals {
        reveal.value = map[&reveal.value];
    }
    Program { body, reveals, ..program.clone() }
}

/// Where the values of a block went.
type Map = HashMap<ValueId, ValueId>;

/// A block of which its results and the `wanted` values are used, and where those went.
fn once_block(block: &Block, wanted: &[ValueId]) -> (Block, Map) {
    let used = used(block, wanted);
    let mut once = Block::default();
    let mut map = Map::new();
    // For each value one that is equal to it, and for operations on such the nodes that compute them.
    let mut equal = Map::new();
    let mut known: HashMap<(String, Vec<ValueId>), Vec<NodeId>> = HashMap::new();
    for (id, node) in (0..).zip(&block.nodes) {
        if !stays(node, id, &used) {
            continue;
        }
        let columns = Columns::of(node, id, &used);
        let node = columns.only(node);
        let new = once.nodes.len() as NodeId;
        let key = name(&node.op)
            .map(|name| (name, node.operands.iter().map(|value| equal[value]).collect::<Vec<_>>()));
        let nodes = key.as_ref().and_then(|key| known.get(key)).into_iter().flatten();
        let same = nodes.copied().find(|other| once.nodes[*other as usize].types == node.types);
        equal.extend(columns.values(id, same.unwrap_or(new)));
        if let Some(same) = same.filter(|_| !again(&node)) {
            map.extend(columns.values(id, same));
            continue;
        }
        if let (Some(key), None) = (key, same) {
            known.entry(key).or_default().push(new);
        }
        map.extend(columns.values(id, new));
        let operands = node.operands.iter().map(|value| map[value]).collect();
        once.nodes.push(Node { operands, ..node });
    }
    once.results = block.results.iter().map(|value| map[value]).collect();
    (once, map)
}

/// The values that results, wanted ones, checks and loops need.
fn used(block: &Block, wanted: &[ValueId]) -> HashSet<ValueId> {
    let mut used: HashSet<ValueId> = block.results.iter().chain(wanted).copied().collect();
    for (id, node) in block.nodes.iter().enumerate().rev() {
        let id = id as NodeId;
        if stays(node, id, &used) {
            let columns = Columns::of(node, id, &used);
            used.extend(columns.operands(node));
        }
    }
    used
}

/// Whether a node is computed.
fn stays(node: &Node, id: NodeId, used: &HashSet<ValueId>) -> bool {
    let is_check = |node: &Node| matches!(node.op, Op::Check(_));
    let has_check = match &node.op {
        Op::Loop(inner) => inner.body.any_node(&is_check),
        _ => is_check(node),
    };
    let mut results = (0..node.types.len() as u32).map(|index| ValueId { node: id, index });
    has_check
        || matches!(node.op, Op::Input { .. } | Op::Parameter(_))
        || results.any(|result| used.contains(&result))
}

/// The results that a node goes on having.
struct Columns {
    /// Their former numbers.
    left: Vec<u32>,
    /// For each former number the new one.
    place: Vec<Option<u32>>,
}

impl Columns {
    /// All, but of sorts and segments those that are used, and one of those that are of the same operand.
    fn of(node: &Node, id: NodeId, used: &HashSet<ValueId>) -> Self {
        // A sort is by its first column, which stays.
        let (moves, first) = match node.op {
            Op::Sort { .. } => (true, 1),
            Op::Segment { .. } => (true, 0),
            _ => (false, 0),
        };
        let before = node.operands.len().saturating_sub(node.types.len());
        let mut columns = Columns { left: Vec::new(), place: Vec::new() };
        for index in 0..node.types.len() as u32 {
            let column = |index: &u32| {
                (node.operands[before + *index as usize], &node.types[*index as usize])
            };
            let value = ValueId { node: id, index };
            let place = if !moves {
                None
            } else if index >= first && !used.contains(&value) {
                columns.place.push(None);
                continue;
            } else {
                columns.left.iter().position(|other| column(other) == column(&index))
            };
            columns.place.push(Some(place.unwrap_or(columns.left.len()) as u32));
            if place.is_none() {
                columns.left.push(index);
            }
        }
        columns
    }

    /// The operands that the node goes on having: segments have the bits that say where they begin in front of their columns.
    fn operands(&self, node: &Node) -> Vec<ValueId> {
        if self.left.len() == node.types.len() {
            return node.operands.clone();
        }
        let before = node.operands.len() - node.types.len();
        let columns = self.left.iter().map(|index| before + *index as usize);
        (0..before).chain(columns).map(|operand| node.operands[operand]).collect()
    }

    /// The node with these results.
    fn only(&self, node: &Node) -> Node {
        let op = match &node.op {
            Op::Loop(inner) => {
                let (body, _) = once_block(&inner.body, &[]);
                Op::Loop(Box::new(Loop { body, ..(**inner).clone() }))
            }
            op => op.clone(),
        };
        let types = self.left.iter().map(|index| node.types[*index as usize].clone()).collect();
        Node { op, operands: self.operands(node), types, span: node.span.clone() }
    }

    /// Each former result of a node, with that of the node which has it now.
    fn values(&self, old: NodeId, new: NodeId) -> impl Iterator<Item = (ValueId, ValueId)> {
        let places = (0..).zip(&self.place);
        places.filter_map(move |(index, place)| {
            Some((ValueId { node: old, index }, ValueId { node: new, index: (*place)? }))
        })
    }
}

/// What equal operations have in common, if equal ones are looked for.
pub(crate) fn name(op: &Op) -> Option<String> {
    match op {
        Op::Input { .. } | Op::Parameter(_) | Op::Check(_) | Op::Loop(_) => None,
        Op::Circuit { circuit, .. } => {
            Some(format!("circuit {:p}", std::sync::Arc::as_ptr(circuit)))
        }
        Op::Constant(values) if values.len() > FEW => None,
        Op::Gather { indices, .. } if indices.len() > FEW => None,
        op => Some(format!("{op:?}")),
    }
}

/// Whether a node is computed again rather than kept.
fn again(node: &Node) -> bool {
    let rows = |ty: &Type| ty.shape.iter().any(|extent| !extent.terms.is_empty());
    !takes_messages(node) && node.types.iter().any(rows)
}

/// Whether parties may have to send something to compute a node.
pub(crate) fn takes_messages(node: &Node) -> bool {
    match &node.op {
        Op::Add { wrap } | Op::Sub { wrap } | Op::Neg { wrap } => *wrap && is_secret(node),
        Op::ShiftLeft { .. } | Op::Xor | Op::Not | Op::Assume(_) => false,
        Op::Constant(_) | Op::Positions | Op::Broadcast | Op::Reshape | Op::Concat { .. } => false,
        Op::Slice { .. } | Op::SliceAt { .. } | Op::UpdateAt { .. } | Op::Gather { .. } => false,
        Op::Shift { .. } | Op::Flip { .. } | Op::Transpose { .. } => false,
        _ => is_secret(node),
    }
}

fn is_secret(node: &Node) -> bool {
    node.types.iter().any(|ty| ty.visibility == Visibility::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{op_name, parse};

    const HEADER: &str = "program test\nparties alice, bob\nrows n <= 100\ninput a: u16[n] from alice\ninput b: u16[n] from bob\n";

    /// The names of operations on secrets, of loops' bodies too.
    fn ops(text: &str) -> Vec<&'static str> {
        let program = once(&parse("test", &format!("{HEADER}{text}")).expect("a program"));
        crate::infer::check(&program).expect("types that fit");
        let mut ops = Vec::new();
        let mut blocks = vec![&program.body];
        while let Some(block) = blocks.pop() {
            for node in &block.nodes {
                if let Op::Loop(inner) = &node.op {
                    blocks.push(&inner.body);
                } else if node.types.iter().any(|ty| ty.visibility == Visibility::Secret) {
                    ops.push(op_name(&node.op));
                }
            }
        }
        ops.retain(|op| *op != "parameter");
        ops.sort_unstable();
        ops
    }

    #[test]
    fn equal_operations_are_one() {
        assert_eq!(
            ops(
                "reveal sum(a * b, axis 0) to alice as \"x\"\nreveal sum(a * b, axis 0) + 1 to bob as \"y\"\n"
            ),
            ["add", "mul", "sum"]
        );
        // Others are not: of other operands, or in another order.
        assert_eq!(
            ops("reveal a < b to alice as \"x\"\nreveal b < a to alice as \"y\"\n"),
            ["less", "less"]
        );
    }

    #[test]
    fn operations_on_rows_that_take_no_messages_are_done_again() {
        let text = "let c = (a + b) < 3\nlet d = (a + b) < 3\nreveal c to alice as \"x\"\n\
            reveal d to bob as \"y\"\nreveal (a + b) * b to bob as \"z\"\n";
        assert_eq!(ops(text), ["add", "add", "add", "less", "mul"]);
    }

    #[test]
    fn what_nobody_uses_is_gone_but_for_checks() {
        let text = "let c = a * b\nlet d = check(a + b, in 0..9)\nreveal a < b to alice as \"x\"\n";
        assert_eq!(ops(text), ["add", "check", "less"]);
    }

    #[test]
    fn columns_of_sorts_that_nobody_uses_and_equal_ones_are_gone() {
        let text = "let both = a + b\nlet (k, same, c, d) = sort(both, both, b, a * b)\nlet (s, t) = segment_sum(k < 5, c, k)\n\
            reveal same to alice as \"x\"\nreveal k to alice as \"y\"\nreveal t to bob as \"z\"\n";
        let program = once(&parse("test", &format!("{HEADER}{text}")).expect("a program"));
        crate::infer::check(&program).expect("types that fit");
        let columns = |is: fn(&Op) -> bool| {
            let nodes = &program.body.nodes;
            nodes
                .iter()
                .filter(|node| is(&node.op))
                .map(|node| node.types.len())
                .collect::<Vec<_>>()
        };
        assert_eq!(columns(|op| matches!(op, Op::Sort { .. })), [1]);
        assert_eq!(columns(|op| matches!(op, Op::Segment { .. })), [1]);
        assert_eq!(program.reveals[0].value, program.reveals[1].value);
    }

    #[test]
    fn bodies_of_loops_are_rid_of_them_too() {
        let text = "let c = loop 3 carry (z: u16[n] secret = wrap(a + b, to u16)) use (w = b) {\nlet p = (z < w) & (z < w)\n\
            let unused = z * w\nyield select(p, z, w)\n}\nreveal c to alice as \"x\"\n";
        let found = ops(text);
        assert_eq!(found.iter().filter(|op| **op == "less").count(), 1, "{found:?}");
        assert!(!found.contains(&"mul"), "{found:?}");
    }
}
