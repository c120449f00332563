//! Operators.

use super::*;

fn keys() -> Rows {
    rows(&[
        [Some(1), Some(10)],
        [None, Some(20)],
        [Some(2), Some(30)],
        [Some(1), Some(40)],
        [Some(3), None],
    ])
}

fn lookup() -> Rows {
    rows(&[
        [Some(1), Some(-1)],
        [None, Some(-2)],
        [Some(3), Some(-3)],
        [None, Some(-4)],
        [Some(9), None],
    ])
}

fn join(outer: bool) -> Plan {
    let [left, right] = [0, 1].map(|table| Box::new(scan(table, integers(2))));
    plan(Node::Join { left, right, on: vec![(0, 0)], outer, matches: 1 }, integers(4))
}

fn matching(anti: bool) -> Plan {
    let [left, right] = [0, 1].map(|table| Box::new(scan(table, integers(2))));
    plan(Node::Match { left, right, on: vec![(0, 0)], anti }, integers(2))
}

#[test]
fn unions_keep_all_rows() {
    let inputs = vec![scan(0, integers(1)), scan(1, integers(1)), scan(0, integers(1))];
    let union = plan(Node::Union(inputs), integers(1));
    let tables = [rows(&[[Some(2)], [None]]), rows::<1>(&[])];
    assert_eq!(table(&union, &tables), [vec![Some(2)], vec![Some(2)], vec![None], vec![None]]);
}

#[test]
fn filters_keep_what_is_true() {
    let condition = binary(Operator::Less, column(0), int(2), Kind::Bit);
    let plan = filter(scan(0, integers(2)), condition);
    assert_eq!(table(&plan, &[keys()]), [vec![Some(1), Some(10)], vec![Some(1), Some(40)]]);
    assert!(table(&plan, &[rows::<2>(&[])]).is_empty());
    assert!(table(&filter(scan(0, integers(2)), bit(None)), &[keys()]).is_empty());
    assert!(mistake(&filter(scan(0, integers(2)), int(1)), &[keys()]).contains("malformed"));
}

#[test]
fn projections_are_row_by_row() {
    let plan = project(
        scan(0, integers(2)),
        vec![column(1), binary(Operator::Add, column(0), column(1), INTEGER)],
    );
    let wanted = [
        [Some(10), Some(11)],
        [Some(20), None],
        [Some(30), Some(32)],
        [Some(40), Some(41)],
        [None, None],
    ];
    assert_eq!(table(&plan, &[keys()]), wanted.map(|row| row.to_vec()));
    assert!(
        mistake(&project(scan(0, integers(2)), vec![column(2)]), &[keys()])
            .contains("no such column")
    );
}

#[test]
fn inner_and_outer_joins() {
    let both = [
        [Some(1), Some(10), Some(1), Some(-1)],
        [Some(1), Some(40), Some(1), Some(-1)],
        [Some(3), None, Some(3), Some(-3)],
    ];
    assert_eq!(table(&join(false), &[keys(), lookup()]), both.map(|row| row.to_vec()));
    let mut outer = both.map(|row| row.to_vec()).to_vec();
    outer.insert(2, vec![Some(2), Some(30), None, None]);
    outer.push(vec![None, Some(20), None, None]);
    assert_eq!(table(&join(true), &[keys(), lookup()]), outer);
    let nothing = rows::<2>(&[]);
    assert!(table(&join(false), &[keys(), nothing.clone()]).is_empty());
    assert_eq!(table(&join(true), &[keys(), nothing.clone()]).len(), 5);
    assert!(table(&join(true), &[nothing, lookup()]).is_empty());
}

#[test]
fn keys_on_the_right_are_there_once() {
    let what = "q.sql:3:7: the rows of the right side of this join do not have each key once";
    // Also where no row on the left has the key.
    let twice = rows(&[[Some(9), Some(1)], [Some(9), Some(2)]]);
    assert_eq!(mistake(&join(false), &[keys(), twice.clone()]), what);
    assert_eq!(mistake(&join(true), &[rows::<2>(&[]), twice.clone()]), what);
    assert!(table(&matching(false), &[keys(), twice]).is_empty());
}

#[test]
fn joins_by_several_keys() {
    let [left, right] = [0, 1].map(|table| Box::new(scan(table, integers(2))));
    let join = plan(
        Node::Join { left, right, on: vec![(0, 1), (1, 0)], outer: false, matches: 1 },
        integers(4),
    );
    let left = rows(&[[Some(1), Some(2)], [Some(1), None], [None, Some(2)]]);
    let right = rows(&[[Some(2), Some(1)], [Some(2), None], [None, Some(1)], [None, Some(1)]]);
    assert_eq!(table(&join, &[left, right]), [vec![Some(1), Some(2), Some(2), Some(1)]]);
}

#[test]
fn joins_by_no_keys_take_the_only_row() {
    let [left, right] = [0, 1].map(|table| Box::new(scan(table, integers(1))));
    let join =
        plan(Node::Join { left, right, on: Vec::new(), outer: true, matches: 1 }, integers(2));
    let left = rows(&[[Some(1)], [None]]);
    let one = rows(&[[None]]);
    assert_eq!(table(&join, &[left.clone(), one]), [vec![Some(1), None], vec![None, None]]);
    assert!(mistake(&join, &[left.clone(), left]).contains("do not have each key once"));
}

#[test]
fn semi_and_anti_joins() {
    let semi = [vec![Some(1), Some(10)], vec![Some(1), Some(40)], vec![Some(3), None]];
    assert_eq!(table(&matching(false), &[keys(), lookup()]), semi);
    // Null is equal to nothing: its row stays.
    let anti = [vec![Some(2), Some(30)], vec![None, Some(20)]];
    assert_eq!(table(&matching(true), &[keys(), lookup()]), anti);
    assert_eq!(table(&matching(true), &[keys(), rows::<2>(&[])]).len(), 5);
    assert!(table(&matching(false), &[keys(), rows(&[[None, None]])]).is_empty());
}

#[test]
fn first_rows_with_ties() {
    let ties = rows(&[
        [Some(1), None],
        [Some(2), Some(5)],
        [Some(1), Some(7)],
        [None, Some(1)],
        [Some(1), Some(3)],
    ]);
    let take = |by: Vec<OrderKey>, count: u64| {
        table(&first(scan(0, integers(2)), by, count), std::slice::from_ref(&ties))
    };
    let ones = [vec![Some(1), Some(3)], vec![Some(1), Some(7)]];
    assert_eq!(take(vec![key(0, false, false)], 2), ones);
    assert_eq!(take(Vec::new(), 2), ones);
    assert_eq!(take(vec![key(0, true, true)], 1), [vec![None, Some(1)]]);
    assert_eq!(take(vec![key(0, true, false)], 1), [vec![Some(2), Some(5)]]);
    assert_eq!(take(vec![key(0, false, true)], 1), [vec![None, Some(1)]]);
    // Ties are broken ascending, nulls last, also under a descending order.
    let last = [vec![Some(1), Some(3)], vec![Some(2), Some(5)]];
    assert_eq!(take(vec![key(0, true, false)], 2), last);
    assert!(take(Vec::new(), 0).is_empty());
    assert_eq!(take(Vec::new(), 99).len(), 5);
    assert!(
        mistake(&first(scan(0, integers(2)), vec![key(2, false, false)], 1), &[ties])
            .contains("ordered by")
    );
}

#[test]
fn plans_that_contradict_themselves() {
    let pair = [rows(&[[None]]), rows(&[[Some(1)]])];
    let mut never = integers(1);
    never[0].nullable = false;
    let what = "q.sql:3:7: malformed plan: its rows are not what its columns say";
    assert_eq!(mistake(&scan(0, never), &pair), what);
    assert_eq!(mistake(&scan(0, integers(2)), &pair), what);
    assert!(mistake(&scan(2, integers(1)), &pair).contains("there is no such table"));
    let union = plan(Node::Union(vec![scan(0, integers(1))]), fields(&[MONEY]));
    assert!(mistake(&union, &pair).contains("its columns are not those of its operator"));
    let [left, right] = [integers(1), fields(&[MONEY])].map(|fields| Box::new(scan(0, fields)));
    let node = Node::Match { left, right, on: vec![(0, 0)], anti: false };
    assert!(mistake(&plan(node, integers(1)), &pair).contains("keys of a join are of two kinds"));
}
