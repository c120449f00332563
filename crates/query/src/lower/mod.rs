//! Queries as programs.
//!
//! A table is columns of one length and a bit per row that says whether the row is there. Filters and joins change that
//! bit and move no row, so what a run does depends on the sizes of inputs alone. Rows are brought to the front where fewer
//! are needed: in groups, in `LIMIT`, and in what is shown.
//!
//! | module | what it lowers |
//! | --- | --- |
//! | `expr` | what is computed row by row |
//! | `frame` | tables under way: their columns, cut and put together |
//! | `keys` | columns as numbers that rows are ordered and compared by |
//! | `group`, `total`, `quantile`, `spread` | groups, and aggregates of all rows |
//! | `join` | joins |
//! | `window` | what is computed of partitions, for each of their rows |
//! | `shown` | what is revealed of the result |
//! | `hidden` | which groups of few rows it lacks |
//! | `columns` | queries whose rows a program goes on with |
//! | `steps` | which operator each operation is of |

mod columns;
mod dates;
mod expr;
mod frame;
mod group;
mod hidden;
mod join;
mod keys;
mod quantile;
mod shown;
mod spread;
mod steps;
#[cfg(test)]
mod tests;
mod total;
mod window;

pub use columns::{Column, Columns, columns};
pub use hidden::GroupColumn;
pub use shown::{Shown, ShownColumn};
pub use steps::Steps;

use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{Field, Node, OrderKey, Plan, Query};
use crate::rewrite::rewritten;
use frame::{Cell, Frame};
use std::collections::HashMap;
use std::sync::Arc;
use steps::Stepper;
use tacit_program::build::{Array, Builder, Value};
use tacit_program::{Derived, Domain, Element, Extent, Interval, Meaning, PartyId, Program, Span};

/// A query as a program, and what its results are.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// How its results make up the answer.
    pub shown: Shown,
    /// Which operator of the query each of its operations is of.
    pub steps: Steps,
}

/// Lowers a query to a program.
///
/// # Errors
/// When numbers may become too large, when rows are shown whose number nothing bounds, and when the plan contradicts itself; with
/// the place in the user's text.
pub fn lower(query: &Query, catalog: &Catalog) -> Result<Lowered> {
    let query = &Query { plan: rewritten(query.plan.clone()), ..query.clone() };
    let mut b = Builder::new(&query.name);
    let owners = catalog.parties();
    for name in owners.into_iter().chain(query.to.iter().map(String::as_str)) {
        if b.party_named(name).is_none() {
            b.party(name);
        }
    }
    let mut lowering = Lowering::new(b, query, catalog, None);
    if let Some(least) = query.min_rows {
        let groups = query.plan.shown_groups()?;
        lowering.hidden =
            groups.into_iter().map(|group| (std::ptr::from_ref(group), least)).collect();
    }
    let wanted = vec![true; query.plan.fields.len()];
    let frame = lowering.plan(&query.plan, &wanted)?;
    let shown = lowering.show(query, frame)?;
    let steps = std::mem::take(&mut lowering.stepper).finish(lowering.b.operations());
    let program = lowering.b.finish()?;
    Ok(Lowered { program, shown, steps })
}

/// A program in the making.
struct Lowering<'q> {
    b: Builder,
    catalog: &'q Catalog,
    /// Where all of it is, if not at the places of the query.
    place: Option<Span>,
    /// What goes with all that is computed: what the run checks, and a column of each table, so that its row count is known.
    tied: Vec<Value>,
    /// Operators that make groups of which small ones are left out, by where they are, and the least number of rows of the others.
    hidden: HashMap<*const Plan, u64>,
    stepper: Stepper,
}

impl<'q> Lowering<'q> {
    fn new(mut b: Builder, query: &Query, catalog: &'q Catalog, place: Option<Span>) -> Self {
        if let Some(place) = &place {
            b.at(place);
        }
        for domain in domains(catalog) {
            b.shared_domain(&domain.name, domain.members.clone());
        }
        let stepper = Stepper::new(&query.plan, catalog);
        let (hidden, tied) = (HashMap::new(), Vec::new());
        Lowering { b, catalog, place, tied, hidden, stepper }
    }

    /// What follows is at a place.
    fn at(&mut self, span: &Span) {
        if self.place.is_none() {
            self.b.at(span);
        }
    }

    /// The party of a name.
    fn party(&self, name: &str) -> Result<PartyId> {
        let missing = || QueryError::new(&Span::default(), format!("there is no party `{name}`"));
        self.b.party_named(name).ok_or_else(missing)
    }

    /// The columns of a plan that are wanted.
    fn plan(&mut self, plan: &Plan, wanted: &[bool]) -> Result<Frame> {
        let outer = self.stepper.enter(plan, self.b.operations());
        let frame = self.operator(plan, wanted)?;
        self.stepper.leave(outer, self.b.operations());
        Ok(known(frame, &plan.fields))
    }

    fn operator(&mut self, plan: &Plan, wanted: &[bool]) -> Result<Frame> {
        match &plan.node {
            Node::Scan(table) => self.scan(*table, wanted),
            Node::Union(inputs) => self.union(inputs, wanted),
            Node::Filter { input, condition } => {
                let mut needed = wanted.to_vec();
                condition.mark_columns(&mut needed);
                let frame = self.plan(input, &needed)?;
                self.at(&condition.span);
                let holds = self.expr(condition, &frame)?;
                let holds = self.is_true(&holds);
                let gaps = frame.gaps || !frame.placed;
                let valid = Some(self.and(frame.valid, Some(holds)).unwrap_or(holds));
                let valid = valid.map(|valid| self.per_row(valid, &frame.rows));
                self.checked(Frame { valid, gaps, ..frame })
            }
            Node::Project { input, columns } => self.project(input, columns, wanted),
            Node::Group { input, keys, aggregates } if keys.is_empty() => {
                self.at(&plan.span);
                self.total(input, aggregates, &plan.fields, wanted)
            }
            Node::Group { input, keys, aggregates } => {
                self.at(&plan.span);
                self.group(input, (keys, aggregates), plan, wanted)
            }
            Node::Join { left, right, on, outer, matches } => {
                let keep = join::Keep::Both { outer: *outer, matches: *matches };
                self.join([left, right], on, keep, wanted, &plan.span)
            }
            Node::Match { left, right, on, anti } => {
                self.join([left, right], on, join::Keep::Left { anti: *anti }, wanted, &plan.span)
            }
            Node::Window { input, partition, by, calls } => {
                self.window(input, (partition, by), calls, plan, wanted)
            }
            Node::First { input, by, rows } => {
                // Ties are broken by all columns.
                let all = vec![true; input.fields.len()];
                let frame = self.plan(input, &all)?;
                self.at(&plan.span);
                self.first(frame, &input.fields, by, *rows)
            }
        }
    }

    /// A frame, or the mistake that was made on the way.
    fn checked<T>(&mut self, frame: T) -> Result<T> {
        self.b.mistake().map_or(Ok(frame), |error| Err(error.into()))
    }

    /// One party's table: its wanted columns become inputs, and at least one that the party has does, so that the row count is known.
    fn scan(&mut self, number: usize, wanted: &[bool]) -> Result<Frame> {
        let table = &self.catalog.tables[number];
        let rows = Extent::rows(self.b.shared_rows(&table.full_name(), table.rows.clone()));
        let own = |column: &usize| wanted[*column] && table.there != Some(*column);
        let first = (0..wanted.len()).find(own).unwrap_or(0);
        let counted = self.input(number, first, &rows)?;
        self.tied.push(counted.value);
        let mut columns = Vec::new();
        for (column, wanted) in wanted.iter().enumerate() {
            columns.push(wanted.then(|| self.input(number, column, &rows)).transpose()?);
        }
        self.checked(Frame::of(columns, rows))
    }

    fn input(&mut self, table: usize, column: usize, rows: &Extent) -> Result<Cell> {
        let of = &self.catalog.tables[table];
        let (owner, name) =
            (self.party(&of.owner)?, format!("{}.{}", of.full_name(), of.columns[column].name));
        let declared = &of.columns[column];
        let interval = Interval { low: *declared.range.start(), high: *declared.range.end() };
        let mut array = declaration(&declared.kind, interval).axis(rows.clone());
        if of.there == Some(column) {
            array = array.meaning_of(Meaning::Padding);
        }
        if let Some((source, function)) = &declared.derived {
            let column = format!("{}.{}", of.full_name(), of.columns[*source].name);
            let derived = Derived { column, function: function.clone() };
            array = array.meaning_of(Meaning::Derived(Arc::new(derived)));
        }
        let value = self.b.shared_input(&name, owner, array);
        let known = declared.nullable.then(|| {
            let bits = Array::of(Element::Bit).axis(rows.clone());
            self.b.shared_input(&format!("{name}.known"), owner, bits)
        });
        Ok(Cell { value, known })
    }

    fn project(
        &mut self,
        input: &Plan,
        columns: &[crate::plan::Expr],
        wanted: &[bool],
    ) -> Result<Frame> {
        let mut needed = vec![false; input.fields.len()];
        let pairs = columns.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        pairs.for_each(|(column, _)| column.mark_columns(&mut needed));
        let frame = self.plan(input, &needed)?;
        let mut cells = Vec::new();
        for (column, wanted) in columns.iter().zip(wanted) {
            self.at(&column.span);
            let cell = wanted.then(|| self.expr(column, &frame)).transpose()?;
            cells.push(cell.map(|cell| Cell {
                value: self.per_row(cell.value, &frame.rows),
                known: cell.known.map(|known| self.per_row(known, &frame.rows)),
            }));
        }
        let place = |column: usize| columns.iter().position(|it| expr::is_column(it, column));
        let order = frame.order.as_ref().and_then(|by| by.iter().map(|it| place(*it)).collect());
        let places = |column: usize| -> Vec<usize> {
            let all = columns.iter().enumerate().filter(|(_, it)| expr::is_column(it, column));
            all.map(|(place, _)| place).collect()
        };
        let runs = frame.runs.as_ref().map(|runs| runs.moved(places));
        self.checked(Frame { columns: cells, order, runs, ..frame })
    }

    /// The first rows by an order, ties by all columns.
    fn first(
        &mut self,
        frame: Frame,
        fields: &[Field],
        by: &[OrderKey],
        rows: u64,
    ) -> Result<Frame> {
        let rows = rows.min(self.most_valid(&frame));
        let frame = self.padded(frame, rows);
        let order = keys::with_ties(by, fields.len());
        let frame = self.sorted(frame, fields, &order)?;
        let frame = Frame { at_most: None, ..self.cut(&frame, rows) };
        self.checked(frame)
    }
}

/// A table without bits that say what is known of columns that are never null in rows that are there.
fn known(mut frame: Frame, fields: &[Field]) -> Frame {
    for (cell, field) in frame.columns.iter_mut().zip(fields) {
        if let Some(cell) = cell.as_mut().filter(|_| !field.nullable) {
            cell.known = None;
        }
    }
    frame
}

/// The domains of a catalog, each once.
fn domains(catalog: &Catalog) -> Vec<Arc<Domain>> {
    let mut all: Vec<Arc<Domain>> = Vec::new();
    for column in catalog.tables.iter().flat_map(|table| &table.columns) {
        if let Kind::Category(domain) = &column.kind
            && !all.contains(domain)
        {
            all.push(domain.clone());
        }
    }
    all
}

/// What an input, or a constant, of a kind is declared as, with its raw values in an interval.
fn declaration(kind: &Kind, interval: Interval) -> Array {
    let element = element_of(kind, interval);
    let array = Array::of(element);
    match kind {
        Kind::Bit => array,
        Kind::Fixed { fraction } => {
            let unit = 2f64.powi(i32::from(*fraction));
            array.range(interval.low as f64 / unit..=interval.high as f64 / unit)
        }
        Kind::Decimal { scale: 0 } => array.range(interval.low..=interval.high),
        Kind::Decimal { scale } => {
            array.range(interval.low..=interval.high).meaning_of(Meaning::Decimal(*scale))
        }
        Kind::Date => array.range(interval.low..=interval.high).meaning_of(Meaning::Date),
        Kind::Text => array.meaning_of(Meaning::Text),
        Kind::Category(domain) => {
            array.range(interval.low..=interval.high).meaning_of(Meaning::Domain(domain.clone()))
        }
    }
}

/// The narrowest element that holds raw values of a kind in an interval.
fn element_of(kind: &Kind, interval: Interval) -> Element {
    match kind {
        Kind::Bit => Element::Bit,
        Kind::Fixed { fraction } => {
            let bits = interval.signed_bits().max(u32::from(*fraction) + 1).clamp(2, 64);
            Element::Fixed { bits: bits as u8, fraction: *fraction }
        }
        _ => integer_of(interval),
    }
}

/// The narrowest integer type of an interval.
fn integer_of(interval: Interval) -> Element {
    let all =
        [8, 16, 32, 64].into_iter().flat_map(|bits| [Element::uint(bits), Element::int(bits)]);
    all.into_iter()
        .find(|element| element.interval().contains(interval))
        .unwrap_or(Element::int(64))
}

/// A value of a program, or none where a bit would be one in every row.
type Bits = Option<Value>;
