//! Types and intervals of results.

use std::collections::BTreeMap;
use tacit_program::clear::{Array, evaluate};
use tacit_program::infer::{check, infer, range};
use tacit_program::ir::{Block, Dim, Node, Op, Program, Span};
use tacit_program::{
    DimId, Element, Extent, Interval, Meaning, NodeId, PartyId, Reveal, Shape, Type, ValueId,
    Visibility,
};

fn ty(element: Element, low: i128, high: i128) -> Type {
    typed(element, Shape::new(), low, high)
}

fn typed(element: Element, shape: Shape, low: i128, high: i128) -> Type {
    Type { element, shape, visibility: Visibility::Secret, interval: Interval { low, high } }
}

fn full(element: Element) -> Type {
    let Interval { low, high } = element.interval();
    ty(element, low, high)
}

fn dims() -> Vec<Dim> {
    vec![Dim { name: "n".into(), min: 0, max: 1000 }]
}

fn one(op: Op, operands: &[&Type]) -> Result<Type, String> {
    infer(&op, operands, &dims(), None).map(|mut types| types.remove(0))
}

const ADD: Op = Op::Add { wrap: false };
const SUB: Op = Op::Sub { wrap: false };
const MUL: Op = Op::Mul { wrap: false };

#[test]
fn elements_grow_to_what_can_occur() {
    let cases = [
        (ADD, Element::int(8), Element::int(8), Element::int(16), -256, 254),
        (ADD, Element::uint(8), Element::int(8), Element::int(16), -128, 382),
        (SUB, Element::uint(32), Element::uint(32), Element::int(64), -0xffff_ffff, 0xffff_ffff),
        (
            MUL,
            Element::int(32),
            Element::int(32),
            Element::int(64),
            -(1 << 62) + (1 << 31),
            1 << 62,
        ),
        (MUL, Element::uint(32), Element::uint(32), Element::uint(64), 0, 0xffff_fffe_0000_0001),
    ];
    for (op, a, b, element, low, high) in cases {
        let result = one(op.clone(), &[&full(a), &full(b)]).unwrap();
        assert_eq!(result, ty(element, low, high), "{op:?} {a} {b}");
    }
    let small = ty(Element::int(64), 0, 10);
    assert_eq!(one(ADD, &[&small, &small]).unwrap(), ty(Element::int(64), 0, 20));
    let error = one(ADD, &[&full(Element::int(64)), &small]).unwrap_err();
    assert!(error.contains("more than 64 bits") && error.contains("assume"), "{error}");
    let lowest = one(Op::Abs, &[&full(Element::int(64))]).unwrap();
    assert_eq!(lowest, ty(Element::uint(64), 0, 1 << 63));
    assert!(one(Op::Abs, &[&full(Element::Fixed { bits: 64, fraction: 8 })]).is_err());
}

#[test]
fn wrapping_keeps_the_type() {
    let wrap = Op::Mul { wrap: true };
    let a = ty(Element::int(64), 3, 4);
    assert_eq!(one(wrap.clone(), &[&a, &a]).unwrap(), full(Element::int(64)));
    let error = one(wrap, &[&a, &full(Element::int(32))]).unwrap_err();
    assert!(error.contains("i64") && error.contains("i32"), "{error}");
}

#[test]
fn fixed_point_products_have_room_to_round() {
    let element = Element::Fixed { bits: 16, fraction: 8 };
    let one_half = ty(element, 128, 256);
    assert_eq!(one(MUL, &[&one_half, &one_half]).unwrap(), ty(element, 63, 257));
    let whole = ty(Element::Fixed { bits: 16, fraction: 0 }, 2, 3);
    assert_eq!(one(MUL, &[&whole, &whole]).unwrap().interval, Interval { low: 4, high: 9 });
    let other = ty(Element::Fixed { bits: 16, fraction: 7 }, 0, 1);
    assert!(one(ADD, &[&one_half, &other]).unwrap_err().contains("cast"));
}

#[test]
fn sums_over_symbolic_axes_may_be_empty() {
    let n = Extent::rows(DimId(0));
    let column = typed(Element::int(16), vec![n.clone()], 5, 100);
    let sum = one(Op::Sum { axis: 0 }, &[&column]).unwrap();
    assert_eq!(sum, ty(Element::int(32), 0, 100_000));
    let longer = typed(Element::int(16), vec![n + Extent::fixed(2)], 5, 100);
    let sum = one(Op::Sum { axis: 0 }, &[&longer]).unwrap();
    assert_eq!(sum.interval, Interval { low: 10, high: 100_200 });
    let known = typed(Element::int(16), vec![Extent::fixed(3)], -5, 100);
    let sum = one(Op::Sum { axis: 0 }, &[&known]).unwrap();
    assert_eq!(sum.interval, Interval { low: -15, high: 300 });
    let product = one(Op::MatMul, &[&column, &column]).unwrap();
    assert_eq!(product, ty(Element::int(32), 0, 10_000_000));
}

#[test]
fn batches_of_matrices_have_equal_axes_before_the_last_two() {
    let n = Extent::rows(DimId(0));
    let of = |shape: &[Extent]| typed(Element::int(16), shape.to_vec(), -3, 5);
    let known =
        |lengths: &[u64]| of(&lengths.iter().map(|n| Extent::fixed(*n)).collect::<Vec<_>>());
    let product = one(Op::MatMul, &[&known(&[7, 4, 2, 3]), &known(&[7, 4, 3, 5])]).unwrap();
    assert_eq!(
        product,
        typed(Element::int(16), vec![7.into(), 4.into(), 2.into(), 5.into()], -45, 75)
    );
    let rows = one(
        Op::MatMul,
        &[&of(&[n.clone(), 2.into(), 3.into()]), &of(&[n.clone(), 3.into(), 1.into()])],
    );
    assert_eq!(rows.unwrap().shape, vec![n.clone(), 2.into(), 1.into()]);
    for (a, b) in [
        (&[7, 2, 3][..], &[6, 3, 5][..]),
        (&[7, 2, 3], &[7, 2, 5]),
        (&[2, 3], &[7, 3, 5]),
        (&[3], &[7, 3, 5]),
    ] {
        let error = one(Op::MatMul, &[&known(a), &known(b)]).unwrap_err();
        assert!(error.contains("or both are as many matrices"), "{error}");
    }
    assert!(one(Op::MatMul, &[&of(&[n, 2.into(), 3.into()]), &known(&[4, 3, 1])]).is_err());
}

#[test]
fn shapes_must_fit_for_all_row_counts() {
    let n = Extent::rows(DimId(0));
    let column = typed(Element::int(16), vec![n.clone()], 0, 1);
    let slice = |start, step, length: Extent| {
        let declared = typed(Element::int(16), vec![length], 0, 1);
        let op = Op::Slice { axis: 0, start, step };
        infer(&op, &[&column], &dims(), Some(&[declared])).is_ok()
    };
    assert!(slice(0, 1, n.clone()) && slice(0, 1, Extent::fixed(0)));
    assert!(!slice(1, 1, n.clone()) && !slice(0, 2, n.clone()) && !slice(0, 1, Extent::fixed(1)));
    let wide = typed(Element::int(16), vec![n.clone(), 6.into()], 0, 1);
    let reshape = |shape: Shape| {
        let declared = typed(Element::int(16), shape, 0, 1);
        infer(&Op::Reshape, &[&wide], &dims(), Some(&[declared])).is_ok()
    };
    assert!(reshape(vec![2.into(), n.clone(), 3.into()]));
    let six = Extent { constant: 0, terms: vec![(DimId(0), 6)] };
    assert!(reshape(vec![six]) && !reshape(vec![n.clone(), 5.into()]) && !reshape(vec![6.into()]));
    let huge = typed(Element::int(16), vec![n, (1 << 40).into()], 0, 1);
    assert!(one(Op::Neg { wrap: true }, &[&huge]).unwrap_err().contains("2^48"));
}

#[test]
fn casts_must_fit() {
    let to = |element| one(Op::Cast(element), &[&ty(Element::int(32), -3, 500)]);
    assert!(to(Element::int(16)).is_ok());
    assert!(to(Element::int(8)).unwrap_err().contains("[-128, 127]"));
    let fixed = to(Element::Fixed { bits: 20, fraction: 8 }).unwrap();
    assert_eq!(fixed.interval, Interval { low: -768, high: 128_000 });
    assert!(to(Element::Fixed { bits: 17, fraction: 8 }).is_err());
    let back = one(Op::Cast(Element::int(16)), &[&fixed]).unwrap();
    assert_eq!(back.interval, Interval { low: -3, high: 500 });
    assert!(to(Element::Bit).unwrap_err().contains("compare"));
}

/// All values of every pair of small intervals.
#[test]
fn quotients_and_remainders_stay_in_their_intervals() {
    for (a, b) in small_intervals().flat_map(|a| small_intervals().map(move |b| (a, b))) {
        let (quotients, remainders) = (range::div(a, b).unwrap(), range::rem(a, b));
        let products = range::mul(a, b).unwrap();
        for x in a.low..=a.high {
            for y in b.low..=b.high {
                let quotient = if y == 0 { 0 } else { range::floor_div(x, y) };
                let remainder = if y == 0 { 0 } else { x - y * quotient };
                assert!(quotients.contains(Interval::point(quotient)), "{x} / {y}: {quotients:?}");
                assert!(remainders.contains(Interval::point(remainder)), "{x} % {y}");
                assert!(products.contains(Interval::point(x * y)));
            }
        }
    }
}

fn small_intervals() -> impl Iterator<Item = Interval> {
    (-4..=4).flat_map(|low| (low..=5).map(move |high| Interval { low, high }))
}

fn node(op: Op, operands: &[NodeId], types: Vec<Type>) -> Node {
    let operands = operands.iter().map(|&node| ValueId { node, index: 0 }).collect();
    Node { op, operands, types, span: Span::default() }
}

fn sound() -> Program {
    let mut x = full(Element::int(8));
    x.visibility = Visibility::Private(PartyId(0));
    let input = Op::Input { name: "x".into(), party: Some(PartyId(0)), meaning: Meaning::Number };
    let mut y = one(ADD, &[&x, &x]).unwrap();
    y.visibility = x.visibility;
    let nodes = vec![node(input, &[], vec![x]), node(ADD, &[0, 0], vec![y])];
    let value = ValueId { node: 1, index: 0 };
    Program {
        name: "test".into(),
        parties: vec!["alice".into(), "bob".into()],
        dims: dims(),
        domains: Vec::new(),
        body: Block { nodes, results: Vec::new() },
        reveals: vec![Reveal {
            value,
            name: "y".into(),
            to: vec![PartyId(1)],
            by: Vec::new(),
            meaning: Meaning::Number,
        }],
    }
}

type Spoil = fn(&mut Program);

#[test]
fn checks_find_what_is_unsound() {
    check(&sound()).unwrap();
    let x = Array::scalar(Element::int(8), -128).unwrap();
    let outputs = evaluate(&sound(), &[0], BTreeMap::from([("x".to_string(), x)])).unwrap();
    assert_eq!(outputs[0].1.values().next(), Some(-256));
    let mistakes: [(Spoil, &str); 10] = [
        (|p| p.body.nodes[1].types[0].interval.high -= 1, "declared as"),
        (|p| p.body.nodes[1].operands[0].node = 1, "does not come before"),
        (|p| p.body.nodes[1].operands[0].index = 1, "does not come before"),
        (|p| p.body.nodes[1].operands.truncate(1), "1 operands where 2"),
        (|p| p.reveals[0].value.node = 2, "does not have"),
        (|p| p.reveals[0].to = vec![PartyId(2)], "unknown party"),
        (|p| p.reveals[0].to.clear(), "nobody"),
        (|p| p.parties[1] = "alice".into(), "`alice`"),
        (|p| p.body.nodes[0].op = Op::Parameter(0), "parameter 0"),
        (|p| p.body.nodes[0].types[0].interval.high = 128, "no range of i8"),
    ];
    for (spoil, message) in mistakes {
        let mut program = sound();
        spoil(&mut program);
        let error = check(&program).unwrap_err();
        assert!(error.message.contains(message), "`{message}` in `{error}`");
    }
}

#[test]
fn absurd_sizes_are_refused() {
    let factor = |n| Extent { constant: 0, terms: vec![(DimId(0), n)] };
    let none = vec![Dim { name: "n".into(), min: 0, max: 0 }];
    let long = typed(Element::int(8), vec![factor(u64::MAX)], 0, 1);
    let concat = Op::Concat { axis: 0 };
    assert!(infer(&concat, &[&long, &long], &none, None).unwrap_err().contains("2^48"));
    let column = typed(Element::int(8), vec![4.into()], 0, 1);
    let slice = Op::Slice { axis: 0, start: u64::MAX, step: u64::MAX };
    let declared = typed(Element::int(8), vec![u64::MAX.into()], 0, 1);
    assert!(infer(&slice, &[&column], &dims(), Some(&[declared])).is_err());
}

#[test]
fn prefix_sums_have_one_term_at_least() {
    let n = Extent::rows(DimId(0));
    let sums = |length: Extent, low, high| {
        let column = typed(Element::int(8), vec![length], low, high);
        one(Op::CumSum { axis: 0, reverse: false }, &[&column]).map(|ty| (ty.element, ty.interval))
    };
    let interval = |low, high| Interval { low, high };
    assert_eq!(sums(n.clone(), 2, 5), Ok((Element::int(16), interval(2, 5000))));
    assert_eq!(sums(n, -3, -2), Ok((Element::int(16), interval(-3000, -2))));
    assert_eq!(sums(0.into(), 2, 5), Ok((Element::int(8), interval(2, 5))));
    let bits = typed(Element::Bit, vec![4.into()], 0, 1);
    assert!(one(Op::CumSum { axis: 0, reverse: true }, &[&bits]).is_err());
}

#[test]
fn what_fills_up_a_shift_is_of_its_element() {
    let column = typed(Element::int(8), vec![Extent::rows(DimId(0))], 2, 5);
    let shift = |by, fill| {
        one(Op::Shift { axis: 0, by, fill }, &[&column])
            .map(|ty| (ty.interval.low, ty.interval.high))
    };
    assert_eq!(shift(3, -1), Ok((-1, 5)));
    assert_eq!(shift(0, -1), Ok((2, 5)));
    assert!(shift(1, 128).unwrap_err().contains("no value"));
    let wrong = one(Op::Shift { axis: 1, by: 1, fill: 0 }, &[&column]);
    assert!(wrong.unwrap_err().contains("axis 1"));
}

#[test]
fn what_is_turned_round_keeps_its_type() {
    let column = typed(Element::int(8), vec![Extent::rows(DimId(0))], 2, 5);
    assert_eq!(one(Op::Flip { axis: 0 }, &[&column]), Ok(column.clone()));
    assert!(one(Op::Flip { axis: 1 }, &[&column]).unwrap_err().contains("axis 1"));
}

#[test]
fn places_along_an_axis_are_public_and_within_it() {
    let some = [Dim { name: "n".into(), min: 10, max: 1000 }];
    let column = |length: Extent| typed(Element::int(16), vec![length], -7, 7);
    let at = |high| Type { visibility: Visibility::Public, ..ty(Element::int(64), 0, high) };
    let slice = |array: &Type, at: &Type| {
        let types = infer(&Op::SliceAt { axis: 0, length: 4 }, &[array, at], &some, None)?;
        Ok::<_, String>(types[0].clone())
    };
    let rows = column(Extent::rows(DimId(0)));
    assert_eq!(slice(&rows, &at(6)), Ok(column(4.into())));
    assert!(slice(&rows, &at(7)).unwrap_err().contains("the place must lie in [0, 6]"));
    assert!(slice(&column(9.into()), &at(5)).is_ok() && slice(&column(9.into()), &at(6)).is_err());
    assert!(slice(&column(3.into()), &at(0)).is_err());
    let hidden = ty(Element::int(64), 0, 0);
    assert!(slice(&rows, &hidden).unwrap_err().contains("must be public"));
    let update = |part: &Type, at: &Type| {
        let types = infer(&Op::UpdateAt { axis: 0 }, &[&rows, part, at], &some, None)?;
        Ok::<_, String>(types[0].clone())
    };
    let part = typed(Element::int(16), vec![4.into()], 0, 9);
    let joint = typed(Element::int(16), rows.shape.clone(), -7, 9);
    assert_eq!(update(&part, &at(6)), Ok(joint));
    assert!(update(&part, &at(7)).is_err() && update(&rows, &at(0)).is_err());
    let other = typed(Element::int(8), vec![4.into()], 0, 9);
    assert!(update(&other, &at(6)).unwrap_err().contains("cast"));
}
