//! Programs written in Rust.
//!
//! A [`Builder`] records operations on [`Value`] handles, broadcasting as NumPy does; numbers
//! can stand where values are wanted. Integers mixed with fixed point become fixed point, bits
//! in arithmetic become integers. The first mistake is kept, with its place in the caller's
//! source, and reported by [`Builder::finish`]; what comes after it is ignored.
//!
//! ```
//! use tacit_program::build::{Array, Builder};
//! use tacit_program::Element;
//! let mut b = Builder::new("total");
//! let (alice, bob) = (b.party("alice"), b.party("bob"));
//! let n = b.rows("n", 1_000_000);
//! let price = b.input("price", alice, Array::of(Element::uint(32)).axis(n).range(0..=9999));
//! let count = b.input("count", bob, Array::of(Element::uint(8)).axis(n));
//! let total = b.dot(price, count);
//! b.reveal("total", total, &[alice, bob]);
//! let program = b.finish().unwrap();
//! assert_eq!(program.reveals.len(), 1);
//! ```

mod advice;
mod arithmetic;
mod arrays;
mod cut;
mod frontend;
mod labels;
mod literal;
mod logic;
mod quantile;
mod repeat;
mod statistics;

pub use literal::{Arg, Array, Number};
pub use quantile::Quantile;
pub use repeat::Carried;
pub use statistics::{Along, Groups};

use crate::domain::{Axes, Domain, Meaning, Members, leading};
use crate::error::ProgramError;
use crate::infer::{check, check_labels, infer};
use crate::ir::{Block, Dim, Node, NodeId, Op, Program, Reveal, Span, ValueId};
use crate::types::{DimId, Extent, PartyId, Type};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::panic::Location;
use std::sync::Arc;

/// A value of a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    scope: u32,
    id: ValueId,
}

/// Stands for every value after a mistake.
const POISON: Value = Value { scope: u32::MAX, id: ValueId { node: 0, index: 0 } };

/// A block that is being written: the program's, or a loop body within it.
#[derive(Default)]
struct Scope {
    number: u32,
    block: Block,
    /// Values of the scope outside, in the order of their parameters.
    captured: Vec<ValueId>,
    /// The parameters that stand for them.
    parameters: HashMap<ValueId, NodeId>,
    /// The labels of axes, of values that have some.
    labels: HashMap<ValueId, Axes>,
    /// What goes with an operation into every program that is cut out: checks, and inputs.
    ties: Vec<(NodeId, NodeId)>,
}

/// Records a [`Program`], operation by operation.
pub struct Builder {
    program: Program,
    scopes: Vec<Scope>,
    scopes_so_far: u32,
    file: Arc<str>,
    error: Option<ProgramError>,
    /// Where the user asked for what comes next, if not in Rust.
    place: Option<Span>,
}

impl Builder {
    /// Starts an empty program.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Builder {
            program: Program { name: name.into(), ..Program::default() },
            scopes: vec![Scope::default()],
            scopes_so_far: 1,
            file: Arc::from(""),
            error: None,
            place: None,
        }
    }

    /// Adds a party, by name.
    #[track_caller]
    pub fn party(&mut self, name: &str) -> PartyId {
        if self.program.parties.len() > u8::MAX.into() {
            self.fail("more than 256 parties");
            return PartyId(0);
        }
        self.program.parties.push(name.into());
        PartyId((self.program.parties.len() - 1) as u8)
    }

    /// Adds a row count that is bound when a session starts: 0 to `max` rows.
    pub fn rows(&mut self, name: &str, max: u64) -> DimId {
        self.rows_in(name, 0..=max)
    }

    /// Adds a row count that is bound when a session starts, with the fewest rows that it may be too: nobody is
    /// made to compute with a table of fewer. [`Builder::finish`] refuses a range that is empty.
    pub fn rows_in(&mut self, name: &str, range: RangeInclusive<u64>) -> DimId {
        let (min, max) = range.into_inner();
        self.program.dims.push(Dim { name: name.into(), min, max });
        DimId(self.program.dims.len() as u32 - 1)
    }

    /// The party of a name, if there is one.
    #[must_use]
    pub fn party_named(&self, name: &str) -> Option<PartyId> {
        let found = self.program.parties.iter().position(|known| known == name)?;
        u8::try_from(found).ok().map(PartyId)
    }

    /// The row count that was declared with this name and range; else [`Builder::rows_in`].
    pub fn shared_rows(&mut self, name: &str, range: RangeInclusive<u64>) -> DimId {
        let (min, max) = (*range.start(), *range.end());
        let same = |dim: &Dim| (dim.name.as_str(), dim.min, dim.max) == (name, min, max);
        match self.program.dims.iter().position(same) {
            Some(found) => DimId(found as u32),
            None => self.rows_in(name, range),
        }
    }

    /// The least and the greatest number of rows that a length stands for; none where that is no number of 64 bits.
    #[must_use]
    pub fn row_bounds(&self, length: &Extent) -> (Option<u64>, Option<u64>) {
        let bound = |of: fn(&Dim) -> u64| {
            length.bound(&self.program.dims.iter().map(of).collect::<Vec<_>>())
        };
        (bound(|dim| dim.min), bound(|dim| dim.max))
    }

    /// The input that was declared with this name, owner, type and meaning; else [`Builder::input`].
    #[track_caller]
    pub fn shared_input(&mut self, name: &str, party: PartyId, array: Array) -> Value {
        let wanted = array.clone().into_type(Some(party)).ok();
        let scope = &self.scopes[0];
        let found = scope.block.nodes.iter().position(|node| match &node.op {
            Op::Input { name: known, meaning, .. } => {
                known == name
                    && *meaning == *array.meaning()
                    && node.types.first() == wanted.as_ref()
            }
            _ => false,
        });
        match found {
            Some(node) => {
                Value { scope: scope.number, id: ValueId { node: node as NodeId, index: 0 } }
            }
            None => self.input(name, party, array),
        }
    }

    /// Every program that is cut out of this one and computes a value has something else, too, though the value is not computed from that: a
    /// check, or an input. Both are outside of loops.
    #[track_caller]
    pub fn tie(&mut self, value: Value, other: Value) {
        if let (Some(value), Some(other)) = (self.resolve(value), self.resolve(other)) {
            self.scopes[0].ties.push((value.node, other.node));
        }
    }

    /// Adds an input that is private to a party.
    #[track_caller]
    pub fn input(&mut self, name: &str, party: PartyId, array: Array) -> Value {
        self.any_input(name, Some(party), array)
    }

    /// Adds an input that everybody knows.
    #[track_caller]
    pub fn public_input(&mut self, name: &str, array: Array) -> Value {
        self.any_input(name, None, array)
    }

    #[track_caller]
    fn any_input(&mut self, name: &str, party: Option<PartyId>, array: Array) -> Value {
        if self.scopes.len() > 1 {
            return self.fail("an input within a loop: declare it outside");
        }
        let meaning = array.meaning().clone();
        match array.into_type(party) {
            Ok(ty) => {
                let op = Op::Input { name: name.into(), party, meaning };
                self.push(op, &[], Some(&[ty]))
            }
            Err(message) => self.fail(message),
        }
    }

    /// Gives a value to parties, under a name. Results by group are labelled by the domain of the
    /// groups.
    #[track_caller]
    pub fn reveal(&mut self, name: &str, value: Value, to: &[PartyId]) {
        self.reveal_as(name, value, to, None, Meaning::Number);
    }

    /// Gives a value to parties, under a name, with the domains that label its axes (`None`: those of
    /// groups, as [`Self::reveal`] finds them) and with what its values stand for.
    #[track_caller]
    pub fn reveal_as(
        &mut self,
        name: &str,
        value: Value,
        to: &[PartyId],
        by: Option<&[Arc<Domain>]>,
        meaning: Meaning,
    ) {
        let by = by.map_or_else(|| leading(&self.axes(value)), <[_]>::to_vec);
        match self.resolve(value) {
            Some(_) if self.scopes.len() > 1 => {
                self.fail("nothing can be revealed within a loop: carry it out");
            }
            Some(value) => {
                let reveal = Reveal { value, name: name.into(), to: to.to_vec(), by, meaning };
                match check_labels(&self.program, &self.scopes[0].block, &reveal) {
                    Ok(()) => self.program.reveals.push(reveal),
                    Err(message) => drop(self.fail(message)),
                }
            }
            None => {}
        }
    }

    /// What was declared with this name and these members; else [`Builder::domain`].
    #[track_caller]
    pub fn shared_domain(&mut self, name: &str, members: Members) -> Arc<Domain> {
        match self.program.domain(name) {
            Some(known) if known.members == members => known.clone(),
            _ => self.domain(name, members),
        }
    }

    /// Declares what integers stand for.
    #[track_caller]
    pub fn domain(&mut self, name: &str, members: Members) -> Arc<Domain> {
        let domain = Arc::new(Domain { name: name.into(), members });
        if let Err(message) = domain.check() {
            self.fail(message);
        }
        if self.program.domain(name).is_some() {
            self.fail(format!("there is already a domain `{name}`"));
        }
        self.program.domains.push(domain.clone());
        domain
    }

    /// Ends building, and gives the program, which has passed all checks.
    ///
    /// # Errors
    /// The first mistake, with its place in the caller's source.
    pub fn finish(mut self) -> Result<Program, ProgramError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.program.body = self.scopes.swap_remove(0).block;
        check(&self.program)?;
        Ok(self.program)
    }

    /// How many operations there are so far, those of loops aside.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.scopes.first().map_or(0, |scope| scope.block.nodes.len())
    }

    /// Gives the type of a value; `None` after a mistake.
    #[must_use]
    pub fn type_of(&self, value: Value) -> Option<&Type> {
        let scope = self.scopes.iter().find(|s| s.number == value.scope)?;
        (self.error.is_none()).then(|| scope.block.type_of(value.id))
    }

    /// Records the first mistake.
    #[track_caller]
    fn fail(&mut self, message: impl Into<String>) -> Value {
        let span = self.here();
        self.fail_at(&span, message.into())
    }

    fn fail_at(&mut self, span: &Span, message: String) -> Value {
        self.error.get_or_insert_with(|| ProgramError::new(span, message));
        POISON
    }

    /// The place of the caller.
    #[track_caller]
    fn here(&mut self) -> Span {
        if let Some(place) = &self.place {
            return place.clone();
        }
        let place = Location::caller();
        if *self.file != *place.file() {
            self.file = Arc::from(place.file());
        }
        Span { file: self.file.clone(), line: place.line(), column: place.column() }
    }

    /// A copy of a value's type.
    fn ty(&self, value: Value) -> Option<Type> {
        self.type_of(value).cloned()
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the outermost scope stays")
    }

    /// The value in the innermost block, taken in from outside if need be.
    #[track_caller]
    fn resolve(&mut self, value: Value) -> Option<ValueId> {
        if self.error.is_some() {
            return None;
        }
        let Some(depth) = self.scopes.iter().position(|s| s.number == value.scope) else {
            self.fail("a value of a loop, or of another builder, used outside: carry it out");
            return None;
        };
        let mut id = value.id;
        for inner in depth + 1..self.scopes.len() {
            id = self.capture(inner, id);
        }
        Some(id)
    }

    /// A value of the scope outside `depth`, as a parameter of that scope.
    fn capture(&mut self, depth: usize, outer: ValueId) -> ValueId {
        if let Some(&node) = self.scopes[depth].parameters.get(&outer) {
            return ValueId { node, index: 0 };
        }
        let origin = &self.scopes[depth - 1].block;
        let ty = origin.type_of(outer).clone();
        let span = origin.nodes[outer.node as usize].span.clone();
        let scope = &mut self.scopes[depth];
        let node = scope.block.nodes.len() as NodeId;
        let op = Op::Parameter(node);
        scope.block.nodes.push(Node { op, operands: Vec::new(), types: vec![ty], span });
        scope.captured.push(outer);
        scope.parameters.insert(outer, node);
        ValueId { node, index: 0 }
    }

    /// Adds a node; its only, or first, result.
    #[track_caller]
    fn push(&mut self, op: Op, operands: &[Value], declared: Option<&[Type]>) -> Value {
        self.push_all(op, operands, declared).first().copied().unwrap_or(POISON)
    }

    /// Adds a node; all its results.
    #[track_caller]
    fn push_all(&mut self, op: Op, operands: &[Value], declared: Option<&[Type]>) -> Vec<Value> {
        let span = self.here();
        let mut ids = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.resolve(operand) {
                Some(id) => ids.push(id),
                None => return Vec::new(),
            }
        }
        if self.error.is_some() {
            return Vec::new();
        }
        let block = &self.scopes.last().expect("the outermost scope stays").block;
        let types: Vec<&Type> = ids.iter().map(|id| block.type_of(*id)).collect();
        match infer(&op, &types, &self.program.dims, declared) {
            Ok(types) => {
                let axes = self.carried_labels(&op, &ids, &types);
                let values = self.append(Node { op, operands: ids, types, span });
                if let (Some(axes), Some(value)) = (axes, values.first()) {
                    self.label(*value, axes);
                }
                values
            }
            Err(message) => {
                self.fail_at(&span, message);
                Vec::new()
            }
        }
    }

    fn append(&mut self, node: Node) -> Vec<Value> {
        let scope = self.scope();
        let (number, id) = (scope.number, scope.block.nodes.len() as NodeId);
        let results = node.types.len() as u32;
        scope.block.nodes.push(node);
        let value = |index| Value { scope: number, id: ValueId { node: id, index } };
        (0..results).map(value).collect()
    }

    /// The length of an axis; `None` after a mistake.
    #[track_caller]
    fn length(&mut self, value: Value, axis: u32) -> Option<Extent> {
        let shape = self.ty(value)?.shape;
        match crate::infer::shape::axis(&shape, axis) {
            Ok(extent) => Some(extent.clone()),
            Err(message) => {
                self.fail(message);
                None
            }
        }
    }
}
