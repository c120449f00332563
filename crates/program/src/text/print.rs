//! The canonical text of a program.

use super::circuits::Printed;
use super::{decimal, names, op_names};
use crate::domain::{Meaning, Members};
use crate::ir::{Block, Dim, Loop, MOST_BITS, Node, Op, Program, Span, ValueId};
use crate::types::{Element, Extent, Interval, PartyId, Type, Visibility};
use std::fmt::Write;

/// The canonical text: one operation per line, all types given, results named by position. It
/// has no comments and no names of variables, and [`parse`](super::parse) reads it back as the
/// same program.
///
/// # Panics
/// If the program is malformed: a value, party or row count that does not exist.
#[must_use]
pub fn print(program: &Program) -> String {
    printed(program, false)
}

/// The canonical text, with a comment behind each operation that says where it was written, as `  # pay.py:12`: the name of the file
/// without its folders, and the line. Such a comment has no quotation mark.
///
/// # Panics
/// If the program is malformed: a value, party or row count that does not exist.
#[must_use]
pub fn print_with_places(program: &Program) -> String {
    printed(program, true)
}

fn printed(program: &Program, places: bool) -> String {
    let circuits = Printed::of(program);
    let mut printer = Printer { program, circuits: &circuits, places, out: String::new() };
    printer.header();
    printer.block(&program.body, &Scope { prefix: "v".into(), indent: 0 });
    printer.reveals();
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    circuits: &'a Printed,
    /// Whether lines say where they come from.
    places: bool,
    out: String,
}

/// How the values of a block are named and how far its lines are indented.
struct Scope {
    prefix: String,
    indent: usize,
}

impl Scope {
    fn name(&self, block: &Block, value: ValueId) -> String {
        let node = &block.nodes[value.node as usize];
        match &node.op {
            Op::Input { name, .. } if is_variable(name) => name.clone(),
            _ if node.types.len() == 1 => format!("{}{}", self.prefix, value.node),
            _ => format!("{}{}r{}", self.prefix, value.node, value.index),
        }
    }

    fn names(&self, block: &Block, values: &[ValueId]) -> String {
        comma(values.iter().map(|&v| self.name(block, v)))
    }
}

/// Whether an input's name can be its variable: not if it looks like a numbered value.
fn is_variable(name: &str) -> bool {
    let numbered =
        name.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    names::is_plain(name) && !numbered
}

fn comma(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(", ")
}

impl Printer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * indent);
    }

    fn header(&mut self) {
        let program = self.program;
        self.line(0, &format!("program {}", names::show(&program.name)));
        if !program.parties.is_empty() {
            let parties = comma(program.parties.iter().map(|p| names::show(p)));
            self.line(0, &format!("parties {parties}"));
        }
        for dim in &program.dims {
            let Dim { name, min, max } = dim;
            let range = if *min == 0 { format!("<= {max}") } else { format!("in {min}..{max}") };
            self.line(0, &format!("rows {} {range}", names::show(name)));
        }
        for domain in &program.domains {
            let members = match &domain.members {
                Members::Names(names) => {
                    format!("[{}]", comma(names.iter().map(|name| names::quote(name))))
                }
                Members::Numbers { first, last } => format!("{first}..{last}"),
            };
            self.line(0, &format!("domain {} = {members}", names::show(&domain.name)));
        }
        for definition in self.circuits.definitions() {
            self.line(0, &definition);
        }
    }

    fn reveals(&mut self) {
        for reveal in &self.program.reveals {
            let scope = Scope { prefix: "v".into(), indent: 0 };
            let value = scope.name(&self.program.body, reveal.value);
            let to = comma(reveal.to.iter().map(|&p| self.party(p)));
            let mut line = format!("reveal {value} to {to}");
            if !reveal.by.is_empty() {
                let by = comma(reveal.by.iter().map(|domain| names::show(&domain.name)));
                let _ = write!(line, " by {by}");
            }
            line += &meaning(&reveal.meaning);
            self.line(0, &format!("{line} as {}", names::quote(&reveal.name)));
        }
    }

    fn block(&mut self, block: &Block, scope: &Scope) {
        for (id, node) in (0..).zip(&block.nodes) {
            match &node.op {
                Op::Parameter(_) => {}
                Op::Input { name, .. } => self.input(name, node, &scope.name(block, value(id))),
                Op::Loop(inner) => {
                    self.repeat(block, id, inner, scope);
                    continue;
                }
                _ => {
                    let line = format!(
                        "let {} = {}",
                        self.results(block, id, scope),
                        self.call(block, node, scope)
                    );
                    self.line(scope.indent, &line);
                }
            }
            if !matches!(node.op, Op::Parameter(_)) {
                self.place(&node.span);
            }
        }
    }

    /// Says behind the last line where it comes from, if that is known.
    fn place(&mut self, Span { file, line, .. }: &Span) {
        let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
        let odd = |c: char| c.is_control() || c == '"' || c == '#';
        if self.places && *line > 0 && !file.is_empty() && !file.contains(odd) {
            self.out.truncate(self.out.trim_end_matches('\n').len());
            let _ = writeln!(self.out, "  # {file}:{line}");
        }
    }

    fn input(&mut self, name: &str, node: &Node, variable: &str) {
        let mut ty = self.ty(&node.types[0]);
        if let Op::Input { meaning: stands_for, .. } = &node.op {
            ty += &meaning(stands_for);
        }
        if is_variable(name) {
            self.line(0, &format!("input {name}: {ty}"));
        } else {
            self.line(0, &format!("input {} as {variable}: {ty}", names::quote(name)));
        }
    }

    /// The names and types of a node's results.
    fn results(&self, block: &Block, id: u32, scope: &Scope) -> String {
        let node = &block.nodes[id as usize];
        let typed = comma((0..).zip(&node.types).map(|(index, ty)| {
            format!("{}: {}", scope.name(block, ValueId { node: id, index }), self.ty(ty))
        }));
        if node.types.len() == 1 { typed } else { format!("({typed})") }
    }

    fn repeat(&mut self, block: &Block, id: u32, inner: &Loop, scope: &Scope) {
        let node = &block.nodes[id as usize];
        let body = Scope { prefix: format!("{}{id}_", scope.prefix), indent: scope.indent + 1 };
        let bound = |first: usize, operands: &[ValueId]| {
            comma((first as u32..).zip(operands).map(|(i, &operand)| {
                let ty = self.ty(inner.body.type_of(value(i)));
                let name = body.name(&inner.body, value(i));
                format!("{name}: {ty} = {}", scope.name(block, operand))
            }))
        };
        let (carried, captured) = node.operands.split_at(inner.carried);
        let mut line = format!(
            "let {} = loop {} carry ({}) index {}",
            self.results(block, id, scope),
            self.extent(&inner.trips),
            bound(0, carried),
            body.name(&inner.body, value(inner.carried as u32)),
        );
        if !captured.is_empty() {
            let _ = write!(line, " use ({})", bound(inner.carried + 1, captured));
        }
        self.line(scope.indent, &format!("{line} {{"));
        self.place(&node.span);
        self.block(&inner.body, &body);
        let results = body.names(&inner.body, &inner.body.results);
        self.line(body.indent, format!("yield {results}").trim_end());
        self.line(scope.indent, "}");
    }

    fn call(&self, block: &Block, node: &Node, scope: &Scope) -> String {
        let operands = scope.names(block, &node.operands);
        match &node.op {
            Op::Constant(values) => constant(values, node.types[0].element.fraction()),
            Op::Circuit { name, circuit } => {
                format!("{}({operands})", self.circuits.reference(name, circuit))
            }
            op => {
                let options = self.options(op, &node.types);
                let all = comma([operands, options].into_iter().filter(|part| !part.is_empty()));
                format!("{}({all})", op_names::name(op))
            }
        }
    }

    fn options(&self, op: &Op, types: &[Type]) -> String {
        let shape = || format!("shape [{}]", self.extents(&types[0].shape));
        match op {
            Op::Add { wrap: true }
            | Op::Sub { wrap: true }
            | Op::Neg { wrap: true }
            | Op::Mul { wrap: true } => "wrap".into(),
            Op::ShiftLeft { by }
            | Op::ShiftRight { by }
            | Op::Quotient { shift: by, bits: None } => {
                format!("by {by}")
            }
            Op::Quotient { shift, bits: Some(bits) } => format!("by {shift}, bits {bits}"),
            Op::Div { bits: Some(bits) } => format!("bits {bits}"),
            Op::Exp { bits } | Op::Log { bits } | Op::Sigmoid { bits } if *bits < MOST_BITS => {
                format!("bits {bits}")
            }
            Op::Cast(to) | Op::Wrap(to) => format!("to {to}"),
            Op::Assume(interval) | Op::Check(interval) => {
                format!("in {}", range(*interval, types[0].element))
            }
            Op::Sum { axis }
            | Op::Product { axis }
            | Op::MinOver { axis }
            | Op::MaxOver { axis }
            | Op::UpdateAt { axis }
            | Op::CumSum { axis, reverse: false }
            | Op::Flip { axis }
            | Op::Concat { axis } => format!("axis {axis}"),
            Op::CumSum { axis, reverse: true } => format!("axis {axis}, reverse"),
            Op::SliceAt { axis, length } => format!("axis {axis}, length {length}"),
            Op::Shift { axis, by, fill } => {
                let fill = decimal::show(*fill, types[0].element.fraction());
                format!("axis {axis}, by {by}, fill {fill}")
            }
            Op::Reshape | Op::Broadcast => shape(),
            Op::Positions => format!("length {}", self.extent(&types[0].shape[0])),
            Op::Slice { axis, start, step } => {
                let length = self.extent(&types[0].shape[*axis as usize]);
                format!("axis {axis}, start {start}, length {length}, step {step}")
            }
            Op::Transpose { order } => {
                format!("order [{}]", comma(order.iter().map(u32::to_string)))
            }
            Op::Gather { axis, indices } => {
                format!("axis {axis}, at [{}]", comma(indices.iter().map(u64::to_string)))
            }
            Op::GroupSum { first, groups } | Op::GroupCount { first, groups } => {
                format!("first {first}, groups {groups}")
            }
            Op::Sort { descending: true } => "descending".into(),
            _ => String::new(),
        }
    }

    fn ty(&self, ty: &Type) -> String {
        type_text(self.program, ty)
    }

    fn party(&self, party: PartyId) -> String {
        names::show(&self.program.parties[usize::from(party.0)])
    }

    fn extents(&self, shape: &[Extent]) -> String {
        extents(self.program, shape)
    }

    fn extent(&self, extent: &Extent) -> String {
        length(self.program, extent)
    }
}

/// ` of DOMAIN`, if values stand for something.
fn meaning(meaning: &Meaning) -> String {
    meaning.name().map_or(String::new(), |name| match meaning {
        Meaning::Domain(_) => format!(" of {}", names::show(name)),
        Meaning::Decimal(digits) => format!(" of {name}({digits})"),
        Meaning::Derived(derived) => format!(" of {name}({derived})"),
        _ => format!(" of {name}"),
    })
}

/// A type as written, its range only if it is not the element's own.
pub(crate) fn type_text(program: &Program, ty: &Type) -> String {
    let mut text = array_text(program, ty);
    match ty.visibility {
        Visibility::Public => text.push_str(" public"),
        Visibility::Private(party) => {
            let party = &program.parties[usize::from(party.0)];
            let _ = write!(text, " from {}", names::show(party));
        }
        Visibility::Secret => text.push_str(" secret"),
    }
    if ty.interval != ty.element.interval() {
        let _ = write!(text, " in {}", range(ty.interval, ty.element));
    }
    text
}

/// Element type and shape.
pub(crate) fn array_text(program: &Program, ty: &Type) -> String {
    match ty.shape.as_slice() {
        [] => ty.element.to_string(),
        shape => format!("{}[{}]", ty.element, extents(program, shape)),
    }
}

fn extents(program: &Program, shape: &[Extent]) -> String {
    comma(shape.iter().map(|e| length(program, e)))
}

/// A length as written: `2*n + 1`.
pub(crate) fn length(program: &Program, extent: &Extent) -> String {
    let rows = extent.terms.iter().map(|&(dim, factor)| {
        let name = names::show(&program.dims[dim.0 as usize].name);
        if factor == 1 { name } else { format!("{factor}*{name}") }
    });
    let constant =
        (extent.constant > 0 || extent.terms.is_empty()).then(|| extent.constant.to_string());
    rows.chain(constant).collect::<Vec<_>>().join(" + ")
}

fn value(node: u32) -> ValueId {
    ValueId { node, index: 0 }
}

fn constant(values: &[i128], fraction: u8) -> String {
    match values {
        [value] => decimal::show(*value, fraction),
        _ => format!("[{}]", comma(values.iter().map(|&v| decimal::show(v, fraction)))),
    }
}

pub(crate) fn range(interval: Interval, element: Element) -> String {
    let bound = |raw| decimal::show(raw, element.fraction());
    format!("{}..{}", bound(interval.low), bound(interval.high))
}
