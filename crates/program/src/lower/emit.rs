//! Nodes of a lowered block.

use super::target::Target;
use crate::infer::infer;
use crate::ir::{Dim, Node, NodeId, Op, Span, ValueId};
use crate::types::{Element, Interval, Shape, Type, Visibility};

/// Writes a block.
pub struct Emitter<'a> {
    pub nodes: Vec<Node>,
    /// Where the user asked for what is written.
    pub span: Span,
    /// What it is written for.
    pub target: Target,
    dims: &'a [Dim],
}

impl<'a> Emitter<'a> {
    pub fn new(dims: &'a [Dim], target: Target) -> Self {
        Emitter { nodes: Vec::new(), span: Span::default(), target, dims }
    }

    /// The row counts of the program.
    pub fn dims(&self) -> &'a [Dim] {
        self.dims
    }

    pub fn ty(&self, value: ValueId) -> &Type {
        &self.nodes[value.node as usize].types[value.index as usize]
    }

    pub fn interval(&self, value: ValueId) -> Interval {
        self.ty(value).interval
    }

    /// Adds a node with one result.
    pub fn push(&mut self, op: Op, operands: &[ValueId], declared: Option<&[Type]>) -> ValueId {
        let node = self.push_all(op, operands, declared);
        ValueId { node, index: 0 }
    }

    /// Adds a node.
    ///
    /// # Panics
    /// If its types do not fit: lowerings only ask for what does.
    pub fn push_all(&mut self, op: Op, operands: &[ValueId], declared: Option<&[Type]>) -> NodeId {
        let types: Vec<&Type> = operands.iter().map(|&v| self.ty(v)).collect();
        let types = infer(&op, &types, self.dims, declared)
            .unwrap_or_else(|e| panic!("lowering {}: {op:?}: {e}", self.span.line));
        self.nodes.push(Node { op, operands: operands.to_vec(), types, span: self.span.clone() });
        self.nodes.len() as NodeId - 1
    }

    /// One public raw value, of the shape of another value.
    pub fn constant(&mut self, element: Element, raw: i128, like: ValueId) -> ValueId {
        let shape = self.ty(like).shape.clone();
        let interval = Interval::point(raw);
        let ty = Type { element, shape, visibility: Visibility::Public, interval };
        self.push(Op::Constant(vec![raw]), &[], Some(&[ty]))
    }

    /// Casts numbers to another type.
    pub fn cast(&mut self, value: ValueId, to: Element) -> ValueId {
        if self.ty(value).element == to {
            return value;
        }
        self.push(Op::Cast(to), &[value], None)
    }

    /// The low bits of integers; fixed point is cast.
    pub fn wrap(&mut self, value: ValueId, to: Element) -> ValueId {
        match (self.ty(value).element, to) {
            (from, to) if from == to => value,
            (Element::Int { .. }, Element::Int { .. }) => self.push(Op::Wrap(to), &[value], None),
            _ => self.cast(value, to),
        }
    }

    /// Notes that values are known to lie in an interval.
    pub fn assume(&mut self, value: ValueId, interval: Interval) -> ValueId {
        if self.interval(value) == interval {
            return value;
        }
        self.push(Op::Assume(interval), &[value], None)
    }

    /// Casts a value to the cheapest type of its kind that holds its interval.
    pub fn narrowed(&mut self, value: ValueId) -> ValueId {
        let ty = self.ty(value);
        let to = narrowest(ty.element, ty.interval);
        self.cast(value, to)
    }

    /// The type given, which is known to hold the values: element and interval become its own.
    pub fn shaped_as(&mut self, value: ValueId, ty: &Type) -> ValueId {
        let value = match ty.element.interval().contains(self.interval(value)) {
            true => self.cast(value, ty.element),
            false => {
                let value = self.assume(value, ty.interval);
                self.cast(value, ty.element)
            }
        };
        if ty.element == Element::Bit { value } else { self.assume(value, ty.interval) }
    }

    pub fn slice(&mut self, value: ValueId, axis: u32, start: u64, length: u64) -> ValueId {
        let ty = self.ty(value);
        let shape = crate::infer::shape::with(&ty.shape, axis, length.into());
        let to = Type { shape, ..ty.clone() };
        self.push(Op::Slice { axis, start, step: 1 }, &[value], Some(&[to]))
    }

    pub fn reshape(&mut self, value: ValueId, shape: Shape) -> ValueId {
        let to = Type { shape, ..self.ty(value).clone() };
        self.push(Op::Reshape, &[value], Some(&[to]))
    }
}

/// `a b`.
pub fn product(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId) -> ValueId {
    emitter.push(Op::Mul { wrap: false }, &[a, b], None)
}

/// `a + b`.
pub fn sum(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId) -> ValueId {
    emitter.push(Op::Add { wrap: false }, &[a, b], None)
}

/// `on` where the bit is one, else `off`.
pub fn select(emitter: &mut Emitter<'_>, bit: ValueId, on: ValueId, off: ValueId) -> ValueId {
    emitter.push(Op::Select, &[bit, on, off], None)
}

/// The smallest type of the same kind, fraction and signedness that holds the interval.
pub fn narrowest(element: Element, interval: Interval) -> Element {
    let candidates: Vec<Element> = match element {
        Element::Bit => vec![],
        Element::Int { signed, .. } => {
            [8, 16, 32, 64].map(|bits| Element::Int { signed, bits }).to_vec()
        }
        Element::Fixed { fraction, .. } => {
            (fraction.max(1) + 1..=64).map(|bits| Element::Fixed { bits, fraction }).collect()
        }
    };
    candidates.into_iter().find(|e| e.interval().contains(interval)).unwrap_or(element)
}
