//! What a program takes from whom, what it reveals to whom, and what it computes.

mod count;
mod show;

pub use count::Count;

use crate::derived::Asks;
use crate::domain::{Domain, Meaning, TEXT};
use crate::ir::{Block, Loop, Node, Op, Program};
use crate::text::print::{array_text, length, range};
use crate::text::{names, op_names};
use crate::types::{Element, Type, Visibility};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What parties agree to when they run a program. Displayed for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The program's name.
    pub name: String,
    /// Its [digest](crate::text::digest).
    pub digest: [u8; 32],
    /// Names of the parties.
    pub parties: Vec<String>,
    /// Row counts, which everybody learns, and the fewest and most rows that they may be.
    pub rows: Vec<(String, RangeInclusive<u64>)>,
    /// What integers stand for: domains and their members.
    pub domains: Vec<(String, String)>,
    /// The inputs that are taken.
    pub inputs: Vec<Input>,
    /// The results that are revealed.
    pub outputs: Vec<Output>,
    /// What is checked in the run: one bit of all of it together is revealed, to everybody.
    pub checks: Vec<Checked>,
    /// The operations that are computed.
    pub operations: Vec<Operation>,
    /// Elements of all nonlinear operations on secrets: those that products, comparisons and the
    /// like are spent on. See [`Operation::nonlinear`].
    pub nonlinear: Count,
    /// Loops, an outer one before those within it.
    pub loops: Vec<Repeated>,
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// The party that gives it; `None` if it is public.
    pub party: Option<String>,
    /// Element type and shape: `u32[n]`.
    pub array: String,
    /// Least and greatest value, `0..100`, and what they stand for, if anything: `0..4 of level`.
    pub range: String,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The parties that learn it.
    pub to: Vec<String>,
    /// Element type and shape.
    pub array: String,
    /// Least and greatest value that can occur, what labels the rows and what the values stand for:
    /// `0..100 by level`.
    pub range: String,
}

/// What is checked in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Where: `file:line:column`, as far as it is known.
    pub place: String,
    /// Element type and shape.
    pub array: String,
    /// Least and greatest value that may be.
    pub range: String,
    /// Whether it is checked in each iteration of a loop.
    pub repeated: bool,
}

/// All uses of an operation on values of one visibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name, of circuits with that of the circuit.
    pub name: String,
    /// Whether it is computed by all parties on a secret; else by those who know the operands.
    pub secret: bool,
    /// How often the program has it; one in a loop counts once.
    pub uses: u64,
    /// Elements that it is applied to, loops counted: products for a matrix product, operand
    /// elements where an axis is reduced or sorted or grouped, results for all others.
    pub elements: Count,
    /// How many of them are nonlinear over integers: products of two values that are not
    /// public, comparisons, logic except `xor` and `not`, divisions, roundings, lookups by group,
    /// sorts, circuits and whatever else is no weighted sum.
    pub nonlinear: Count,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// How many loops it is within.
    pub depth: usize,
    /// Times that it runs, as written: `2*n + 1`.
    pub trips: String,
    /// Values that it carries.
    pub carried: usize,
    /// Operations in its body, those of inner loops included.
    pub operations: u64,
}

/// Sums up what a checked program takes, reveals and computes.
#[must_use]
pub fn summary(program: &Program) -> Summary {
    let mut walk =
        Walk { program, operations: BTreeMap::new(), loops: Vec::new(), checks: Vec::new() };
    walk.block(&program.body, &Count::from(1), 0);
    let operations: Vec<Operation> = walk.operations.into_values().collect();
    Summary {
        name: program.name.clone(),
        digest: crate::text::digest(program),
        parties: program.parties.clone(),
        rows: program.dims.iter().map(|dim| (dim.name.clone(), dim.min..=dim.max)).collect(),
        domains: program.domains.iter().map(|d| (d.name.clone(), d.to_string())).collect(),
        inputs: inputs(program),
        outputs: outputs(program),
        nonlinear: operations.iter().fold(Count::default(), |all, op| all.plus(&op.nonlinear)),
        operations,
        loops: walk.loops,
        checks: walk.checks,
    }
}

fn inputs(program: &Program) -> Vec<Input> {
    let input = |(id, name, party): (u32, &str, Option<crate::PartyId>)| {
        let ty = &program.body.nodes[id as usize].types[0];
        Input {
            name: name.to_owned(),
            party: party.map(|p| program.parties[usize::from(p.0)].clone()),
            array: array_text(program, ty),
            range: range_of(ty, program.meaning(id)),
        }
    };
    program.inputs().map(input).collect()
}

fn outputs(program: &Program) -> Vec<Output> {
    let output = |reveal: &crate::Reveal| {
        let ty = program.body.type_of(reveal.value);
        Output {
            name: reveal.name.clone(),
            to: reveal.to.iter().map(|p| program.parties[usize::from(p.0)].clone()).collect(),
            array: array_text(program, ty),
            range: labelled(range_of(ty, &reveal.meaning), &reveal.by),
        }
    };
    program.reveals.iter().map(output).collect()
}

/// A range, and what its values stand for.
fn range_of(ty: &Type, meaning: &Meaning) -> String {
    match (meaning, meaning.name()) {
        (Meaning::Date | Meaning::Decimal(_), _) => {
            let ends = [ty.interval.low, ty.interval.high].map(|end| meaning.show(end));
            ends.join("..")
        }
        (Meaning::Text, _) => TEXT.to_owned(),
        (Meaning::Derived(derived), _) if derived.function.asks == Asks::Text => {
            format!("{TEXT}({derived})")
        }
        (Meaning::Derived(derived), _) => {
            format!("{} of {TEXT}({derived})", range(ty.interval, ty.element))
        }
        (_, Some(name)) => {
            format!("{} of {}", range(ty.interval, ty.element), names::show(name))
        }
        _ => range(ty.interval, ty.element),
    }
}

fn labelled(range: String, by: &[Arc<Domain>]) -> String {
    let by: Vec<String> = by.iter().map(|domain| names::show(&domain.name)).collect();
    if by.is_empty() { range } else { format!("{range} by {}", by.join(", ")) }
}

struct Walk<'a> {
    program: &'a Program,
    /// By whether it is secret, then by name.
    operations: BTreeMap<(bool, String), Operation>,
    loops: Vec<Repeated>,
    checks: Vec<Checked>,
}

impl Walk<'_> {
    /// Counts what a block computes when it runs so many times; its operations.
    fn block(&mut self, block: &Block, times: &Count, depth: usize) -> u64 {
        let mut operations = 0;
        for node in &block.nodes {
            operations += match &node.op {
                Op::Parameter(_) | Op::Input { .. } | Op::Constant(_) => 0,
                Op::Loop(inner) => self.repeat(inner, times, depth),
                op => {
                    if let Op::Check(_) = op {
                        self.check(node, depth > 0);
                    }
                    self.operation(block, node, times);
                    1
                }
            };
        }
        operations
    }

    fn check(&mut self, node: &Node, repeated: bool) {
        let (prefix, ty) = (node.span.prefix(), &node.types[0]);
        self.checks.push(Checked {
            place: prefix.trim_end_matches(": ").to_owned(),
            array: array_text(self.program, ty),
            range: range(ty.interval, ty.element),
            repeated,
        });
    }

    fn repeat(&mut self, inner: &Loop, times: &Count, depth: usize) -> u64 {
        let at = self.loops.len();
        let trips = length(self.program, &inner.trips);
        self.loops.push(Repeated { depth, trips, carried: inner.carried, operations: 0 });
        let times = times.times(&Count::from(&inner.trips), &self.program.dims);
        let operations = self.block(&inner.body, &times, depth + 1);
        self.loops[at].operations = operations;
        operations
    }

    fn operation(&mut self, block: &Block, node: &Node, times: &Count) {
        let operands: Vec<&Type> = node.operands.iter().map(|&v| block.type_of(v)).collect();
        let elements = self.elements(node, &operands).times(times, &self.program.dims);
        let secret = node.types.iter().any(|ty| ty.visibility == Visibility::Secret);
        let name = match &node.op {
            Op::Circuit { name, .. } => format!("circuit {name}"),
            op => op_names::name(op).to_owned(),
        };
        let empty = Operation {
            name: name.clone(),
            secret,
            uses: 0,
            elements: Count::default(),
            nonlinear: Count::default(),
        };
        let operation = self.operations.entry((!secret, name)).or_insert(empty);
        operation.uses += 1;
        if secret && is_nonlinear(&node.op, &operands, &node.types) {
            operation.nonlinear = operation.nonlinear.plus(&elements);
        }
        operation.elements = operation.elements.plus(&elements);
    }

    fn elements(&self, node: &Node, operands: &[&Type]) -> Count {
        let dims = &self.program.dims;
        let of = |ty: &Type| Count::of_shape(&ty.shape, dims);
        match &node.op {
            Op::MatMul => {
                let inner = operands[0].shape.last().map_or(Count::from(1), Count::from);
                of(&node.types[0]).times(&inner, dims)
            }
            Op::Sum { .. }
            | Op::Product { .. }
            | Op::MinOver { .. }
            | Op::MaxOver { .. }
            | Op::GroupSum { .. }
            | Op::GroupCount { .. } => of(operands[0]),
            _ => node.types.first().map_or(Count::default(), of),
        }
    }
}

/// Whether an operation on secrets is no weighted sum of them.
fn is_nonlinear(op: &Op, operands: &[&Type], results: &[Type]) -> bool {
    let known = |ty: &&&Type| ty.visibility == Visibility::Public;
    let narrowed = |from: Element, to: Element| {
        to.fraction() < from.fraction() || (from == Element::Bit && to != Element::Bit)
    };
    match op {
        Op::Add { .. } | Op::Sub { .. } | Op::Neg { .. } | Op::ShiftLeft { .. } => false,
        Op::Mul { .. } | Op::MatMul => {
            operands.iter().filter(|ty| !known(ty)).count() > 1 || results[0].element.fraction() > 0
        }
        Op::And | Op::Or => operands.iter().filter(|ty| !known(ty)).count() > 1,
        Op::Select => !known(&&operands[0]),
        Op::Cast(to) => narrowed(operands[0].element, *to),
        Op::Xor | Op::Not | Op::Wrap(_) | Op::Assume(_) | Op::Sum { .. } => false,
        Op::Reshape | Op::Slice { .. } | Op::Concat { .. } | Op::Transpose { .. } => false,
        Op::Broadcast | Op::Gather { .. } | Op::CumSum { .. } | Op::Shift { .. } => false,
        Op::Flip { .. } | Op::SliceAt { .. } | Op::UpdateAt { .. } => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
