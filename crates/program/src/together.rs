//! Programs that compute side by side what does not depend on each other.
//!
//! Every operation that takes messages takes rounds of its own. Equal operations on values of equal types, none of which is computed from
//! another one, are one operation on all these values, one beside the other: it takes the rounds of one. Only of arrays of few elements: where
//! there are many, rounds are little, and moving elements is much.

use crate::ir::{Block, Loop, Node, NodeId, Op, Program, ValueId};
use crate::once::{name, takes_messages};
use crate::types::{Extent, Shape, Type, Visibility};
use std::collections::HashMap;
use std::sync::Arc;

/// Gives a program that reveals what `program` does with so many rows, in which equal operations are computed together that do not depend on each
/// other: up to `most` elements at a time.
#[must_use]
pub fn together(program: &Program, rows: &[u64], most: u64) -> Program {
    let (body, map) = block_together(&program.body, rows, most);
    let mut reveals = program.reveals.clone();
    for reveal in &mut reveals {
        reveal.value = map.value(reveal.value);
    }
    Program { body, reveals, ..program.clone() }
}

fn block_together(block: &Block, rows: &[u64], most: u64) -> (Block, Map) {
    let groups = groups(block, rows, most);
    let mut writer = Writer { block, groups, written: Block::default(), map: Map::default() };
    for id in 0..block.nodes.len() as NodeId {
        writer.write(id, rows, most);
    }
    let Writer { mut written, map, .. } = writer;
    written.results = block.results.iter().map(|value| map.value(*value)).collect();
    (written, map)
}

/// Where the values of a block went: one list per node.
#[derive(Default)]
struct Map(HashMap<NodeId, Vec<ValueId>>);

impl Map {
    fn value(&self, old: ValueId) -> ValueId {
        self.0[&old.node][old.index as usize]
    }
}

/// For each node that is computed together with others all of these, itself among them.
///
/// Nodes that come behind as many operations that take messages do not depend on each other, if they take messages themselves.
fn groups(block: &Block, rows: &[u64], most: u64) -> HashMap<NodeId, Arc<[NodeId]>> {
    let mut depths: Vec<usize> = Vec::with_capacity(block.nodes.len());
    let mut alike: HashMap<(usize, String), Vec<Vec<NodeId>>> = HashMap::new();
    for (id, node) in (0..).zip(&block.nodes) {
        let behind = node.operands.iter().map(|v| depths[v.node as usize]).max().unwrap_or(0);
        let depth = behind + usize::from(takes_messages(node) || matches!(node.op, Op::Loop(_)));
        depths.push(depth);
        let few =
            is_element_wise(block, node) && elements(node, rows).is_some_and(|n| n * 2 <= most);
        let Some(name) = name(&node.op).filter(|_| few) else { continue };
        let sets = alike.entry((depth, name)).or_default();
        match sets.iter_mut().find(|set| is_alike(block, node, &block.nodes[set[0] as usize])) {
            Some(set) => set.push(id),
            None => sets.push(vec![id]),
        }
    }
    let mut groups = HashMap::new();
    for set in alike.into_values().flatten() {
        let each = elements(&block.nodes[set[0] as usize], rows).unwrap_or(most).max(1);
        for group in set.chunks((most / each) as usize).filter(|group| group.len() > 1) {
            let all: Arc<[NodeId]> = group.into();
            groups.extend(group.iter().map(|id| (*id, all.clone())));
        }
    }
    groups
}

/// Whether a node takes messages, and computes each element of its results from those at the same place of its operands.
fn is_element_wise(block: &Block, node: &Node) -> bool {
    let of_logic = matches!(node.op, Op::Less | Op::Equal | Op::Select | Op::And | Op::Or);
    let of_width = matches!(node.op, Op::Cast(_) | Op::Wrap(_) | Op::ShiftRight { .. });
    let of_numbers = matches!(node.op, Op::Mul { .. } | Op::Quotient { .. } | Op::Rem | Op::Sqrt);
    let of_reals = matches!(node.op, Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. });
    let is_circuit = matches!(node.op, Op::Circuit { .. });
    let element_wise = of_logic || of_width || of_numbers || of_reals || is_circuit;
    let secret = |ty: &Type| ty.visibility == Visibility::Secret;
    let shape = &node.types[0].shape;
    let operands = node.operands.iter().map(|v| block.type_of(*v));
    let mut all = operands.chain(&node.types);
    let known = shape.iter().skip(1).all(|extent| extent.known().is_some());
    element_wise && known && node.types.iter().all(secret) && all.all(|ty| ty.shape == *shape)
}

/// Elements of a result, if there are any.
fn elements(node: &Node, rows: &[u64]) -> Option<u64> {
    let mut shape = node.types[0].shape.iter();
    let all = shape.try_fold(1u64, |all, extent| all.checked_mul(extent.bound(rows)?));
    all.filter(|all| *all > 0)
}

/// Whether two nodes of equal operations have operands and results of equal types.
fn is_alike(block: &Block, a: &Node, b: &Node) -> bool {
    let operands = a.operands.iter().zip(&b.operands);
    a.types == b.types
        && a.operands.len() == b.operands.len()
        && operands.map(|(a, b)| (block.type_of(*a), block.type_of(*b))).all(|(a, b)| a == b)
}

/// Writes a block anew.
struct Writer<'b> {
    block: &'b Block,
    groups: HashMap<NodeId, Arc<[NodeId]>>,
    written: Block,
    map: Map,
}

impl Writer<'_> {
    /// Writes a node, those that it is computed together with, and before them what they need.
    fn write(&mut self, id: NodeId, rows: &[u64], most: u64) {
        let mut open = vec![id];
        while let Some(id) = open.last().copied() {
            if self.map.0.contains_key(&id) {
                open.pop();
                continue;
            }
            let group = self.groups.get(&id).cloned().unwrap_or_else(|| [id].into());
            let operands = group.iter().flat_map(|id| &self.block.nodes[*id as usize].operands);
            let missing = operands.map(|v| v.node).filter(|node| !self.map.0.contains_key(node));
            let before = open.len();
            open.extend(missing);
            if open.len() > before {
                continue;
            }
            open.pop();
            match &group[..] {
                [one] => self.single(*one, rows, most),
                several => self.several(several),
            }
        }
    }

    fn single(&mut self, id: NodeId, rows: &[u64], most: u64) {
        let mut node = self.block.nodes[id as usize].clone();
        if let Op::Loop(inner) = &node.op {
            let (body, _) = block_together(&inner.body, rows, most);
            node.op = Op::Loop(Box::new(Loop { body, ..(**inner).clone() }));
        }
        node.operands = node.operands.iter().map(|v| self.map.value(*v)).collect();
        let results = node.types.len() as u32;
        let node = self.push(node);
        let results = (0..results).map(|index| ValueId { node, index });
        self.map.0.insert(id, results.collect());
    }

    fn several(&mut self, group: &[NodeId]) {
        let first = self.block.nodes[group[0] as usize].clone();
        let count = group.len() as u64;
        let mut operands = Vec::new();
        for i in 0..first.operands.len() {
            let values = group.iter().map(|id| self.block.nodes[*id as usize].operands[i]);
            let ty = self.block.type_of(first.operands[i]).clone();
            let values: Vec<ValueId> = values.map(|v| self.map.value(v)).collect();
            operands.push(self.stacked(&first, &values, &ty));
        }
        let types = first.types.iter().map(|ty| Beside::of(&ty.shape).all(ty, count)).collect();
        let all = self.push(Node { operands, types, ..first.clone() });
        for (number, id) in (0..).zip(group) {
            let results = (0..)
                .zip(&first.types)
                .map(|(index, ty)| self.part(&first, ValueId { node: all, index }, (number, ty)));
            let results = results.collect();
            self.map.0.insert(*id, results);
        }
    }

    /// Values of a type, one beside the other.
    fn stacked(&mut self, like: &Node, values: &[ValueId], ty: &Type) -> ValueId {
        let beside = Beside::of(&ty.shape);
        let one = beside.all(ty, 1);
        let each = values.iter().map(|value| match one == *ty {
            true => *value,
            false => self.moved(like, Op::Reshape, &[*value], one.clone()),
        });
        let each: Vec<ValueId> = each.collect();
        let op = Op::Concat { axis: beside.axis };
        self.moved(like, op, &each, beside.all(ty, values.len() as u64))
    }

    /// One of values that are one beside the other.
    fn part(&mut self, like: &Node, all: ValueId, (number, ty): (u64, &Type)) -> ValueId {
        let beside = Beside::of(&ty.shape);
        let one = beside.all(ty, 1);
        let op = Op::Slice { axis: beside.axis, start: number * beside.length, step: 1 };
        let value = self.moved(like, op, &[all], one.clone());
        if one == *ty { value } else { self.moved(like, Op::Reshape, &[value], ty.clone()) }
    }

    fn moved(&mut self, like: &Node, op: Op, operands: &[ValueId], ty: Type) -> ValueId {
        let operands = operands.to_vec();
        let node = self.push(Node { op, operands, types: vec![ty], span: like.span.clone() });
        ValueId { node, index: 0 }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.written.nodes.push(node);
        self.written.nodes.len() as NodeId - 1
    }
}

/// How arrays of a shape lie beside each other: along their first axis, or where that is rows, along the second; a new one if there is none.
struct Beside {
    axis: u32,
    /// The elements of one along it.
    length: u64,
}

impl Beside {
    fn of(shape: &Shape) -> Self {
        let axis = u32::from(shape.first().is_some_and(|extent| extent.known().is_none()));
        let length = shape.get(axis as usize).map_or(Some(1), Extent::known).unwrap_or(1);
        Beside { axis, length }
    }

    /// The type of so many of them.
    fn all(&self, ty: &Type, count: u64) -> Type {
        let mut shape = ty.shape.clone();
        let extent = Extent::fixed(self.length * count);
        match shape.get_mut(self.axis as usize) {
            Some(axis) => *axis = extent,
            None => shape.push(extent),
        }
        Type { shape, ..ty.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{op_name, parse};

    const HEADER: &str = "program test\nparties alice, bob\nrows n <= 100\ninput a: u8[n] from alice\ninput b: u8[n] from bob\n\
        input c: u8 from alice\ninput d: u8 from bob\ninput e: u8[2, 3] from alice\ninput f: u8[2, 3] from bob\n";

    /// How many operations of a name are left.
    fn count(text: &str, most: u64, wanted: &str) -> usize {
        let program = parse("test", &format!("{HEADER}{text}")).expect("a program");
        let program = together(&program, &[10], most);
        crate::infer::check(&program).expect("types that fit");
        let mut blocks = vec![&program.body];
        let mut found = 0;
        while let Some(block) = blocks.pop() {
            for node in &block.nodes {
                found += usize::from(op_name(&node.op) == wanted);
                if let Op::Loop(inner) = &node.op {
                    blocks.push(&inner.body);
                }
            }
        }
        found
    }

    #[test]
    fn equal_operations_that_do_not_depend_on_each_other_are_one() {
        let text =
            "let s = a + b\nreveal s * s to alice as \"x\"\nreveal (b + a) * s to alice as \"y\"\n";
        assert_eq!(count(text, 100, "mul"), 1);
        assert_eq!(count(text, 19, "mul"), 2);
        let text = "let x = c * d\nlet y = d * c\nreveal assume(x, in 0..9) * assume(y, in 0..9) to bob as \"z\"\n";
        // The first factor is alice's here and bob's there.
        assert_eq!(count(text, 100, "mul"), 3);
        let text =
            "let s = c + d\nlet x = s * s\nlet y = (d + c) * s\nreveal x * y to bob as \"z\"\n";
        assert_eq!(count(text, 100, "mul"), 2);
        let text = "let s = e + f\nreveal s < e to bob as \"x\"\nreveal s < (f + s) to bob as \"y\"\n\
            reveal (s + 1) < e to bob as \"z\"\nreveal (e + f) < e to bob as \"w\"\n";
        assert_eq!(count(text, 100, "less"), 3);
    }

    #[test]
    fn what_is_computed_from_another_one_comes_behind_it() {
        let text = "let s = c + d\nlet x = wrap(s * s, to u8)\nlet y = wrap(x + c, to u8)\n\
            reveal s * s to bob as \"one\"\nreveal y * y to bob as \"two\"\n";
        assert_eq!(count(text, 100, "mul"), 2);
    }

    #[test]
    fn loops_do_the_same_in_their_bodies() {
        let text = "let s = loop 3 carry (x: u8[n] secret = wrap(a + b, to u8), y: u8[n] secret = wrap(b + a, to u8)) {\n\
            yield wrap(x * x, to u8), wrap(y * y, to u8)\n}\nreveal s to bob as \"x\"\n";
        assert_eq!(count(&text.replace("let s", "let (s, t)"), 100, "mul"), 1);
    }
}
