//! Programs that compute what does not change in a loop before it.
//!
//! An operation of a loop's body on values of outside alone has the same result in every turn. It goes in front of the loop if it takes
//! messages, or if its result is one party's, which then has it ready. What takes none stays, as memory would hold it meanwhile, but for what
//! goes in front needs. Checks stay.

use crate::ir::{Block, Loop, Node, NodeId, Op, Program, ValueId};
use crate::once::takes_messages;
use crate::types::{Type, Visibility};
use std::collections::{BTreeSet, HashMap};

/// Gives a program that reveals what `program` does, whose loops compute only what changes in them.
#[must_use]
pub fn hoist(program: &Program) -> Program {
    let (body, map) = hoist_block(&program.body);
    let mut reveals = program.reveals.clone();
    for reveal in &mut reveals {
        reveal.value.node = map[reveal.value.node as usize];
    }
    Program { body, reveals, ..program.clone() }
}

/// A block, and where its nodes went.
fn hoist_block(block: &Block) -> (Block, Vec<NodeId>) {
    let mut hoisted = Block::default();
    let mut map: Vec<NodeId> = Vec::with_capacity(block.nodes.len());
    let moved = |map: &[NodeId], v: &ValueId| ValueId { node: map[v.node as usize], ..*v };
    for node in &block.nodes {
        let operands = node.operands.iter().map(|v| moved(&map, v)).collect();
        let mut node = Node { operands, ..node.clone() };
        if let Op::Loop(inner) = &node.op {
            let (body, _) = hoist_block(&inner.body);
            let inner = Loop { body, ..(**inner).clone() };
            let (inner, more) = before(&mut hoisted, &node.operands, inner);
            node.operands.extend(more);
            node.op = Op::Loop(Box::new(inner));
        }
        map.push(hoisted.nodes.len() as NodeId);
        hoisted.nodes.push(node);
    }
    hoisted.results = block.results.iter().map(|v| moved(&map, v)).collect();
    (hoisted, map)
}

/// Writes what does not change in a loop into the block in front of it. Gives what is left of the loop, and which values it reads from now on
/// besides its operands.
fn before(block: &mut Block, operands: &[ValueId], inner: Loop) -> (Loop, Vec<ValueId>) {
    let body = &inner.body;
    let parameters = operands.len() + 1;
    let outside = outside(block, operands, &inner);
    let going = going(body, parameters, &outside);
    if going.is_empty() {
        return (inner, Vec::new());
    }
    let mut went: HashMap<NodeId, NodeId> = HashMap::new();
    for id in &going {
        let node = &body.nodes[*id as usize];
        let operands = node.operands.iter().map(|v| match outside.get(&v.node) {
            Some(value) => *value,
            None => ValueId { node: went[&v.node], ..*v },
        });
        let node = Node { operands: operands.collect(), ..node.clone() };
        went.insert(*id, block.nodes.len() as NodeId);
        block.nodes.push(node);
    }
    let stays = |id: &NodeId| !going.contains(id);
    let nodes = (0..).zip(&body.nodes).filter(|(id, _)| stays(id));
    let read = nodes.flat_map(|(_, node)| &node.operands).chain(&body.results);
    let read: BTreeSet<ValueId> = read.filter(|v| !stays(&v.node)).copied().collect();
    let more = read.iter().map(|v| ValueId { node: went[&v.node], ..*v }).collect();
    (Loop { body: without(body, parameters, &going, &read), ..inner }, more)
}

/// For each parameter of a loop that is a value of outside, as it is there, that value.
fn outside(block: &Block, operands: &[ValueId], inner: &Loop) -> HashMap<NodeId, ValueId> {
    let numbers = inner.carried..operands.len();
    // The number of the turn is between what is carried and what is of outside.
    let pairs = numbers.map(|i| (i as NodeId + 1, operands[i]));
    pairs
        .filter(|(id, value)| inner.body.nodes[*id as usize].types[0] == *block.type_of(*value))
        .collect()
}

/// The nodes of a body that go in front of the loop.
fn going(body: &Block, parameters: usize, outside: &HashMap<NodeId, ValueId>) -> BTreeSet<NodeId> {
    // Nodes that do not change, and whether they are of any value of outside.
    let mut same: HashMap<NodeId, bool> = outside.keys().map(|id| (*id, true)).collect();
    let mut going = BTreeSet::new();
    for (id, node) in (0..).zip(&body.nodes).skip(parameters) {
        let operands: Option<Vec<bool>> =
            node.operands.iter().map(|v| same.get(&v.node).copied()).collect();
        let Some(operands) = operands.filter(|_| !matches!(node.op, Op::Check(_) | Op::Loop(_)))
        else {
            continue;
        };
        let depends = operands.contains(&true);
        same.insert(id, depends);
        if depends && (takes_messages(node) || node.types.iter().any(is_private)) {
            going.insert(id);
        }
    }
    // What they need goes with them.
    for id in (0..body.nodes.len() as NodeId).rev() {
        if going.contains(&id) {
            let operands = body.nodes[id as usize].operands.iter().map(|v| v.node);
            going.extend(operands.filter(|node| !outside.contains_key(node)));
        }
    }
    going
}

fn is_private(ty: &Type) -> bool {
    matches!(ty.visibility, Visibility::Private(_))
}

/// A body without the nodes that went, of whose values those that are read are parameters.
fn without(
    body: &Block,
    parameters: usize,
    gone: &BTreeSet<NodeId>,
    read: &BTreeSet<ValueId>,
) -> Block {
    let mut left = Block { nodes: body.nodes[..parameters].to_vec(), results: Vec::new() };
    let mut map: HashMap<ValueId, ValueId> = HashMap::new();
    for (number, value) in (parameters as u32..).zip(read) {
        map.insert(*value, ValueId { node: left.nodes.len() as NodeId, index: 0 });
        let Node { span, .. } = &body.nodes[value.node as usize];
        let (op, types) = (Op::Parameter(number), vec![body.type_of(*value).clone()]);
        left.nodes.push(Node { op, operands: Vec::new(), types, span: span.clone() });
    }
    let mut went: Vec<NodeId> = (0..parameters as NodeId).collect();
    let moved = |went: &[NodeId], v: &ValueId| {
        map.get(v).copied().unwrap_or(ValueId { node: went[v.node as usize], ..*v })
    };
    for (id, node) in (0..).zip(&body.nodes).skip(parameters) {
        went.push(left.nodes.len() as NodeId);
        if !gone.contains(&id) {
            let operands = node.operands.iter().map(|v| moved(&went, v)).collect();
            left.nodes.push(Node { operands, ..node.clone() });
        }
    }
    left.results = body.results.iter().map(|v| moved(&went, v)).collect();
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{op_name, parse};

    const HEADER: &str = "program test\nparties alice, bob\nrows n <= 100\ninput a: u8[n] from alice\ninput b: u8[n] from bob\n";

    /// The operations before a loop and in it, behind what is given to them.
    fn parts(text: &str) -> [Vec<&'static str>; 2] {
        let program = hoist(&parse("test", &format!("{HEADER}{text}")).expect("a program"));
        crate::infer::check(&program).expect("types that fit");
        let inside = program.body.nodes.iter().find_map(|node| match &node.op {
            Op::Loop(inner) => Some(&inner.body),
            _ => None,
        });
        [&program.body, inside.expect("a loop")].map(|block| {
            let names = block.nodes.iter().map(|node| op_name(&node.op));
            names.filter(|name| !matches!(*name, "parameter" | "input" | "loop")).collect()
        })
    }

    #[test]
    fn what_takes_messages_and_does_not_change_goes_in_front_with_what_it_needs() {
        let text = "let c = loop 3 carry (z: u8[n] secret = wrap(a + b, to u8)) use (v = a, w = b) {\n\
            let same = (v + w) * w\nyield wrap(z * same, to u8)\n}\nreveal c to alice as \"x\"\n";
        assert_eq!(parts(text), [vec!["add", "wrap", "add", "mul"], vec!["mul", "wrap"]]);
    }

    #[test]
    fn what_is_one_partys_goes_in_front_and_sums_of_secrets_stay() {
        let text = "let s = a * b\nlet c = loop 3 carry (z: u8[n] secret = wrap(s, to u8)) use (v = a, s = s) {\n\
            let own = v * v\nlet sum = s + s\nyield wrap(z * own + sum, to u8)\n}\nreveal c to alice as \"x\"\n";
        assert_eq!(parts(text), [vec!["mul", "wrap", "mul"], vec!["add", "mul", "add", "wrap"]]);
    }

    #[test]
    fn what_depends_on_the_turn_or_is_checked_stays() {
        let text = "let c = loop 3 carry (z: u8[n] secret = wrap(a + b, to u8)) index i use (v = a, w = b) {\n\
            let product = check(v * w, in 0..9)\nlet turns = w * w\nyield wrap(z * product, to u8)\n}\nreveal c to alice as \"x\"\n";
        let [_, inside] = parts(text);
        assert!(inside.contains(&"check"), "{inside:?}");
    }

    #[test]
    fn loops_in_loops_are_rid_of_it_too() {
        let text = "let c = loop 3 carry (z: u8[n] secret = wrap(a + b, to u8)) use (v = a, w = b) {\n\
            let inner = loop 2 carry (y: u8[n] secret = z) use (v = v, w = w) {\nyield wrap(y * (v * w), to u8)\n}\n\
            yield inner\n}\nreveal c to alice as \"x\"\n";
        let [before, inside] = parts(text);
        assert!(before.contains(&"mul") && !inside.contains(&"mul"), "{before:?} {inside:?}");
    }
}
