//! What the vectors from NumPy do not have.

use super::*;
use crate::clear::OpError;
use crate::ir::MOST_BITS;
use std::sync::Arc;
use tacit_circuit::Circuit;

fn fixed(bits: u8, fraction: u8) -> Element {
    Element::Fixed { bits, fraction }
}

#[test]
fn arrays_keep_every_value_of_their_element() {
    for element in [Element::Bit, I8, U8, I64, U64, fixed(2, 1), fixed(64, 63)] {
        let Interval { low, high } = element.interval();
        let all = column(element, &[low, high, 0]);
        assert_eq!(all.values().collect::<Vec<_>>(), [low, high, 0]);
        assert_eq!(Array::new(element, vec![3], all.raw().to_vec()).as_ref(), Ok(&all));
        for outside in [low - 1, high + 1] {
            let error = OpError::Value { index: 1, element };
            assert_eq!(Array::from_values(element, vec![2], [0, outside]), Err(error));
        }
    }
    assert!(Array::new(I8, vec![2], vec![1]).is_err());
    assert!(Array::new(I8, vec![usize::MAX, 2], vec![]).is_err());
    assert_eq!(
        Array::new(U8, vec![1], vec![-1]).unwrap_err(),
        OpError::Value { index: 0, element: U8 }
    );
}

#[test]
fn debug_shows_no_values() {
    assert_eq!(format!("{:?}", column(I8, &[77, 78])), "Array(i8[2])");
}

#[test]
fn constants_fill_their_shape() {
    assert_eq!(values(&Op::Constant(vec![7]), &[], result(I8, &[2, 2])), Ok(vec![7; 4]));
    assert_eq!(values(&Op::Constant(vec![1, 2]), &[], result(I8, &[2])), Ok(vec![1, 2]));
    assert_eq!(values(&Op::Constant(vec![7]), &[], result(I8, &[0])), Ok(vec![]));
    assert!(values(&Op::Constant(vec![1, 2]), &[], result(I8, &[3])).is_err());
}

#[test]
fn the_widest_products_and_quotients_are_exact() {
    let [low, high] = [i128::from(i64::MIN), i128::from(i64::MAX)];
    let a = column(I64, &[low, low, high, -1]);
    let b = column(I64, &[low, -1, -1, low]);
    assert_eq!(
        values(&Op::Div { bits: None }, &[&a, &b], result(U64, &[4])).unwrap()[..2],
        [1, 1 << 63]
    );
    let (mul, f) = (Op::Mul { wrap: false }, fixed(64, 62));
    let [a, b] = [column(f, &[low, high, 3]), column(f, &[1 << 62, high, -1])];
    let expected = [low, (high * high) >> 62, -1].map(|v| v as i64 as i128);
    assert_eq!(values(&mul, &[&a, &b], result(f, &[3])), Ok(expected.to_vec()));
    let product = values(&Op::MatMul, &[&a, &b], result(f, &[]));
    let sum = (low * (1 << 62) + high * high - 3) >> 62;
    assert_eq!(product, Ok(vec![sum as i64 as i128]));
}

#[test]
fn batches_of_matrices_are_multiplied_one_by_one() {
    let high = i128::from(i32::MAX);
    for (f, scale) in [(I64, 1), (fixed(64, 8), high)] {
        let [x, y] =
            [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [1, -1, 2, 0, 1, 3, 5, 7, 2, 1, 1, 4]];
        let a = array(f, &[2, 2, 3], &x.map(|v| v * scale));
        let b = array(f, &[2, 3, 2], &y.map(|v| v * scale));
        let places = if scale == 1 { 0 } else { 8 };
        let of = |batch: usize, i: usize, j: usize| {
            let terms = (0..3).map(|k| x[6 * batch + 3 * i + k] * y[6 * batch + 2 * k + j]);
            (terms.sum::<i128>() * scale * scale) >> places
        };
        let expected = [
            [0, 0, 0],
            [0, 0, 1],
            [0, 1, 0],
            [0, 1, 1],
            [1, 0, 0],
            [1, 0, 1],
            [1, 1, 0],
            [1, 1, 1],
        ];
        let expected = expected.map(|[batch, i, j]| of(batch, i, j)).to_vec();
        assert_eq!(values(&Op::MatMul, &[&a, &b], result(f, &[2, 2, 2])), Ok(expected));
    }
    let [a, b] = [array(I8, &[0, 2, 3], &[]), array(I8, &[0, 3, 2], &[])];
    assert_eq!(values(&Op::MatMul, &[&a, &b], result(I8, &[0, 2, 2])), Ok(vec![]));
    let wrong = array(I8, &[1, 3, 2], &[0; 6]);
    assert!(values(&Op::MatMul, &[&a, &wrong], result(I8, &[0, 2, 2])).is_err());
}

#[test]
fn products_over_an_axis_round_by_halves() {
    let f = fixed(32, 4);
    let raw = [17, 33, 19, 40, 21];
    let mul = |a: i128, b: i128| (a * b) >> 4;
    let expected = mul(mul(mul(17, 19), mul(33, 40)), 21);
    let product = Op::Product { axis: 0 };
    assert_eq!(values(&product, &[&column(f, &raw)], result(f, &[])), Ok(vec![expected]));
    assert_eq!(values(&product, &[&column(f, &[])], result(f, &[])), Ok(vec![16]));
    let two = array(f, &[2, 2], &[16, 32, 48, 8]);
    assert_eq!(values(&product, &[&two], result(f, &[2])), Ok(vec![48, 16]));
}

#[test]
fn the_least_of_nothing_is_an_end_of_the_range() {
    for (op, end) in [(Op::MinOver { axis: 0 }, 100), (Op::MaxOver { axis: 0 }, -7)] {
        let ty = || within(result(I8, &[]), -7, 100);
        assert_eq!(values(&op, &[&column(I8, &[])], ty()), Ok(vec![end]));
        assert_eq!(values(&op, &[&array(I8, &[0, 0], &[])], result(I8, &[0])), Ok(vec![]));
    }
}

#[test]
fn functions_saturate() {
    let f = fixed(64, 16);
    let x = column(f, &[i64::MIN.into(), -(1 << 22), 0, 1 << 22, i64::MAX.into()]);
    let top = 1 << 40;
    let ty = || within(result(f, &[5]), -100, top);
    assert_eq!(
        values(&Op::Exp { bits: MOST_BITS }, &[&x], ty()),
        Ok(vec![0, 0, 1 << 16, top, top])
    );
    // Cut off at e^30, the last integer power below 2^44.
    let cut = values(&Op::Exp { bits: MOST_BITS }, &[&x], result(f, &[5])).unwrap();
    assert_eq!(cut[3..], [700_348_798_174_787_151; 2]);
    assert_eq!(
        values(&Op::Sigmoid { bits: MOST_BITS }, &[&x], ty()),
        Ok(vec![0, 0, 1 << 15, 1 << 16, 1 << 16])
    );
    let log = values(&Op::Log { bits: MOST_BITS }, &[&x], ty()).unwrap();
    assert_eq!(log[..3], [-100; 3]);
    // 6 ln 2 and, nearly, 47 ln 2.
    assert_eq!(log[3..], [272_557, 2_135_026]);
}

#[test]
fn circuits_run_for_any_number_of_lanes() {
    let adder = Arc::new(sum_circuit());
    for lanes in [0usize, 1, 63, 64, 65, 200] {
        let a: Vec<i128> = (0..lanes as i128).map(|i| (i * 37) % 256 - 128).collect();
        let b: Vec<i128> = (0..lanes as i128).map(|i| (i * 91 + 5) % 256).collect();
        let op = Op::Circuit { name: "sum".into(), circuit: adder.clone() };
        let ty = result(I8, &[lanes as u64]);
        let sums = a.iter().zip(&b).map(|(a, b)| i128::from((a + b) as i8)).collect();
        assert_eq!(values(&op, &[&column(I8, &a), &column(U8, &b)], ty), Ok(sums));
    }
}

#[test]
fn circuits_refuse_operands_that_do_not_fit() {
    let op = Op::Circuit { name: "sum".into(), circuit: Arc::new(sum_circuit()) };
    let two = column(I8, &[1, 2]);
    let wide = column(Element::int(16), &[1, 2]);
    for operands in [&[&two][..], &[&two, &wide], &[&two, &column(I8, &[1])]] {
        assert!(values(&op, operands, result(I8, &[2])).is_err());
    }
    assert!(values(&op, &[&two, &two], result(I8, &[3])).is_err());
}

fn sum_circuit() -> Circuit {
    let mut builder = tacit_circuit::Builder::new();
    let (a, b) = (builder.input(8), builder.input(8));
    let mut carry = builder.constant(false);
    let mut sum = Vec::new();
    for (a, b) in a.into_iter().zip(b) {
        let differ = builder.xor(a, b);
        sum.push(builder.xor(differ, carry));
        carry = builder.mux(differ, carry, a);
    }
    builder.output(&sum);
    builder.finish()
}

#[test]
fn malformed_operations_are_refused() {
    let [a, b] = [column(I8, &[1, 2, 3]), column(I8, &[1, 2])];
    let add = Op::Add { wrap: false };
    let three = || result(I8, &[3]);
    let order = || vec![0, 1];
    for (op, operands) in [
        (add.clone(), &[&a, &b][..]),
        (add, &[&a]),
        (Op::Select, &[&a, &a]),
        (Op::Sum { axis: 1 }, &[&a]),
        (Op::MatMul, &[&a, &b]),
        (Op::Reshape, &[&b]),
        (Op::Slice { axis: 0, start: 1, step: 1 }, &[&a]),
        (Op::Slice { axis: 0, start: u64::MAX, step: u64::MAX }, &[&a]),
        (Op::Slice { axis: 2, start: 0, step: 1 }, &[&a]),
        (Op::Gather { axis: 0, indices: vec![0, 1, 3] }, &[&a]),
        (Op::Transpose { order: order() }, &[&a]),
        (Op::Broadcast, &[&b]),
        (Op::GroupCount { first: 0, groups: 3 }, &[&a, &b]),
        (Op::Sort { descending: false }, &[]),
        (Op::Parameter(0), &[]),
    ] {
        let error = values(&op, operands, three()).unwrap_err();
        assert!(matches!(error, ClearError::Op { error: OpError::Malformed(_), .. }), "{op:?}");
    }
    let huge = result(I64, &[1 << 40, 1 << 10]);
    let error = values(&Op::Constant(vec![0]), &[], huge).unwrap_err();
    assert!(matches!(error, ClearError::Op { error: OpError::TooLarge, .. }));
}

#[test]
fn prefix_sums_run_along_any_axis_both_ways() {
    let a = array(I8, &[2, 3], &[1, 2, 3, 10, 20, 30]);
    let sums = |axis, reverse| {
        values(&Op::CumSum { axis, reverse }, &[&a], result(I8, &[2, 3])).expect("sums")
    };
    assert_eq!(sums(0, false), [1, 2, 3, 11, 22, 33]);
    assert_eq!(sums(0, true), [11, 22, 33, 10, 20, 30]);
    assert_eq!(sums(1, false), [1, 3, 6, 10, 30, 60]);
    assert_eq!(sums(1, true), [6, 5, 3, 60, 50, 30]);
    for shape in [[0, 3], [2, 0]] {
        let none = array(I8, &shape, &[]);
        let ty = result(I8, &shape.map(|n| n as u64));
        assert_eq!(values(&Op::CumSum { axis: 0, reverse: false }, &[&none], ty), Ok(vec![]));
    }
}

#[test]
fn shifts_fill_up_what_there_is_none_of() {
    let a = array(I8, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let shift = |axis, by| {
        values(&Op::Shift { axis, by, fill: -9 }, &[&a], result(I8, &[2, 3])).expect("a shift")
    };
    assert_eq!(shift(1, 1), [-9, 1, 2, -9, 4, 5]);
    assert_eq!(shift(1, -2), [3, -9, -9, 6, -9, -9]);
    assert_eq!(shift(0, 1), [-9, -9, -9, 1, 2, 3]);
    assert_eq!(shift(0, 0), [1, 2, 3, 4, 5, 6]);
    for by in [i64::MIN, -3, 3, i64::MAX] {
        assert_eq!(shift(1, by), [-9; 6]);
    }
}

#[test]
fn an_axis_is_turned_round() {
    let a = array(I8, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let flip = |axis| values(&Op::Flip { axis }, &[&a], result(I8, &[2, 3]));
    assert_eq!(flip(0), Ok(vec![4, 5, 6, 1, 2, 3]));
    assert_eq!(flip(1), Ok(vec![3, 2, 1, 6, 5, 4]));
    let none = array(I8, &[0, 3], &[]);
    assert_eq!(values(&Op::Flip { axis: 0 }, &[&none], result(I8, &[0, 3])), Ok(vec![]));
}

#[test]
fn parts_are_taken_and_replaced_at_places() {
    let a = array(I8, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let at = |place| array(I64, &[], &[place]);
    let slice = |axis, length, place, shape: &[u64]| {
        values(&Op::SliceAt { axis, length }, &[&a, &at(place)], result(I8, shape))
    };
    assert_eq!(slice(1, 2, 1, &[2, 2]), Ok(vec![2, 3, 5, 6]));
    assert_eq!(slice(0, 1, 1, &[1, 3]), Ok(vec![4, 5, 6]));
    assert_eq!(slice(0, 0, 2, &[0, 3]), Ok(vec![]));
    assert!(slice(1, 2, 2, &[2, 2]).is_err() && slice(1, 2, -1, &[2, 2]).is_err());
    let part = array(I8, &[2, 1], &[-1, -2]);
    let update = |place| {
        let op = Op::UpdateAt { axis: 1 };
        values(&op, &[&a, &part, &at(place)], result(I8, &[2, 3]))
    };
    assert_eq!(update(0), Ok(vec![-1, 2, 3, -2, 5, 6]));
    assert_eq!(update(2), Ok(vec![1, 2, -1, 4, 5, -2]));
    assert!(update(3).is_err());
}

#[test]
fn a_check_that_fails_says_how_many_values_were_outside() {
    let check = Op::Check(Interval { low: -2, high: 5 });
    let ty = || within(result(I8, &[3]), -2, 5);
    assert_eq!(values(&check, &[&column(I8, &[5, -2, 0])], ty()), Ok(vec![5, -2, 0]));
    let error = values(&check, &[&column(I8, &[6, -3, 0])], ty()).unwrap_err();
    assert!(error.is_failed_check());
    assert_eq!(error.to_string(), "2 values left the range that is checked here");
}
