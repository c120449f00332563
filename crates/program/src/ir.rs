//! The form: blocks of nodes, each an operation on earlier values.

use crate::domain::{Axes, Domain, Meaning, by_axis};
use crate::types::{DimId, Element, Extent, Interval, PartyId, Type};
use std::sync::Arc;
use tacit_circuit::Circuit;

/// A node of a block, by position.
pub type NodeId = u32;

/// A value: result `index` of node `node` of the same block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId {
    /// The node.
    pub node: NodeId,
    /// Which of its results; 0 unless the operation has several.
    pub index: u32,
}

/// Where the user wrote something.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The file; empty if unknown.
    pub file: Arc<str>,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl Span {
    /// What a message about it begins with: `file:line:column: `, as far as they are known.
    #[must_use]
    pub fn prefix(&self) -> String {
        let Span { file, line, column } = self;
        match (file.is_empty(), *line, *column) {
            (true, 0, _) => String::new(),
            (true, line, 0) => format!("line {line}: "),
            (true, line, column) => format!("line {line}:{column}: "),
            (false, 0, _) => format!("{file}: "),
            (false, line, 0) => format!("{file}:{line}: "),
            (false, line, column) => format!("{file}:{line}:{column}: "),
        }
    }
}

/// An operation and its operands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The values that the operation takes.
    pub operands: Vec<ValueId>,
    /// The types of its results.
    pub types: Vec<Type>,
    /// Where the user asked for it.
    pub span: Span,
}

/// Nodes in order of evaluation. Node `i < parameters.len()` is [`Op::Parameter`] `i`.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The operations.
    pub nodes: Vec<Node>,
    /// The values that the block gives back (none for a program's outermost block).
    pub results: Vec<ValueId>,
}

impl Block {
    /// Whether some node satisfies a condition, those of loops among them.
    pub fn any_node(&self, is: &impl Fn(&Node) -> bool) -> bool {
        self.nodes.iter().any(|node| match &node.op {
            Op::Loop(inner) => is(node) || inner.body.any_node(is),
            _ => is(node),
        })
    }

    /// The type of a value.
    #[must_use]
    pub fn type_of(&self, value: ValueId) -> &Type {
        &self.nodes[value.node as usize].types[value.index as usize]
    }
}

/// A loop with a public trip count. The body's parameters are the carried values, then the
/// iteration number (`i64`, public, from 0), then values of outside that it reads. Its results
/// are the next carried values, of the same types.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of times that the body runs.
    pub trips: Extent,
    /// The number of operands that are carried; they come first.
    pub carried: usize,
    /// The operations that are repeated.
    pub body: Block,
}

/// Bits of approximations that are right, unless fewer are asked for; the most that may be asked for.
pub const MOST_BITS: u8 = 24;
/// The fewest bits that may be asked for.
pub const LEAST_BITS: u8 = 4;

/// Two integer or fixed-point operands have the same element kind and, in fixed point, the same
/// fraction; shapes of element-wise operands are equal (broadcasts are nodes of their own).
/// `wrap` means: modulo `2^bits` of the operands' type, which is the result's type; otherwise
/// the result type is wide enough for every value that can occur.
#[derive(Clone, Debug)]
pub enum Op {
    /// Parameter of a loop body, by number.
    Parameter(u32),
    /// An input, named. Private to its party, or public where `party` is `None`.
    Input {
        /// Its name, unique in the program.
        name: String,
        /// Who gives it.
        party: Option<PartyId>,
        /// What its values stand for.
        meaning: Meaning,
    },
    /// Public raw values, row-major; a single one fills the shape.
    Constant(Vec<i128>),
    /// The positions 0, 1, ... along the one axis of the result: public integers.
    Positions,

    /// The sum of two numbers.
    Add {
        /// Whether the result is taken modulo `2^bits`.
        wrap: bool,
    },
    /// The difference of two numbers.
    Sub {
        /// Whether the result is taken modulo `2^bits`.
        wrap: bool,
    },
    /// The negative of a number.
    Neg {
        /// Whether the result is taken modulo `2^bits`.
        wrap: bool,
    },
    /// The product of two numbers; in fixed point rounded to within one unit of the last place.
    Mul {
        /// Whether the result is taken modulo `2^bits` (integers only).
        wrap: bool,
    },
    /// Absolute value.
    Abs,
    /// The lesser of two numbers.
    Min,
    /// The greater of two numbers.
    Max,
    /// The product with `2^by`, a public constant.
    ShiftLeft {
        /// The number of places.
        by: u8,
    },
    /// `floor(raw / 2^by)`, exactly.
    ShiftRight {
        /// The number of places.
        by: u8,
    },
    /// Quotient, rounded towards minus infinity to an integer or a unit of the last place;
    /// zero where the divisor is zero.
    Div {
        /// Exactly, or so many right bits, of [`LEAST_BITS`] to [`MOST_BITS`]: 2 units and `2^-bits` of the quotient may be wrong.
        bits: Option<u8>,
    },
    /// In lowered programs: the quotient of the raw value of `a` times `2^shift` and that of `b`, rounded down; zero where the
    /// divisor is zero. The result's element is declared.
    Quotient {
        /// The number of places.
        shift: u8,
        /// As of [`Op::Div`].
        bits: Option<u8>,
    },
    /// `a - b * floor(a / b)` of integers; zero where the divisor is zero.
    Rem,
    /// Square root, rounded down; zero for negative values.
    Sqrt,
    /// `e^x` in fixed point: 2 units of the last place and `2^-bits` of the result may be wrong.
    Exp {
        /// How many bits are right: [`LEAST_BITS`] to [`MOST_BITS`].
        bits: u8,
    },
    /// Natural logarithm in fixed point: 2 units of the last place and `2^-bits` may be wrong. Of a value that is not
    /// positive: the least value of the result's interval.
    Log {
        /// As of [`Op::Exp`].
        bits: u8,
    },
    /// `1 / (1 + e^-x)` in fixed point: 2 units of the last place and `2^-bits` may be wrong.
    Sigmoid {
        /// As of [`Op::Exp`].
        bits: u8,
    },

    /// `a < b`.
    Less,
    /// `a = b`.
    Equal,
    /// `a` where the bit is one, else `b`. Operands: bit, a, b. Of numbers or of bits.
    Select,
    /// Conjunction of bits.
    And,
    /// Disjunction of bits.
    Or,
    /// Exclusive or of bits.
    Xor,
    /// Negation of bits.
    Not,

    /// The number as another element type: a bit as 0 or 1, an integer as fixed point,
    /// fixed point rounded down to fewer fractional bits or to an integer. The interval must fit.
    Cast(Element),
    /// The low bits of an integer, read as the element type: modulo `2^bits`.
    Wrap(Element),
    /// The operand's values, promised to lie in the interval. A promise that is broken gives wrong
    /// results, which evaluation in the clear reports.
    Assume(Interval),
    /// The operand's values, checked in the run to lie in the interval. If some do not, for this check or any other one of
    /// the program, everybody learns that, and nothing is revealed.
    Check(Interval),

    /// The sum over an axis.
    Sum {
        /// The axis.
        axis: u32,
    },
    /// The sums of the elements up to each one along an axis, itself among them.
    CumSum {
        /// The axis.
        axis: u32,
        /// From the last element on: the sums from each one to the end.
        reverse: bool,
    },
    /// Product over an axis, by a balanced tree.
    Product {
        /// The axis.
        axis: u32,
    },
    /// The least value over an axis.
    MinOver {
        /// The axis.
        axis: u32,
    },
    /// The greatest value over an axis.
    MaxOver {
        /// The axis.
        axis: u32,
    },
    /// Inner products: `[.., m, k] x [k, n]`, `[k] x [k, n]`, `[.., m, k] x [k]` or `[k] x [k]`, or of as many matrices on
    /// both sides, `[.., m, k] x [.., k, n]`, as NumPy's `@`. Each sum is rounded once.
    MatMul,

    /// The operand's elements in another shape of as many.
    Reshape,
    /// Elements `start, start + step, ...` of an axis.
    Slice {
        /// The axis.
        axis: u32,
        /// The first position.
        start: u64,
        /// The distance between positions.
        step: u64,
    },
    /// As many elements of an axis as the result has, from a public position on that the program computes. Operands:
    /// the array, then the position of the first of them, one integer.
    SliceAt {
        /// The axis.
        axis: u32,
        /// How many elements.
        length: u64,
    },
    /// The first operand, with the elements of the second in place of its own along an axis, from a public position on
    /// that the program computes. Operands: the array, the part, then the position of its first element, one integer.
    UpdateAt {
        /// The axis.
        axis: u32,
    },
    /// Element `i` along an axis is the operand's element `i - by`, or a public value where it has none.
    Shift {
        /// The axis.
        axis: u32,
        /// By how many places; towards the beginning if it is negative.
        by: i64,
        /// The raw value in place of what there is none of.
        fill: i128,
    },
    /// Elements of an axis from the last to the first.
    Flip {
        /// The axis.
        axis: u32,
    },
    /// Operands one after the other along an axis.
    Concat {
        /// The axis.
        axis: u32,
    },
    /// Axis `i` of the result is axis `order[i]` of the operand.
    Transpose {
        /// The operand's axis for each axis of the result.
        order: Vec<u32>,
    },
    /// Repeats along new leading axes and axes of length one, to the result's shape.
    Broadcast,
    /// Elements of an axis at public positions.
    Gather {
        /// The axis.
        axis: u32,
        /// The positions along it.
        indices: Vec<u64>,
    },

    /// Sums of rows by group. Operands: group `[n]` (integers), then values `[n]`, then
    /// optionally a bit `[n]` that says which rows count. Result `[groups]`: entry g is the sum of
    /// the values of the rows whose group is `first + g`; rows of other groups count nowhere.
    GroupSum {
        /// The least group.
        first: i64,
        /// Number of groups.
        groups: u64,
    },
    /// Rows by group. Operands: group `[n]`, then optionally a bit `[n]`.
    GroupCount {
        /// The least group.
        first: i64,
        /// Number of groups.
        groups: u64,
    },
    /// Sorts rows by the first operand `[n]`, stably; the others are `[n]` and move along. One
    /// result per operand.
    Sort {
        /// Greatest first; equal keys still keep their order.
        descending: bool,
    },
    /// Goes through rows from the first to the last, and folds what came since a segment began. Operands: a bit `[n]`
    /// that says where segments begin, then columns `[n]`; one result per column. Rows before the first segment
    /// are one of their own, but for [`Fold::First`].
    Segment {
        /// What is made of the rows of a segment up to each one, itself among them.
        fold: Fold,
    },
    /// A circuit, lane by lane. One operand per input port, bits or integers of the port's width;
    /// one result per output port, the declared types.
    Circuit {
        /// A name for reports.
        name: String,
        /// The circuit.
        circuit: Arc<Circuit>,
    },
    /// A loop. Operands: the carried values, then the values of outside that the body reads.
    /// One result per carried value.
    Loop(Box<Loop>),
}

/// What [`Op::Segment`] makes of the rows of a segment so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The value with which the segment begins: each row gets the last one that was marked. Zero before all segments.
    First,
    /// The sum of its values.
    Sum,
    /// The least of its values.
    Min,
    /// The greatest of its values.
    Max,
}

/// A value that leaves the computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reveal {
    /// The value, which is one of the outermost block.
    pub value: ValueId,
    /// The name in results, unique in the program.
    pub name: String,
    /// The parties that learn it.
    pub to: Vec<PartyId>,
    /// The domains that label its leading axes, outermost first: the sizes of those of one axis
    /// multiply to its length.
    pub by: Vec<Arc<Domain>>,
    /// What its values stand for.
    pub meaning: Meaning,
}

/// A row count that is bound when a session starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The name of the row count.
    pub name: String,
    /// The least row count: zero where the program does not say.
    pub min: u64,
    /// The largest row count. Intervals are computed for all from the least to this one.
    pub max: u64,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The name of the program.
    pub name: String,
    /// Names of the parties that give inputs or learn results.
    pub parties: Vec<String>,
    /// Symbolic row counts.
    pub dims: Vec<Dim>,
    /// What integers stand for, and what labels groups.
    pub domains: Vec<Arc<Domain>>,
    /// The computation.
    pub body: Block,
    /// The values that leave the computation, and who learns them.
    pub reveals: Vec<Reveal>,
}

impl Program {
    /// The inputs: node, name, party.
    pub fn inputs(&self) -> impl Iterator<Item = (NodeId, &str, Option<PartyId>)> {
        (0..).zip(&self.body.nodes).filter_map(|(id, node)| match &node.op {
            Op::Input { name, party, .. } => Some((id, name.as_str(), *party)),
            _ => None,
        })
    }

    /// What the values of an input stand for.
    #[must_use]
    pub fn meaning(&self, input: NodeId) -> &Meaning {
        match &self.body.nodes[input as usize].op {
            Op::Input { meaning, .. } => meaning,
            _ => &Meaning::Number,
        }
    }

    /// The domain of this name.
    #[must_use]
    pub fn domain(&self, name: &str) -> Option<&Arc<Domain>> {
        self.domains.iter().find(|domain| domain.name == name)
    }

    /// The labels of a result's axes.
    #[must_use]
    pub fn labels(&self, reveal: &Reveal) -> Axes {
        let shape = &self.body.type_of(reveal.value).shape;
        by_axis(&reveal.by, shape).unwrap_or_else(|| vec![Vec::new(); shape.len()])
    }

    /// The dim of this name.
    #[must_use]
    pub fn dim(&self, name: &str) -> Option<DimId> {
        (0..).zip(&self.dims).find(|(_, dim)| dim.name == name).map(|(id, _)| DimId(id))
    }
}
