//! Windows.

use super::*;
use crate::plan::{Call, Frame, Ranged};

fn window(partition: &[usize], by: Vec<OrderKey>, calls: &[(Ranged, Option<usize>)]) -> Plan {
    let input = scan(0, integers(3));
    let kind = |(function, column): &(Ranged, Option<usize>)| match (function, column) {
        (Ranged::Aggregate(Function::Mean, _), _) => FIXED,
        (Ranged::Shift(_), None) => Kind::Bit,
        _ => INTEGER,
    };
    let kinds: Vec<Kind> = calls.iter().map(kind).collect();
    let columns = input.fields.iter().cloned().chain(fields(&kinds)).collect();
    let call = |(function, column): &(Ranged, Option<usize>)| Call {
        function: *function,
        column: *column,
        span: span(),
    };
    let calls = calls.iter().map(call).collect();
    let partition = partition.to_vec();
    plan(Node::Window { input: Box::new(input), partition, by, calls }, columns)
}

/// Partitions, an order with peers, and values; in canonical order.
fn sample() -> Rows {
    rows(&[
        [Some(1), Some(5), Some(-2)],
        [Some(1), Some(5), Some(7)],
        [Some(1), Some(8), None],
        [Some(1), None, Some(4)],
        [None, Some(3), None],
        [None, Some(3), Some(9)],
    ])
}

/// What is computed for each row of the sample.
fn computed(partition: &[usize], by: Vec<OrderKey>, call: (Ranged, Option<usize>)) -> Vec<Cell> {
    // Nulls last, as the sample has them but for its last two rows.
    let found = table(&window(partition, by, &[call]), &[sample()]);
    let place = |row: &[Cell]| {
        let same = |other: &Vec<Cell>| other[..3] == row[..3];
        found.iter().position(same).expect("the row")
    };
    sample().rows.iter().map(|row| found[place(row)][3]).collect()
}

const BY: OrderKey = OrderKey { column: 1, descending: false, nulls_first: false };
const DOWN: OrderKey = OrderKey { column: 1, descending: true, nulls_first: true };

#[test]
fn numbers_of_rows_and_of_peers() {
    let of = |by, function| computed(&[0], vec![by], (function, None));
    assert_eq!(of(BY, Ranged::Number), [1, 2, 3, 4, 2, 1].map(Some));
    assert_eq!(of(BY, Ranged::Rank), [1, 1, 3, 4, 1, 1].map(Some));
    assert_eq!(of(BY, Ranged::DenseRank), [1, 1, 2, 3, 1, 1].map(Some));
    assert_eq!(of(DOWN, Ranged::Number), [3, 4, 2, 1, 2, 1].map(Some));
    assert_eq!(of(DOWN, Ranged::Rank), [3, 3, 2, 1, 1, 1].map(Some));
    assert_eq!(of(DOWN, Ranged::DenseRank), [3, 3, 2, 1, 1, 1].map(Some));
}

#[test]
fn other_rows_of_a_partition() {
    let of = |function| computed(&[0], vec![BY], (function, Some(2)));
    assert_eq!(of(Ranged::Shift(-1)), [None, Some(-2), Some(7), None, Some(9), None]);
    assert_eq!(of(Ranged::Shift(2)), [None, Some(4), None, None, None, None]);
    let is_there = computed(&[0], vec![BY], (Ranged::Shift(2), None));
    assert_eq!(is_there, [1, 1, 0, 0, 0, 0].map(Some));
    assert_eq!(of(Ranged::First), [Some(-2), Some(-2), Some(-2), Some(-2), Some(9), Some(9)]);
    assert_eq!(of(Ranged::Last(Frame::Peers)), [Some(7), Some(7), None, Some(4), None, None]);
    assert_eq!(of(Ranged::Last(Frame::Whole)), [Some(4), Some(4), Some(4), Some(4), None, None]);
}

#[test]
fn aggregates_of_frames() {
    let of =
        |function, frame| computed(&[0], vec![BY], (Ranged::Aggregate(function, frame), Some(2)));
    let sum = |frame| of(Function::Sum, frame);
    assert_eq!(sum(Frame::Whole), [9, 9, 9, 9, 9, 9].map(Some));
    assert_eq!(sum(Frame::Peers), [5, 5, 5, 9, 9, 9].map(Some));
    assert_eq!(sum(Frame::Rows), [-2, 5, 5, 9, 9, 9].map(Some));
    assert_eq!(sum(Frame::Last(1)), [-2, 5, 7, 4, 9, 9].map(Some));
    assert_eq!(sum(Frame::Last(0)), [Some(-2), Some(7), None, Some(4), None, Some(9)]);
    assert_eq!(of(Function::Count, Frame::Rows), [1, 2, 2, 3, 1, 1].map(Some));
    assert_eq!(of(Function::Min, Frame::Peers), [-2, -2, -2, -2, 9, 9].map(Some));
    // Sixteenths: 5 / 2.
    assert_eq!(of(Function::Mean, Frame::Rows)[1], Some(40));
    let all = computed(&[], Vec::new(), (Ranged::Aggregate(Function::Count, Frame::Whole), None));
    assert_eq!(all, [6; 6].map(Some));
}

#[test]
fn windows_that_are_none() {
    let wrong =
        |partition: &[usize], by, call| mistake(&window(partition, vec![by], &[call]), &[sample()]);
    let number = (Ranged::Number, None);
    assert!(wrong(&[3], BY, number).contains("no such column"));
    assert!(wrong(&[0], key(3, false, false), number).contains("not there"));
    assert!(wrong(&[0], BY, (Ranged::Number, Some(1))).contains("of such a column"));
    assert!(wrong(&[0], BY, (Ranged::First, None)).contains("of such a column"));
    let least = Ranged::Aggregate(Function::Min, Frame::Last(2));
    assert!(wrong(&[0], BY, (least, Some(1))).contains("no such frame"));
    assert_eq!(table(&window(&[0], vec![BY], &[number]), &[Rows::new(3)]), Vec::<Vec<Cell>>::new());
}
