//! Programs whose parties may cheat, where every private input is shared once, as it enters.
//!
//! Otherwise what one party knows is computed by it alone, and shared where it meets others' values,
//! as often as it does. A party that cheats could share something else each time.
//!
//! What is checked of a value that one party knows is checked of its shares, whoever may cheat.

use crate::ir::{Block, Loop, Node, NodeId, Op, Program, ValueId};
use crate::types::{Interval, PartyId, Type, Visibility};

/// Gives a program that computes what `program` does, in which everything is secret that comes from a private input
/// of a party for which `whose` is true.
#[must_use]
pub fn seal(program: &Program, whose: impl Fn(PartyId) -> bool) -> Program {
    let (body, map) = seal_block(&program.body, &[], &whose);
    let mut reveals = program.reveals.clone();
    for reveal in &mut reveals {
        reveal.value.node = map[reveal.value.node as usize];
    }
    Program { body, reveals, ..program.clone() }
}

/// A block whose parameters are secret where it says so, and where its nodes went.
fn seal_block(
    block: &Block,
    secret_parameters: &[bool],
    whose: &dyn Fn(PartyId) -> bool,
) -> (Block, Vec<NodeId>) {
    let mut sealed = Block::default();
    let mut map: Vec<NodeId> = Vec::with_capacity(block.nodes.len());
    let moved = |map: &[NodeId], v: &ValueId| ValueId { node: map[v.node as usize], ..*v };
    for node in &block.nodes {
        let operands: Vec<ValueId> = node.operands.iter().map(|v| moved(&map, v)).collect();
        let mut node = Node { operands, ..node.clone() };
        if let Op::Check(within) = node.op
            && matches!(sealed.type_of(node.operands[0]).visibility, Visibility::Private(_))
        {
            map.push(check_private(&mut sealed, &node, within));
            continue;
        }
        let secret: Vec<bool> = node.operands.iter().map(|v| is_secret(&sealed, *v)).collect();
        if let Op::Parameter(number) = node.op
            && secret_parameters.get(number as usize) == Some(&true)
        {
            hide(&mut node, |_| true);
        }
        if let Op::Loop(inner) = &node.op {
            let (inner, results) = seal_loop(inner, &secret, whose);
            node.op = Op::Loop(Box::new(inner));
            hide(&mut node, |i| results[i]);
        } else if let Op::Sort { .. } = node.op {
            hide(&mut node, |i| secret[0] || secret[i]);
        } else if secret.contains(&true) {
            hide(&mut node, |_| true);
        }
        let enters = matches!(node.op, Op::Input { .. } | Op::Constant(_))
            && matches!(node.types[0].visibility, Visibility::Private(owner) if whose(owner));
        let mut id = sealed.nodes.len() as NodeId;
        sealed.nodes.push(node.clone());
        if enters {
            let operands = vec![ValueId { node: id, index: 0 }];
            let mut share = Node { op: Op::Reshape, operands, ..node };
            hide(&mut share, |_| true);
            id += 1;
            sealed.nodes.push(share);
        }
        map.push(id);
    }
    sealed.results = block.results.iter().map(|v| moved(&map, v)).collect();
    (sealed, map)
}

/// What is checked of a value that one party knows is checked of its shares: everybody is to learn it, and not of whom.
/// The party goes on with the value as it is. Gives the node that has it.
fn check_private(sealed: &mut Block, node: &Node, within: Interval) -> NodeId {
    let known = sealed.nodes.len() as NodeId;
    let shared =
        Type { visibility: Visibility::Secret, ..sealed.type_of(node.operands[0]).clone() };
    let checked = Type { visibility: Visibility::Secret, ..node.types[0].clone() };
    let value = |node| vec![ValueId { node, index: 0 }];
    sealed.nodes.push(Node { op: Op::Assume(within), ..node.clone() });
    sealed.nodes.push(Node { op: Op::Reshape, types: vec![shared], ..node.clone() });
    let operands = value(known + 1);
    sealed.nodes.push(Node { operands, types: vec![checked], ..node.clone() });
    known
}

/// A loop with operands that are secret or not, and which of its results are secret: as soon as a
/// carried value is, it is from the start.
fn seal_loop(
    inner: &Loop,
    operands: &[bool],
    whose: &dyn Fn(PartyId) -> bool,
) -> (Loop, Vec<bool>) {
    let (carried, outside) = operands.split_at(inner.carried);
    let mut carried = carried.to_vec();
    loop {
        let parameters: Vec<bool> =
            carried.iter().chain(&[false]).chain(outside).copied().collect();
        let (body, _) = seal_block(&inner.body, &parameters, whose);
        let results: Vec<bool> = body.results.iter().map(|v| is_secret(&body, *v)).collect();
        let next: Vec<bool> = carried.iter().zip(&results).map(|(was, is)| *was || *is).collect();
        if next == carried {
            return (Loop { body, ..inner.clone() }, carried);
        }
        carried = next;
    }
}

fn is_secret(block: &Block, value: ValueId) -> bool {
    block.type_of(value).visibility == Visibility::Secret
}

fn hide(node: &mut Node, which: impl Fn(usize) -> bool) {
    for (_, ty) in node.types.iter_mut().enumerate().filter(|(i, _)| which(*i)) {
        ty.visibility = Visibility::Secret;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn what_one_party_knows_is_checked_as_shares_and_used_as_it_is() {
        let source = "program test\nparties a, b\nrows n <= 9\ninput x: u8[n] from a\ninput p: u8 public\n\
            let y = loop 3 carry (z: u8[n] from a = x) {\nyield check(z, in 0..7)\n}\n\
            reveal check(y + 1, in 1..7) to b as \"y\"\nreveal check(p, in 0..3) to a as \"p\"\n";
        let program = text::parse("test", source).unwrap();
        let sealed = seal(&program, |_| false);
        let body = &sealed.body;
        let checks = |block: &Block| -> Vec<Visibility> {
            let checks = block.nodes.iter().filter(|node| matches!(node.op, Op::Check(_)));
            checks.map(|node| block.type_of(node.operands[0]).visibility).collect()
        };
        assert_eq!(checks(body), [Visibility::Secret, Visibility::Public]);
        let inner = body.nodes.iter().find_map(|node| match &node.op {
            Op::Loop(inner) => Some(&inner.body),
            _ => None,
        });
        assert_eq!(checks(inner.unwrap()), [Visibility::Secret]);
        let private = body.type_of(sealed.reveals[0].value).visibility;
        assert_eq!(private, Visibility::Private(PartyId(0)));
    }

    #[test]
    fn private_inputs_are_used_once_and_nothing_that_comes_from_them_is_private() {
        let source = "program test\nparties a, b\nrows n <= 9\ninput x: u8[n] from a\n\
            input y: u8[n] from b\ninput p: u8 public\nlet z = x + 10\n\
            reveal x < y to a as \"one\"\nreveal z < y to a as \"two\"\nreveal p + 1 to b as \"p\"\n";
        let program = text::parse("test", source).unwrap();
        let sealed = seal(&program, |_| true);
        let body = &sealed.body;
        for (id, node) in (0..).zip(&body.nodes) {
            let readers = body.nodes.iter().filter(|n| n.operands.iter().any(|v| v.node == id));
            if matches!(node.types[0].visibility, Visibility::Private(_)) {
                assert!(matches!(node.op, Op::Input { .. }));
                let readers: Vec<&Node> = readers.collect();
                assert!(readers.len() == 1 && matches!(readers[0].op, Op::Reshape));
            }
        }
        let secret = sealed.reveals.iter().map(|reveal| is_secret(body, reveal.value));
        assert_eq!(secret.collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(sealed.inputs().count(), program.inputs().count());
    }
}
