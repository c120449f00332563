//! Rows with what is computed of those of their partitions.

use super::group;
use crate::error::Result;
use crate::plan::{Aggregate, Call, Field, Frame, OrderKey, Ranged};
use crate::rows::{Cell, Rows, compare, equal_by};
use std::collections::BTreeMap;

/// The rows, each with the results of some calls behind its cells. `fields` are those of the rows, and of the results.
pub(super) fn rows(
    input: &Rows,
    partition: &[usize],
    by: &[OrderKey],
    calls: &[Call],
    fields: (&[Field], &[Field]),
) -> Result<Rows> {
    let mut partitions: BTreeMap<Vec<&Cell>, Vec<&[Cell]>> = BTreeMap::new();
    for row in &input.rows {
        let key = partition.iter().map(|column| &row[*column]).collect();
        partitions.entry(key).or_default().push(row);
    }
    let mut results = Rows::new(input.columns + calls.len());
    for mut rows in partitions.into_values() {
        rows.sort_by(|a, b| compare(by, a, b));
        for (number, row) in rows.iter().enumerate() {
            let mut result = row.to_vec();
            for (call, field) in calls.iter().zip(fields.1) {
                result.push(value(call, (&rows, number), by, (fields.0, field))?);
            }
            results.rows.push(result);
        }
    }
    Ok(results)
}

/// A result for the row of a number among those of its partition, which are in their order.
fn value(
    call: &Call,
    (rows, number): (&[&[Cell]], usize),
    by: &[OrderKey],
    (fields, field): (&[Field], &Field),
) -> Result<Cell> {
    let row = rows[number];
    let are_peers = |a: &[Cell], b: &[Cell]| equal_by(by, a, b);
    let peers_end = rows.iter().rposition(|other| are_peers(other, row)).unwrap_or(number) + 1;
    let of_frame = |frame| match frame {
        Frame::Whole => rows,
        Frame::Peers => &rows[..peers_end],
        Frame::Rows => &rows[..=number],
        Frame::Last(before) => {
            let before = usize::try_from(before).unwrap_or(usize::MAX);
            &rows[number.saturating_sub(before)..=number]
        }
    };
    let of_row = |row: Option<&&[Cell]>| match call.column {
        Some(column) => row.and_then(|row| row[column]),
        None => Some(i128::from(row.is_some())),
    };
    match call.function {
        Ranged::Number => Ok(Some(number as i128 + 1)),
        Ranged::Rank => {
            let first = rows.iter().position(|other| are_peers(other, row));
            Ok(first.map(|first| first as i128 + 1))
        }
        Ranged::DenseRank => {
            let above = rows[..=number].windows(2);
            let changes = above.filter(|pair| !are_peers(pair[0], pair[1])).count();
            Ok(Some(changes as i128 + 1))
        }
        Ranged::Shift(by) => {
            let place = i64::try_from(number).ok().and_then(|number| number.checked_add(by));
            let place = place.and_then(|place| usize::try_from(place).ok());
            Ok(of_row(place.and_then(|place| rows.get(place))))
        }
        Ranged::First => Ok(of_row(rows.first())),
        Ranged::Last(frame) => Ok(of_row(of_frame(frame).last())),
        Ranged::Aggregate(function, frame) => {
            let (column, span) = (call.column, call.span.clone());
            let aggregate = Aggregate { function, column, other: None, distinct: false, span };
            group::value(&aggregate, of_frame(frame), fields, &field.kind)
        }
    }
}
