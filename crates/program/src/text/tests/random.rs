//! Random programs, printed and read back.

use super::*;
use crate::build::{Builder, Value};
use crate::domain::{Domain, Meaning, Members};
use crate::ir::{Dim, Fold, LEAST_BITS, MOST_BITS};
use crate::types::{DimId, Element, Extent, Interval, PartyId, Shape, Type, Visibility};
use proptest::prelude::*;
use std::sync::Arc;

/// Numbers that decide what a random program is like.
struct Choices<'a>(&'a [u64], usize);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.1 += 1;
        let seed = self.0[self.1 % self.0.len()] ^ (self.1 as u64).wrapping_mul(0x9e37_79b9);
        (seed % n as u64) as usize
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn element(&mut self) -> Element {
        let fixed = |bits, fraction| Element::Fixed { bits, fraction };
        self.pick(&[
            Element::Bit,
            Element::uint(8),
            Element::int(8),
            Element::uint(32),
            Element::int(64),
            Element::uint(64),
            fixed(16, 5),
            fixed(64, 63),
            fixed(2, 0),
        ])
    }

    fn extent(&mut self) -> Extent {
        let n = Extent::rows(DimId(0));
        self.pick(&[
            n.clone(),
            n.clone() + n.clone() + 3.into(),
            2.into(),
            1.into(),
            0.into(),
            n + Extent::rows(DimId(1)),
        ])
    }

    fn shape(&mut self) -> Shape {
        (0..self.pick(&[0, 1, 1, 1, 2])).map(|_| self.extent()).collect()
    }

    fn interval(&mut self, element: Element) -> Interval {
        let all = element.interval();
        let width = self.pick(&[1i128, 10, 100, i128::MAX]);
        let low = all.low.max(-(self.below(8) as i128));
        Interval { low, high: all.high.min(low.saturating_add(width)) }
    }

    /// What values of a type may stand for.
    fn meaning(&mut self, ty: &Type, domains: &[Arc<Domain>]) -> Meaning {
        if matches!(ty.element, Element::Fixed { .. } | Element::Bit) {
            return Meaning::Number;
        }
        let fits = |domain: &&Arc<Domain>| domain.interval().contains(ty.interval);
        let fitting = domains.iter().find(fits).cloned().map(Meaning::Domain);
        self.pick(&[Meaning::Number, Meaning::Date, fitting.unwrap_or(Meaning::Number)])
    }

    fn op(&mut self) -> Op {
        let wrap = self.below(3) == 0;
        let axis = self.below(2) as u32;
        let to = self.element();
        let by = self.below(5) as u8;
        let bits = self.pick(&[LEAST_BITS, 12, MOST_BITS]);
        let interval = Interval { low: -(self.below(5) as i128), high: self.below(9) as i128 };
        let (first, groups) = (self.below(5) as i64 - 2, 1 + self.below(4) as u64);
        let ops = [
            Op::Add { wrap },
            Op::Sub { wrap },
            Op::Neg { wrap },
            Op::Mul { wrap },
            Op::Abs,
            Op::Min,
            Op::Max,
            Op::ShiftLeft { by },
            Op::ShiftRight { by },
            Op::Div { bits: None },
            Op::Div { bits: Some(bits) },
            Op::Rem,
            Op::Sqrt,
            Op::Exp { bits },
            Op::Log { bits: MOST_BITS },
            Op::Sigmoid { bits },
            Op::Less,
            Op::Equal,
            Op::Select,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Not,
            Op::Cast(to),
            Op::Wrap(to),
            Op::Assume(interval),
            Op::Check(interval),
            Op::Sum { axis },
            Op::CumSum { axis, reverse: wrap },
            Op::Product { axis },
            Op::MinOver { axis },
            Op::MaxOver { axis },
            Op::MatMul,
            Op::Reshape,
            Op::Slice { axis, start: by.into(), step: groups },
            Op::SliceAt { axis, length: groups - 1 },
            Op::UpdateAt { axis },
            Op::Shift { axis, by: first, fill: interval.high.min(1) },
            Op::Flip { axis },
            Op::Concat { axis },
            Op::Transpose { order: vec![axis, 1 - axis] },
            Op::Broadcast,
            Op::Gather { axis, indices: vec![0; by.into()] },
            Op::GroupSum { first, groups },
            Op::GroupCount { first, groups },
            Op::Sort { descending: wrap },
            Op::Segment { fold: Fold::First },
            Op::Segment { fold: Fold::Sum },
            Op::Segment { fold: Fold::Min },
            Op::Segment { fold: Fold::Max },
        ];
        self.pick(&ops)
    }
}

/// A block in the making: the values that there are.
struct Random<'a> {
    builder: Builder,
    values: Vec<Value>,
    choices: Choices<'a>,
}

impl Random<'_> {
    fn add(&mut self, op: Op, operands: &[Value], declared: Option<&[Type]>) -> bool {
        let results = self.builder.exactly(op, operands, declared);
        match self.builder.checked(results) {
            Ok(results) => self.values.extend(results),
            Err(_) => return false,
        }
        true
    }

    fn ty(&self, value: Value) -> Type {
        self.builder.type_of(value).expect("a value").clone()
    }

    /// A value that will do beside `like`, if there is one.
    fn beside(&mut self, like: Option<Value>) -> Value {
        let Some(like) = like else { return self.choices.pick(&self.values.clone()) };
        let shape = self.ty(like).shape;
        let same: Vec<Value> =
            self.values.iter().copied().filter(|&v| self.ty(v).shape == shape).collect();
        self.choices.pick(&same)
    }

    fn step(&mut self) {
        match self.choices.below(12) {
            0 => self.constant(),
            1 => self.circuit(),
            2 => self.repeat(),
            3 => self.positions(),
            _ => self.operation(),
        }
    }

    fn operation(&mut self) {
        for _ in 0..20 {
            let op = self.choices.op();
            let first = self.beside(None);
            let operands: Vec<Value> =
                (0..self.choices.below(3)).map(|_| self.beside(Some(first))).collect();
            let operands = match op {
                Op::SliceAt { .. } => vec![first, self.place()],
                Op::UpdateAt { .. } => vec![first, first, self.place()],
                _ => [vec![first], operands].concat(),
            };
            let mut ty = self.ty(first);
            if matches!(op, Op::Reshape | Op::Broadcast | Op::Slice { .. }) {
                ty.shape = self.choices.shape();
                if self.add(op, &operands, Some(&[ty])) {
                    return;
                }
            } else if self.add(op, &operands, None) {
                return;
            }
        }
    }

    /// The first position of an axis, as a public number.
    fn place(&mut self) -> Value {
        let places = vec![self.builder.raw(Element::uint(8), Shape::new(), vec![0])];
        self.builder.checked(places).expect("a number")[0]
    }

    fn constant(&mut self) {
        let (element, shape) = (self.choices.element(), self.choices.shape());
        let count = shape.iter().map(|e| e.known().unwrap_or(1) as usize).product::<usize>();
        let count = self.choices.pick(&[1, count]);
        let all = element.interval();
        let raw = [all.low, all.high, 0.clamp(all.low, all.high), 1.min(all.high)];
        let raw = (0..count).map(|_| self.choices.pick(&raw)).collect();
        let ty = Type { element, shape, visibility: Visibility::Public, interval: all };
        self.add(Op::Constant(raw), &[], Some(&[ty]));
    }

    fn positions(&mut self) {
        let length = self.choices.extent();
        let values = vec![self.builder.positions(length)];
        self.values.extend(self.builder.checked(values).expect("a length"));
    }

    fn circuit(&mut self) {
        let (width, name) =
            self.choices.pick(&[(8, "add(width 8)"), (32, "add(width 32)"), (8, "own \" name")]);
        let params = tacit_circuit::library::Params::new().width(width);
        let circuit = tacit_circuit::library::build("add", &params).expect("a design");
        let op = Op::Circuit { name: name.into(), circuit: Arc::new(circuit) };
        let first = self.beside(None);
        let second = self.beside(Some(first));
        let mut ty = self.ty(first);
        ty.element = self.choices.pick(&[Element::uint(width as u8), Element::int(width as u8)]);
        ty.interval = self.choices.interval(ty.element);
        ty.visibility = ty.visibility.join(self.ty(second).visibility);
        self.add(op, &[first, second], Some(&[ty]));
    }

    fn repeat(&mut self) {
        let carried: Vec<Value> = (0..self.choices.below(3)).map(|_| self.beside(None)).collect();
        let used: Vec<Value> = (0..self.choices.below(2)).map(|_| self.beside(None)).collect();
        let trips = self.choices.extent();
        let secret = |v: &Value| Type { visibility: Visibility::Secret, ..self.ty(*v) };
        let types: Vec<Type> = carried.iter().map(secret).collect();
        let counter =
            crate::infer::iteration(&trips, &self.builder.program().dims.clone()).expect("few");
        let outer = used.iter().map(|&v| self.ty(v));
        let all = types.iter().cloned().chain([counter]).chain(outer).collect::<Vec<_>>();
        let (parameters, token) = self.builder.open_loop(&all);
        let before = self.values.clone();
        self.values.extend(&parameters);
        (0..self.choices.below(4)).for_each(|_| self.operation());
        let next = types.iter().zip(&parameters).map(|(ty, &parameter)| {
            let fitting = |v: &&Value| {
                let found = self.ty(**v);
                found.element == ty.element
                    && found.shape == ty.shape
                    && ty.interval.contains(found.interval)
            };
            self.values.iter().rev().find(fitting).copied().unwrap_or(parameter)
        });
        let next: Vec<Value> = next.collect();
        let results = self.builder.close_loop(token, trips, &carried, &used, &next);
        self.values = before;
        self.values.extend(self.builder.checked(results).expect("a sound loop"));
    }
}

fn program(seeds: &[u64]) -> Program {
    let mut choices = Choices(seeds, 0);
    let mut builder = Builder::new("random");
    builder.declared().parties = vec!["alice".into(), "Bob B".into()];
    let dim = |name: &str, min, max| Dim { name: name.into(), min, max };
    builder.declared().dims = vec![dim("n", 2, 1000), dim("loop", 0, 3)];
    let domains = ["of", "a b", "date of"].map(|name| {
        let members = match name {
            "of" => Members::Names(vec!["no".into(), "\"yes\"".into()]),
            _ => Members::Numbers { first: -3, last: choices.below(30) as i64 },
        };
        builder.domain(name, members)
    });
    let mut random = Random { builder, values: Vec::new(), choices: Choices(seeds, 7) };
    for i in 0..3 {
        let element = choices.element();
        let party = choices.pick(&[None, Some(PartyId(0)), Some(PartyId(1))]);
        let ty = Type {
            element,
            shape: choices.shape(),
            visibility: party.map_or(Visibility::Public, Visibility::Private),
            interval: choices.interval(element),
        };
        let name = choices.pick(&["in", "v", "axis", "a b"]);
        let meaning = choices.meaning(&ty, &domains);
        let op = Op::Input { name: format!("{name}{i}"), party, meaning };
        assert!(random.add(op, &[], Some(&[ty])));
    }
    (0..seeds.len()).for_each(|_| random.step());
    let value = random.beside(None);
    let ty = random.ty(value);
    let by = domains
        .iter()
        .find(|domain| ty.shape.first().and_then(Extent::known) == Some(domain.len()));
    let by: Vec<Arc<Domain>> = by.into_iter().cloned().collect();
    let meaning = choices.meaning(&ty, &domains);
    let to = [PartyId(1), PartyId(0)];
    random.builder.reveal_as("it", value, &to, Some(&by), meaning);
    random.builder.finish().expect("a sound program")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn printed_programs_are_read_back(seeds in prop::collection::vec(any::<u64>(), 1..25)) {
        assert_round_trip(&program(&seeds));
    }
}

#[test]
fn random_programs_have_all_operations() {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..300u64 {
        let seeds: Vec<u64> =
            (0..20).map(|i| (seed * 31 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7).collect();
        collect(&program(&seeds).body, &mut seen);
    }
    let missing: Vec<&str> = EVERY.iter().copied().filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
}

const EVERY: [&str; 52] = [
    "add",
    "sub",
    "neg",
    "mul",
    "abs",
    "min",
    "max",
    "shift_left",
    "shift_right",
    "div",
    "rem",
    "sqrt",
    "exp",
    "log",
    "sigmoid",
    "less",
    "equal",
    "select",
    "and",
    "or",
    "xor",
    "not",
    "cast",
    "wrap",
    "assume",
    "check",
    "sum",
    "cumsum",
    "product",
    "matmul",
    "reshape",
    "slice",
    "slice_at",
    "update_at",
    "shift",
    "flip",
    "concat",
    "transpose",
    "broadcast",
    "gather",
    "group_sum",
    "group_count",
    "sort",
    "segment_first",
    "segment_sum",
    "segment_min",
    "segment_max",
    "circuit",
    "loop",
    "constant",
    "positions",
    "input",
];

fn collect(block: &Block, seen: &mut std::collections::HashSet<&'static str>) {
    for node in &block.nodes {
        seen.insert(crate::text::op_names::name(&node.op));
        if let Op::Loop(inner) = &node.op {
            collect(&inner.body, seen);
        }
    }
}
