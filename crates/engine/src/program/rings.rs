//! Which ring each secret number lives in: the narrowest that holds all values it meets.
//!
//! Numbers that are added, multiplied or selected together are in one ring, so that nothing is
//! converted on the way. Intervals are known, so no ring ever overflows. Where numbers are held as
//! bits, there is a ring of every width.

use super::checks;
use super::job::By;
use super::plans;
use crate::circuit::EvaluateError;
use tacit_backend::Ring;
use tacit_program::{Block, Element, Fold, Interval, Node, Op, Type};

/// The rings of a block's values.
pub(super) struct BlockRings {
    nodes: Vec<NodeRings>,
}

/// The rings of a node.
#[derive(Default)]
pub(super) struct NodeRings {
    /// The rings of its operands, where they are numbers.
    pub operands: Vec<Ring>,
    /// The rings of its results, where they are numbers.
    pub results: Vec<Ring>,
    /// Inside a loop.
    pub body: Option<BlockRings>,
}

impl BlockRings {
    /// Chooses rings.
    ///
    /// # Errors
    /// When a value needs more bits than the widest ring has.
    pub fn new(block: &Block, rows: &[u64], by: By) -> Result<Self, EvaluateError> {
        let mut classes = Classes { by, ..Classes::default() };
        let plan = classes.block(block, rows);
        classes.rings(block, &plan)
    }

    pub fn node(&self, node: u32) -> &NodeRings {
        &self.nodes[node as usize]
    }
}

/// Sets of numbers that share a ring (union-find), with the bits they need.
#[derive(Default)]
struct Classes {
    by: By,
    parents: Vec<usize>,
    bits: Vec<u32>,
}

struct NodePlan {
    operands: Vec<usize>,
    results: Vec<usize>,
    body: Option<Vec<NodePlan>>,
}

fn bits_of(ty: &Type) -> u32 {
    ty.interval.signed_bits()
}

/// A bound that any sum of `a b` keeps.
fn product(a: Interval, b: Interval, terms: u64) -> u32 {
    let largest = |i: Interval| i.low.unsigned_abs().max(i.high.unsigned_abs());
    let bits = |v: u128| 128 - v.leading_zeros();
    bits(largest(a)) + bits(largest(b)) + bits(u128::from(terms.max(1))) + 1
}

impl Classes {
    fn fresh(&mut self, bits: u32) -> usize {
        self.parents.push(self.parents.len());
        self.bits.push(bits);
        self.parents.len() - 1
    }

    fn root(&mut self, class: usize) -> usize {
        let mut at = class;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a] = b;
        self.bits[b] = self.bits[b].max(self.bits[a]);
    }

    fn join_all(&mut self, classes: &[usize]) {
        classes.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
    }

    fn need(&mut self, class: usize, bits: u32) {
        let root = self.root(class);
        self.bits[root] = self.bits[root].max(bits);
    }

    fn block(&mut self, block: &Block, rows: &[u64]) -> Vec<NodePlan> {
        let mut plans: Vec<NodePlan> = Vec::with_capacity(block.nodes.len());
        for node in &block.nodes {
            let mut operands = Vec::new();
            for operand in &node.operands {
                let ty = block.type_of(*operand);
                let known = plans[operand.node as usize].results[operand.index as usize];
                // What is not secret is shared in the ring of whoever needs it.
                let secret = ty.visibility == tacit_program::Visibility::Secret;
                operands.push(if secret { known } else { self.fresh(bits_of(ty)) });
            }
            let results = node.types.iter().map(|ty| self.fresh(bits_of(ty))).collect();
            let mut plan = NodePlan { operands, results, body: None };
            self.node(block, node, &mut plan, rows);
            plans.push(plan);
        }
        plans
    }

    fn node(&mut self, block: &Block, node: &Node, plan: &mut NodePlan, rows: &[u64]) {
        let types: Vec<&Type> = node.operands.iter().map(|v| block.type_of(*v)).collect();
        let number = |ty: &&Type| ty.element != Element::Bit;
        let numbers = plan.operands.iter().zip(&types).filter(|(_, ty)| number(ty));
        let mut all: Vec<usize> = numbers.map(|(class, _)| *class).collect();
        let operands = all.clone();
        let results = plan.results.iter().zip(&node.types).filter(|(_, ty)| number(ty));
        all.extend(results.map(|(class, _)| *class));
        match &node.op {
            Op::Add { wrap: true }
            | Op::Sub { wrap: true }
            | Op::Neg { wrap: true }
            | Op::Mul { wrap: true } => {
                self.join_all(&operands);
                self.need(operands[0], width(types[0].element));
            }
            Op::Less | Op::Equal => {
                self.join_all(&operands);
                if let ([a, b], [class, ..]) = (&types[..], &operands[..]) {
                    let low = a.interval.low - b.interval.high;
                    let high = a.interval.high - b.interval.low;
                    self.need(*class, Interval { low, high }.signed_bits());
                }
            }
            Op::Mul { wrap: false } | Op::MatMul => {
                self.join_all(&all);
                let fixed = types[0].element.fraction() > 0;
                let terms = inner(node, types[0], rows);
                let bits = product(types[0].interval, types[1].interval, terms);
                // Truncation wants one bit to spare, and more bits than it cuts off; integers only
                // what the result needs.
                let fraction = u32::from(types[0].element.fraction());
                self.need(all[0], if fixed { (bits + 1).max(fraction + 2) } else { 0 });
            }
            Op::Wrap(to) => all.iter().for_each(|class| self.need(*class, width(*to))),
            Op::Circuit { .. } => {
                let elements = types.iter().map(|ty| ty.element);
                let elements = elements.chain(node.types.iter().map(|ty| ty.element));
                let classes = plan.operands.iter().chain(&plan.results);
                classes.zip(elements).for_each(|(class, e)| self.need(*class, width(e)));
            }
            // They are computed in a ring of their own.
            Op::Quotient { .. }
            | Op::Rem
            | Op::Sqrt
            | Op::Exp { .. }
            | Op::Log { .. }
            | Op::Sigmoid { .. } => {
                let ring = plans::ring_of(&node.op, &types, &node.types[0]);
                let bits = ring.map_or(0, Ring::bits);
                for (class, ty) in plan.operands.iter().zip(&types) {
                    let secret = ty.visibility == tacit_program::Visibility::Secret;
                    self.need(*class, if secret { 0 } else { bits });
                }
            }
            Op::GroupSum { first, groups } | Op::GroupCount { first, groups } => {
                self.need(plan.operands[0], group_span(types[0], *first, *groups).signed_bits());
                if matches!(node.op, Op::GroupSum { .. }) {
                    self.join_all(&[plan.operands[1], plan.results[0]]);
                }
            }
            Op::Check(range) => {
                self.join_all(&all);
                let widths = checks::widths(types[0].interval, *range);
                widths.into_iter().flatten().for_each(|bits| self.need(all[0], bits));
            }
            // The place is public, and no number is computed from it.
            Op::SliceAt { .. } => self.join(plan.operands[0], plan.results[0]),
            Op::UpdateAt { .. } => {
                self.join_all(&[plan.operands[0], plan.operands[1], plan.results[0]]);
            }
            Op::MinOver { .. } | Op::MaxOver { .. } => {
                self.join_all(&all);
                self.need(all[0], spread(types[0].interval).signed_bits());
            }
            Op::Sort { .. } => {
                for (operand, result) in plan.operands.iter().zip(&plan.results) {
                    self.join(*operand, *result);
                }
            }
            Op::Segment { fold } => {
                let columns = plan.operands.iter().zip(&types).skip(1);
                for ((operand, ty), result) in columns.zip(&plan.results) {
                    self.join(*operand, *result);
                    if matches!(fold, Fold::Min | Fold::Max) {
                        self.need(*operand, spread(ty.interval).signed_bits());
                    }
                }
            }
            Op::Loop(inner) => self.repeat(inner, plan, rows),
            Op::Cast(_) if types[0].element.fraction() > node.types[0].element.fraction() => {
                self.join_all(&all);
            }
            _ => self.join_all(&all),
        }
    }

    fn repeat(&mut self, inner: &tacit_program::Loop, plan: &mut NodePlan, rows: &[u64]) {
        let body = self.block(&inner.body, rows);
        let parameter = |number: usize| body[number].results[0];
        let mut joins = Vec::new();
        for i in 0..inner.carried {
            let next = inner.body.results[i];
            let next = body[next.node as usize].results[next.index as usize];
            joins.extend([[parameter(i), plan.operands[i]], [parameter(i), plan.results[i]]]);
            joins.push([parameter(i), next]);
        }
        for i in inner.carried..plan.operands.len() {
            joins.push([parameter(i + 1), plan.operands[i]]);
        }
        joins.iter().for_each(|[a, b]| self.join(*a, *b));
        plan.body = Some(body);
    }

    fn rings(&mut self, block: &Block, plans: &[NodePlan]) -> Result<BlockRings, EvaluateError> {
        let mut nodes = Vec::new();
        for (node, plan) in block.nodes.iter().zip(plans) {
            let ring = |classes: &mut Self, class: &usize| {
                let root = classes.root(*class);
                let bits = classes.bits[root];
                classes.by.ring(bits).ok_or_else(|| {
                    EvaluateError::Job(format!(
                        "{}a value meets numbers of {bits} bits here, more than the 128 that \
                         protocols compute with; declare narrower ranges",
                        node.span.prefix()
                    ))
                })
            };
            let operands =
                plan.operands.iter().map(|c| ring(self, c)).collect::<Result<Vec<_>, _>>()?;
            let results =
                plan.results.iter().map(|c| ring(self, c)).collect::<Result<Vec<_>, _>>()?;
            let body = match (&node.op, &plan.body) {
                (Op::Loop(inner), Some(body)) => Some(self.rings(&inner.body, body)?),
                _ => None,
            };
            nodes.push(NodeRings { operands, results, body });
        }
        Ok(BlockRings { nodes })
    }
}

/// Where the differences of any two values of an interval lie.
pub(super) fn spread(Interval { low, high }: Interval) -> Interval {
    Interval { low: low - high, high: high - low }
}

/// Where keys counted from the first group lie, with the number of groups.
pub(super) fn group_span(key: &Type, first: i64, groups: u64) -> Interval {
    let first = i128::from(first);
    let Interval { low, high } = key.interval;
    Interval { low: low - first, high: (high - first).max(i128::from(groups)) }
}

/// Bits of an element.
pub(super) fn width(element: Element) -> u32 {
    match element {
        Element::Bit => 1,
        Element::Int { bits, .. } | Element::Fixed { bits, .. } => u32::from(bits),
    }
}

/// Terms of each sum of a product.
fn inner(node: &Node, left: &Type, rows: &[u64]) -> u64 {
    match node.op {
        Op::MatMul => left.shape.last().and_then(|extent| extent.bound(rows)).unwrap_or(1),
        _ => 1,
    }
}
