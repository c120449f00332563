//! What is revealed of a query's result, and how it makes up the answer.
//!
//! Rows that are not valid are shown as zeros, and a bit says so. Rows are shown in an order that follows from what they hold,
//! never in that of the parties' tables.

use super::frame::{Cell, Frame};
use super::hidden::{GroupColumn, group_columns};
use super::{Lowering, keys};
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{OrderKey, Query};
use crate::rows::{Answer, Rows, compare};
use tacit_program::build::Value;
use tacit_program::{Element, Interval, Meaning, PartyId};
use zeroize::Zeroizing;

/// The most groups that are shown without being asked for: their columns are as long as there can be groups, and so is what is sent.
const MOST_GROUPS: u64 = 4096;

/// What the results of a program are for the query that it was lowered from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The columns of the answer.
    pub columns: Vec<ShownColumn>,
    /// The result that says by a bit per row which rows there are. None: all are.
    pub there: Option<String>,
    /// The result that says by a bit whether there are more rows than are shown. None: there are not.
    pub truncated: Option<String>,
    /// What the rows are sorted by; ties by all columns.
    pub order: Vec<OrderKey>,
    /// Groups of fewer rows are left out.
    pub min_rows: Option<u64>,
    /// The columns of groups, where everybody knows which groups there can be and the answer lacks small ones alone.
    pub groups: Option<Vec<GroupColumn>>,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownColumn {
    /// Its name in the query.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The result that has its raw values.
    pub result: String,
    /// The result that says by a bit per row whether the value is not null. None: it never is.
    pub known: Option<String>,
}

impl ShownColumn {
    /// What its raw values stand for.
    #[must_use]
    pub fn meaning(&self) -> Meaning {
        meaning_of(&self.kind)
    }
}

/// Raw values, and the bits that say which are not null.
type Column = (Zeroizing<Vec<i128>>, Option<Zeroizing<Vec<i128>>>);

impl Shown {
    /// The answer, from the raw values of results by their names.
    ///
    /// # Errors
    /// The name of a result that is missing, or of another length than the others.
    pub fn answer(
        &self,
        results: impl Fn(&str) -> Option<Vec<i128>>,
    ) -> std::result::Result<Answer, String> {
        let read = |name: &str| {
            let raw = results(name).map(Zeroizing::new);
            raw.ok_or_else(|| format!("there is no result `{name}`"))
        };
        let read_bits = |name: &Option<String>| name.as_deref().map(read).transpose();
        let there = read_bits(&self.there)?;
        let truncated = read_bits(&self.truncated)?.is_some_and(|bit| bit.first() == Some(&1));
        let mut columns = Vec::new();
        for column in &self.columns {
            columns.push((read(&column.result)?, read_bits(&column.known)?));
        }
        let length = columns.first().map_or(0, |(values, _)| values.len());
        let of_length = |(values, known): &Column| {
            values.len() == length && known.as_ref().is_none_or(|known| known.len() == length)
        };
        let other = columns.iter().position(|column| !of_length(column));
        if let Some(other) = other {
            let name = &self.columns[other].result;
            return Err(format!("the result `{name}` has another length than others"));
        }
        let is_there = |row: &usize| there.as_ref().is_none_or(|bits| bits.get(*row) == Some(&1));
        let cell = |row: usize, (values, known): &Column| {
            known.as_ref().is_none_or(|known| known[row] == 1).then_some(values[row])
        };
        let rows = (0..length).filter(is_there);
        let rows = rows.map(|row| columns.iter().map(|column| cell(row, column)).collect());
        let mut rows = Rows { columns: columns.len(), rows: rows.collect() };
        rows.rows.sort_by(|a, b| compare(&self.order, a, b));
        Ok(Answer { rows, truncated })
    }

    /// What people should know beside an answer, in sentences: whether there are more rows, and which groups are missing, as far as that is known.
    #[must_use]
    pub fn remarks(&self, answer: &Answer) -> Vec<String> {
        let mut remarks = Vec::new();
        if answer.truncated {
            remarks.push(
                "there are more rows than these: SET max_rows says how many are shown at most"
                    .to_owned(),
            );
        }
        if let Some(least) = self.min_rows {
            remarks.push(self.small_groups(least, answer));
        }
        remarks
    }
}

impl Lowering<'_> {
    /// Reveals a query's result.
    pub fn show(&mut self, query: &Query, frame: Frame) -> Result<Shown> {
        let span = &query.plan.span;
        self.at(span);
        let to: Vec<PartyId> =
            query.to.iter().map(|name| self.party(name)).collect::<Result<_>>()?;
        if to.is_empty() {
            return Err(QueryError::new(
                span,
                "nobody learns the result of this query: say who does",
            ));
        }
        let (frame, more) = self.rows_to_show(query, frame)?;
        let mut names = Names::default();
        let there = match frame.valid {
            Some(valid) => {
                let name = names.take("row is there");
                Some((name, valid))
            }
            None => None,
        };
        let mut columns = Vec::new();
        for (number, field) in query.plan.fields.iter().enumerate() {
            let Cell { value, known } = frame.column(number, span)?;
            let shown = self.and(frame.valid, known);
            let value = self.per_row(value, &frame.rows);
            let value = match shown {
                Some(shown) => self.nothing_unless(shown, value),
                None => value,
            };
            let result = names.take(&field.name);
            let (by, meaning) = (Some(&[][..]), meaning_of(&field.kind));
            self.b.reveal_as(&result, value, &to, by, meaning);
            let known = known.is_some().then(|| names.take(&format!("{} is known", field.name)));
            if let (Some(name), Some(shown)) = (&known, shown) {
                let shown = self.per_row(shown, &frame.rows);
                self.b.reveal(name, shown, &to);
            }
            let (name, kind) = (field.name.clone(), field.kind.clone());
            columns.push(ShownColumn { name, kind, result, known });
        }
        if let Some((name, valid)) = &there {
            self.b.reveal(name, *valid, &to);
        }
        let truncated = more.map(|more| {
            let name = names.take("there are more rows");
            self.b.reveal(&name, more, &to);
            name
        });
        let there = there.map(|(name, _)| name);
        let (order, min_rows) = (query.order.clone(), query.min_rows);
        let groups = min_rows.and_then(|_| group_columns(&query.plan));
        self.checked(Shown { columns, there, truncated, order, min_rows, groups })
    }

    /// The rows that are shown, in an order that tells nothing, and a bit that says whether there are more.
    fn rows_to_show(&mut self, query: &Query, frame: Frame) -> Result<(Frame, Option<Value>)> {
        let known = frame.rows.known();
        let most = [frame.at_most.filter(|_| frame.grouped), known].into_iter().flatten().min();
        let all_public = frame.valid.is_none();
        // LIMIT, and places for all groups, leave a known number of rows and no other bound.
        let said = known.is_some() && frame.at_most.is_none();
        let asked = said || query.max_rows.is_some();
        if let Some(most) = most.filter(|most| *most > MOST_GROUPS && !asked && !all_public) {
            return Err(QueryError::new(&query.plan.span, many_groups(most)));
        }
        if frame.grouped && !asked && most == Some(self.most(&frame.rows)) {
            // As many as the tables have, which everybody knows.
            let frame = self.brought_forward(frame);
            return Ok((self.in_canonical_order(frame, query)?, None));
        }
        let Some(rows) = [most, query.max_rows].into_iter().flatten().min() else {
            if !all_public {
                let what = "how many rows the result has depends on private data, and nothing bounds it: add ORDER BY .. LIMIT, or say \
                            how many are shown at most, by SET max_rows = 100. Those who learn the result also learn \
                            how many rows it has, and whether there are more";
                return Err(QueryError::new(&query.plan.span, what));
            }
            // As many as the tables have, which everybody knows.
            return Ok((self.in_canonical_order(frame, query)?, None));
        };
        let whole = most == Some(rows);
        if frame.placed && frame.order.is_some() && whole && known == Some(rows) {
            return Ok((frame, None));
        }
        let size = if whole { rows } else { rows + 1 };
        // Which rows are shown, where not all are, must not depend on whose they are either.
        let frame = match whole || frame.order.is_some() {
            true => frame,
            false => {
                let padded = self.padded(frame, size);
                self.in_canonical_order(padded, query)?
            }
        };
        let frame =
            if known == Some(size) && all_public { frame } else { self.compact(frame, size) };
        let more = match (whole, frame.valid) {
            (true, _) => None,
            (false, Some(valid)) => Some(self.b.slice(valid, 0, rows, 1, 1)),
            // More rows than are shown, as everybody knows.
            (false, None) => Some(self.b.constants(Element::Bit, &[1], &[1])),
        };
        let frame = if whole { frame } else { self.cut(&frame, rows) };
        Ok((self.in_canonical_order(frame, query)?, more))
    }

    /// Rows in an order that follows from their values: as they are, if they are in one.
    fn in_canonical_order(&mut self, frame: Frame, query: &Query) -> Result<Frame> {
        if frame.order.is_some() && !frame.gaps {
            return Ok(frame);
        }
        let fields = &query.plan.fields;
        self.sorted(frame, fields, &keys::with_ties(&[], fields.len()))
    }

    /// A value where a bit is one, else zero, or what of its interval is nearest to it.
    fn nothing_unless(&mut self, bit: Value, value: Value) -> Value {
        let Interval { low, high } = self.interval(value);
        self.only_where(bit, value, 0.clamp(low, high))
    }
}

/// What to do about many groups.
fn many_groups(most: u64) -> String {
    format!(
        "there may be {most} groups here, by the ranges of their columns and by how many rows there are, and a place would be shown for each: up to {MOST_GROUPS} \
         are. Say how many groups are shown at most, by SET max_rows = 100 or by ORDER BY .. LIMIT. Under max_rows, those who learn the result also learn whether there are more"
    )
}

/// Names of results, no two of which are equal.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn take(&mut self, wanted: &str) -> String {
        let wanted = if wanted.is_empty() { "column" } else { wanted };
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        let name =
            std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !self.0.contains(name));
        let name = name.unwrap_or_default();
        self.0.push(name.clone());
        name
    }
}

/// What the values of a kind stand for.
fn meaning_of(kind: &Kind) -> Meaning {
    match kind {
        Kind::Date => Meaning::Date,
        Kind::Decimal { scale } if *scale > 0 => Meaning::Decimal(*scale),
        Kind::Category(domain) => Meaning::Domain(domain.clone()),
        _ => Meaning::Number,
    }
}
