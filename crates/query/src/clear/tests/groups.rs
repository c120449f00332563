//! Groups and aggregates.

use super::*;
use crate::plan::Quantile;
use Function::{Count, Max, Mean, Min, Sum};

#[test]
fn aggregates_of_groups_with_null_keys() {
    let table = rows(&[
        [Some(1), Some(-3)],
        [None, Some(4)],
        [Some(1), None],
        [Some(1), Some(-3)],
        [None, None],
        [Some(0), None],
        [Some(1), Some(2)],
    ]);
    let aggregates = [
        (Count, None, false),
        (Count, Some(1), false),
        (Count, Some(1), true),
        (Sum, Some(1), false),
        (Sum, Some(1), true),
        (Mean, Some(1), false),
        (Min, Some(1), false),
        (Max, Some(1), false),
    ];
    let found = super::table(&group(scan(0, integers(2)), &[0], &aggregates), &[table]);
    let wanted = [
        [Some(0), Some(1), Some(0), Some(0), None, None, None, None, None],
        // The mean of -4 / 3 is -21.33 sixteenths.
        [Some(1), Some(4), Some(3), Some(2), Some(-4), Some(-1), Some(-22), Some(-3), Some(2)],
        [None, Some(2), Some(1), Some(1), Some(4), Some(4), Some(64), Some(4), Some(4)],
    ];
    assert_eq!(found, wanted.map(|row| row.to_vec()));
}

/// The definitions: of 2, 4, 5 and 9, and of nothing.
#[test]
fn quantiles_take_a_value_or_lie_between_two() {
    let at = |numerator: u128, denominator: u128, between: bool| {
        let quantile = Quantile::new(numerator, denominator, between).expect("a fraction");
        (Function::Quantile(quantile), Some(0), false)
    };
    let of = |table: &Rows, calls: &[_]| {
        self::table(&group(scan(0, integers(1)), &[], calls), std::slice::from_ref(table)).remove(0)
    };
    let table = rows(&[[Some(5)], [None], [Some(2)], [Some(9)], [Some(4)]]);
    let taken = [(0, 1), (1, 4), (26, 100), (1, 2), (51, 100), (3, 4), (76, 100), (1, 1)];
    let taken = taken.map(|(a, b)| at(a, b, false));
    assert_eq!(of(&table, &taken), [2, 2, 4, 4, 5, 5, 9, 9].map(Some));
    // Sixteenths of 2, 4.5, 4 + 1/8, 2 + 2 * 3/10, 5 + 4 * 7/10 and 9.
    let between = [(0, 1), (1, 2), (3, 8), (1, 10), (9, 10), (1, 1)];
    let between = between.map(|(a, b)| at(a, b, true));
    assert_eq!(of(&table, &between), [32, 72, 66, 41, 124, 144].map(Some));
    let negative = rows(&[[Some(-1)], [Some(-2)]]);
    assert_eq!(of(&negative, &[at(1, 3, true)]), [Some(-27)]);
    let nulls = rows(&[[None], [None]]);
    assert_eq!(of(&nulls, &[at(1, 2, false), at(1, 2, true)]), [None, None]);
    assert_eq!(Quantile::new(3, 2, true), None);
    assert_eq!(Quantile::new(1, 0, true), None);
    assert_eq!(Quantile::new(1, 1_000_001, true), None);
    assert_eq!(Quantile::new(0, 40, true).map(|it| it.denominator), Some(1));
    let dates = group(scan(0, fields(&[Kind::Date])), &[], &[at(1, 2, true)]);
    assert!(mistake(&dates, &[nulls]).contains("between"));
}

#[test]
fn no_rows_are_no_groups_but_one_total() {
    let aggregates = [
        (Count, None, false),
        (Count, Some(0), false),
        (Sum, Some(0), false),
        (Mean, Some(0), false),
    ];
    let none = rows::<1>(&[]);
    assert!(
        table(&group(scan(0, integers(1)), &[0], &aggregates), std::slice::from_ref(&none))
            .is_empty()
    );
    let total = [vec![Some(0), Some(0), None, None]];
    assert_eq!(table(&group(scan(0, integers(1)), &[], &aggregates), &[none]), total);
    let nulls = rows(&[[None], [None]]);
    let total = [vec![Some(2), Some(0), None, None]];
    assert_eq!(table(&group(scan(0, integers(1)), &[], &aggregates), &[nulls]), total);
}

#[test]
fn groups_without_aggregates_are_distinct_rows() {
    let table =
        rows(&[[Some(1), None], [Some(2), Some(1)], [Some(1), None], [None, None], [None, None]]);
    let found = super::table(&group(scan(0, integers(2)), &[0, 1], &[]), &[table]);
    assert_eq!(found, [vec![Some(1), None], vec![Some(2), Some(1)], vec![None, None]]);
}

#[test]
fn means_are_rounded_down() {
    let mean = |kind: Kind, values: &[i128]| {
        let rows: Vec<[Cell; 1]> = values.iter().map(|value| [Some(*value)]).collect();
        table(
            &group(scan(0, fields(&[kind])), &[], &[(Mean, Some(0), false)]),
            &[super::rows(&rows)],
        )[0][0]
    };
    // 0.01 and -0.01 are 0.16 sixteenths; 1.25 / 2 is 10 sixteenths.
    assert_eq!(mean(MONEY, &[1]), Some(0));
    assert_eq!(mean(MONEY, &[-1]), Some(-1));
    assert_eq!(mean(MONEY, &[100, 25]), Some(10));
    assert_eq!(mean(FIXED, &[1, 2]), Some(1));
    assert_eq!(mean(FIXED, &[-1, -2]), Some(-2));
    assert_eq!(mean(Kind::Fixed { fraction: 2 }, &[1, 2]), Some(6));
}

#[test]
fn extremes_of_all_that_is_ordered() {
    for kind in [Kind::Bit, Kind::Date, colours(), MONEY] {
        let table = rows(&[[Some(1)], [None], [Some(0)], [Some(1)]]);
        let plan =
            group(scan(0, fields(&[kind])), &[], &[(Min, Some(0), false), (Max, Some(0), false)]);
        assert_eq!(super::table(&plan, &[table]), [vec![Some(0), Some(1)]]);
    }
}

#[test]
fn what_cannot_be_aggregated() {
    let table = rows(&[[Some(1)]]);
    for (function, column, distinct, kind) in [
        (Sum, Some(0), false, Kind::Bit),
        (Mean, Some(0), false, Kind::Date),
        (Sum, None, false, INTEGER),
        (Count, None, true, INTEGER),
    ] {
        let plan = group(scan(0, fields(&[kind])), &[], &[(function, column, distinct)]);
        assert!(mistake(&plan, std::slice::from_ref(&table)).contains("this cannot be computed"));
    }
    let large = rows(&[[Some(i128::MAX)], [Some(1)]]);
    let plan = group(scan(0, integers(1)), &[], &[(Sum, Some(0), false)]);
    assert_eq!(mistake(&plan, &[large]), "q.sql:3:7: a number becomes larger than 128 bits here");
    assert!(mistake(&group_of_missing(), &[table]).contains("there is no such column"));
}

fn group_of_missing() -> Plan {
    let node = Node::Group {
        input: Box::new(scan(0, integers(1))),
        keys: vec![1],
        aggregates: Vec::new(),
    };
    plan(node, integers(1))
}
