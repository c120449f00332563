//! Random queries with tables: for tests, behind the feature `random`.
//!
//! A [`Case`] is a catalog, tables that obey it, and SQL that the binder takes and DuckDB understands. All follows from a seed. Numbers
//! stay small. Where DuckDB and plans differ by design, no query goes:
//!
//! - results in fixed point are in columns of the outermost `SELECT` only, without `DISTINCT` and `LIMIT`, since nearly equal numbers
//!   may be equal there; what is divided are integers, which fixed point holds exactly, and quantiles between values are of integers;
//! - `NOT IN` takes values only that are never null: else it is no anti join;
//! - categories meet texts only where the order of their list is the alphabet's, since DuckDB compares them as texts then;
//! - `LIMIT` has an order by all columns.

mod data;
mod expr;
mod parts;
mod rng;
mod select;
mod window;

#[cfg(test)]
mod tests;

use crate::catalog::{Catalog, Table};
use crate::clear;
use crate::rows::Rows;
use crate::sql::{self, Settings};
use rng::Rng;
use tacit_program::Program;

/// A random query with its tables.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it all follows from.
    pub seed: u64,
    /// The tables' columns.
    pub catalog: Catalog,
    /// The tables, by number in the catalog.
    pub tables: Vec<Rows>,
    /// The query. It names tables as `party.table`, or `table` for the tables of that name of all parties.
    pub sql: String,
    /// The most rows that a row matches in a join without a unique side: no less will do.
    pub max_matches: Option<u64>,
    /// Whether the query orders its rows by all of their columns.
    pub ordered: bool,
}

/// The most rows of a table that rows are joined with by no unique key.
const MOST_MATCHES: u64 = data::MOST_ROWS;

/// The query of a seed.
#[must_use]
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let mut catalog = data::catalog(&mut rng);
    let tables = data::tables(&mut rng, &catalog);
    let (sql, ordered) = select::query(&mut rng, &catalog);
    // Some tables have a few rows at least.
    for (table, rows) in catalog.tables.iter_mut().zip(&tables) {
        let least = if rng.chance(30) { (rows.rows.len() as u64).min(4) } else { 0 };
        table.rows = least..=*table.rows.end();
    }
    let answered = |matches: &u64| {
        let settings = Settings { max_matches: Some(*matches), ..Settings::default() };
        let query = sql::bind("random.sql", &sql, &mut catalog.clone(), &settings);
        query.is_ok_and(|query| clear::evaluate(&query, &catalog, &tables).is_ok())
    };
    let max_matches = (1..=MOST_MATCHES).find(answered);
    Case { seed, catalog, tables, sql, max_matches, ordered }
}

/// Raw values of the inputs of a program that a query was lowered to, from tables of its catalog. Where a value is null, its input has
/// the least one.
///
/// # Panics
/// If the program is of another query.
#[must_use]
pub fn inputs(program: &Program, catalog: &Catalog, tables: &[Rows]) -> Vec<(String, Vec<i128>)> {
    let value = |name: &str, least: i128| {
        let (of, known) = name.strip_suffix(".known").map_or((name, false), |of| (of, true));
        let column = |table: &Table| {
            let short = of.strip_prefix(&format!("{}.", table.full_name()))?.to_owned();
            table.columns.iter().position(|column| column.name == short)
        };
        let found = catalog
            .tables
            .iter()
            .zip(tables)
            .find_map(|(table, rows)| Some((column(table)?, rows)));
        let (column, rows) = found.expect("a column of the input");
        let raw = rows.rows.iter().map(|row| match known {
            true => i128::from(row[column].is_some()),
            false => row[column].unwrap_or(least),
        });
        raw.collect()
    };
    let inputs = program.inputs().map(|(node, name, _)| {
        let least = program.body.nodes[node as usize].types[0].interval.low;
        (name.to_owned(), value(name, least))
    });
    inputs.collect()
}
