//! Random catalogs, and tables that obey them.
//!
//! There is a table `t`, of one to three parties, and where these are less than three often a table `u` of one party whose keys are
//! unique. Both have the columns of these keys, so that they can be joined.

use super::rng::Rng;
use crate::catalog::{Catalog, Column, Table};
use crate::kind::{INTEGER, Kind};
use crate::rows::{Cell, Rows};
use std::sync::Arc;
use tacit_program::Domain;
use tacit_program::domain::{Members, TEXTS};

/// The most rows of a table.
pub(super) const MOST_ROWS: u64 = 12;
const PARTIES: [&str; 3] = ["alice", "bob", "carol"];

/// The names of a domain: of the first one in alphabetical order.
pub(super) const DOMAINS: [(&str, &[&str]); 2] =
    [("colour", &["amber", "blue", "coral"]), ("size", &["small", "medium", "large", "huge"])];

fn category(number: usize) -> Kind {
    let (name, members) = DOMAINS[number];
    let members = members.iter().map(|member| (*member).to_owned()).collect();
    Kind::Category(Arc::new(Domain { name: name.to_owned(), members: Members::Names(members) }))
}

fn column(rng: &mut Rng, name: String, kind: Kind) -> Column {
    let range = match &kind {
        Kind::Bit => 0..=1,
        Kind::Decimal { scale: 0 } => {
            let low = *rng.pick(&[-20, -7, -3, -1, 0, 0, 0, 1]);
            let size = *rng.pick(&[1, 3, 3, 6, 12]);
            low..=low + size
        }
        Kind::Decimal { .. } | Kind::Fixed { .. } => -500..=*rng.pick(&[0, 500, 1000]),
        // From November 2019 on, to February or December 2020: with a leap day.
        Kind::Date => 18_201..=*rng.pick(&[18_320, 18_627]),
        Kind::Text => TEXTS.low..=TEXTS.high,
        Kind::Category(domain) => 0..=i128::from(domain.len()) - 1,
    };
    Column::new(&name, kind, range, rng.chance(40))
}

/// A random catalog.
pub(super) fn catalog(rng: &mut Rng) -> Catalog {
    let parties = 1 + rng.below(3);
    let keys = match rng.below(6) {
        0 => vec![category(0)],
        1 => vec![Kind::Date],
        2 => vec![INTEGER, Kind::Bit],
        _ => vec![INTEGER],
    };
    let t = columns(rng, &keys);
    let parts = 1 + rng.below(parties);
    let mut tables: Vec<Table> =
        PARTIES[..parts].iter().map(|owner| table(owner, "t", t.clone(), Vec::new())).collect();
    if parts < 3 && rng.chance(80) {
        let mut u = columns(rng, &keys);
        // Keys are of the same range, so that they meet.
        u.iter_mut().zip(&t).take(keys.len()).for_each(|(u, t)| u.range = t.range.clone());
        let owner = PARTIES[rng.below(parties)];
        tables.push(table(owner, "u", u, vec![(0..keys.len()).collect()]));
    }
    Catalog { tables, others: Vec::new() }
}

fn table(owner: &str, name: &str, columns: Vec<Column>, unique: Vec<Vec<usize>>) -> Table {
    let (owner, name) = (owner.to_owned(), name.to_owned());
    Table { owner, name, columns, rows: 0..=MOST_ROWS, there: None, unique }
}

/// The columns of keys, which are called `k0` and so on, and a few others.
fn columns(rng: &mut Rng, keys: &[Kind]) -> Vec<Column> {
    let numbered = keys.iter().enumerate();
    let mut columns: Vec<Column> =
        numbered.map(|(number, kind)| column(rng, format!("k{number}"), kind.clone())).collect();
    for number in 0..2 + rng.below(4) {
        let (letter, kind) = match rng.below(9) {
            0..=2 => ('n', INTEGER),
            3 | 4 => ('p', Kind::Decimal { scale: 2 }),
            5 => ('b', Kind::Bit),
            6 => ('d', Kind::Date),
            7 => ('c', category(0)),
            _ => ('s', category(1)),
        };
        columns.push(column(rng, format!("{letter}{number}"), kind));
    }
    columns
}

/// Random tables that obey a catalog.
pub(super) fn tables(rng: &mut Rng, catalog: &Catalog) -> Vec<Rows> {
    catalog.tables.iter().map(|table| rows(rng, table)).collect()
}

fn rows(rng: &mut Rng, table: &Table) -> Rows {
    let mut rows = Rows::new(table.columns.len());
    // Sometimes none.
    let count = if rng.chance(8) { 0 } else { rng.of(3..=i128::from(MOST_ROWS)) };
    for _ in 0..count {
        let row: Vec<Cell> = table.columns.iter().map(|column| cell(rng, column)).collect();
        let clashes = |columns: &Vec<usize>| {
            rows.rows
                .iter()
                .any(|other| columns.iter().all(|it| row[*it].is_some() && other[*it] == row[*it]))
        };
        if !table.unique.iter().any(clashes) {
            rows.rows.push(row);
        }
    }
    rows
}

fn cell(rng: &mut Rng, column: &Column) -> Cell {
    if column.nullable && rng.chance(25) {
        return None;
    }
    let (low, high) = (*column.range.start(), *column.range.end());
    let some = [low, high, 0, low + 1, low + (high - low) / 3];
    Some(match rng.below(2) {
        0 => (*rng.pick(&some)).clamp(low, high),
        _ => rng.of(low..=high),
    })
}
