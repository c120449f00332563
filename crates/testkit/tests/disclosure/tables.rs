//! Tables of two parties: of as many rows each time, with other values.

use tacit_query::{Catalog, Column, Rows, Table};
use tacit_ring::entropy::Rng;

/// The tables.
pub const TABLES: &str = "
CREATE TABLE alice.sales (
    person INT CHECK (person BETWEEN 0 AND 11),
    shop ENUM ('Bern', 'Genf', 'Zug'),
    cost INT CHECK (cost BETWEEN -50 AND 50),
    day DATE CHECK (day BETWEEN '2023-01-01' AND '2024-12-31'),
    paid BOOLEAN,
    name TEXT
) WITH (max_rows = 8);
CREATE TABLE bob.sales (LIKE alice.sales);
CREATE TABLE bob.people (
    id INT NOT NULL UNIQUE CHECK (id BETWEEN 0 AND 11),
    age INT CHECK (age BETWEEN 0 AND 100),
    name TEXT UNIQUE
) WITH (max_rows = 8);
CREATE TABLE bob.cards (
    person INT NOT NULL CHECK (person BETWEEN 0 AND 11),
    points INT NOT NULL CHECK (points BETWEEN 0 AND 9)
) WITH (max_rows = 8);
GRANT SELECT ON result TO alice, bob;
";

/// How many rows each table has.
const ROWS: [u64; 4] = [7, 6, 5, 6];

/// What is in all columns that may hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Nothing: all that may be null is, so that no row matches another.
    Null,
    /// The greatest value: all rows are alike, and match wherever one can.
    Greatest,
    /// Anything.
    Random(u64),
}

/// What tables of a catalog hold.
pub fn tables(catalog: &Catalog, values: Values) -> Vec<Rows> {
    let mut rng = Rng(match values {
        Values::Random(seed) => seed,
        _ => 0,
    });
    catalog.tables.iter().zip(ROWS).map(|(of, count)| rows(of, values, count, &mut rng)).collect()
}

fn rows(table: &Table, values: Values, count: u64, rng: &mut Rng) -> Rows {
    let mut rows = Rows::new(table.columns.len());
    for row in 0..i128::from(count) {
        let cells = table.columns.iter().enumerate().map(|(number, column)| {
            let each_once = table.unique.contains(&vec![number]);
            // No more than two cards of one person.
            let step = if each_once { row } else { row / 2 };
            let differ = each_once || (&*table.name, &*column.name) == ("cards", "person");
            cell(column, values, differ.then_some(step), rng)
        });
        rows.rows.push(cells.collect());
    }
    rows
}

/// A value of a column, of all those that have the same number of a step and, if they have one, no other.
fn cell(column: &Column, values: Values, step: Option<i128>, rng: &mut Rng) -> Option<i128> {
    let (low, high) = (*column.range.start(), *column.range.end());
    match values {
        Values::Null => (!column.nullable).then_some(low + step.unwrap_or(0)),
        Values::Greatest => Some(high - step.unwrap_or(0)),
        Values::Random(_) if column.nullable && rng.below(4) == 0 => None,
        Values::Random(seed) => Some(match step {
            // A prime that divides no number of values.
            Some(step) => low + (i128::from(seed % 7) + 7 * step) % (high - low + 1),
            None => low + i128::from(rng.word() >> 1) % (high - low + 1),
        }),
    }
}
