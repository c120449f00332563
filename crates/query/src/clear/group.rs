//! Groups of rows, and what is computed of them.

use super::number;
use super::wrong::{malformed, too_large};
use crate::error::Result;
use crate::kind::Kind;
use crate::plan::{Aggregate, Field, Function, Quantile};
use crate::rows::{Cell, Rows};
use std::collections::{BTreeMap, BTreeSet};

/// One row for each combination of keys that at least `least` rows have: the keys, then the aggregates. Null is a key like others.
/// Without keys there is one row. `fields` are those of the rows, and of the aggregates.
pub(super) fn rows(
    input: &Rows,
    keys: &[usize],
    aggregates: &[Aggregate],
    fields: (&[Field], &[Field]),
    least: u64,
) -> Result<Rows> {
    let mut groups: BTreeMap<Vec<&Cell>, Vec<&[Cell]>> = BTreeMap::new();
    if keys.is_empty() {
        groups.insert(Vec::new(), Vec::new());
    }
    for row in &input.rows {
        let key = keys.iter().map(|key| &row[*key]).collect();
        groups.entry(key).or_default().push(row);
    }
    let mut results = Rows::new(keys.len() + aggregates.len());
    for (key, rows) in groups {
        if (rows.len() as u64) < least {
            continue;
        }
        let mut result = Vec::with_capacity(results.columns);
        result.extend(key.into_iter().copied());
        for (aggregate, field) in aggregates.iter().zip(fields.1) {
            result.push(value(aggregate, &rows, fields.0, &field.kind)?);
        }
        results.rows.push(result);
    }
    Ok(results)
}

/// An aggregate, of a kind, of the rows of a group.
pub(super) fn value(
    aggregate: &Aggregate,
    rows: &[&[Cell]],
    fields: &[Field],
    kind: &Kind,
) -> Result<Cell> {
    let Some(column) = aggregate.column else {
        return Ok(Some(rows.len() as i128));
    };
    if !aggregate.function.is_ranged() && !matches!(aggregate.function, Function::Quantile(_)) {
        return super::spread::value(aggregate, (rows, column), fields, kind);
    }
    // The values that count.
    let values = rows.iter().filter_map(|row| row[column].as_ref());
    let values: Vec<&i128> = if aggregate.distinct {
        values.collect::<BTreeSet<_>>().into_iter().collect()
    } else {
        values.collect()
    };
    let count = values.len() as i128;
    let large = || too_large(&aggregate.span);
    let sum = || {
        let sum = values.iter().try_fold(0i128, |sum, raw| sum.checked_add(**raw));
        sum.ok_or_else(large)
    };
    match (aggregate.function, kind) {
        (Function::Count, _) => Ok(Some(count)),
        (_, _) if count == 0 => Ok(None),
        (Function::Sum, _) => sum().map(Some),
        (Function::Mean, Kind::Fixed { fraction }) => {
            let mean = number::mean(&fields[column].kind, sum()?, count, *fraction);
            mean.ok_or_else(large).map(Some)
        }
        (Function::Mean, _) => Err(malformed(&aggregate.span, "a mean is in fixed point")),
        (Function::Quantile(at), _) => {
            let mut values: Vec<i128> = values.into_iter().copied().collect();
            values.sort_unstable();
            quantile(at, &values, &fields[column].kind, kind).ok_or_else(large).map(Some)
        }
        (Function::Min, _) => Ok(values.into_iter().min().copied()),
        (Function::Max, _) => Ok(values.into_iter().max().copied()),
        _ => Err(malformed(&aggregate.span, "this is of two columns")),
    }
}

/// A quantile, as a raw value of a kind, of values of another one in ascending order, of which there are some.
fn quantile(at: Quantile, values: &[i128], from: &Kind, to: &Kind) -> Option<i128> {
    let (part, whole) = (i128::from(at.numerator), i128::from(at.denominator));
    let count = values.len() as i128;
    let value =
        |place: i128| usize::try_from(place).ok().and_then(|place| values.get(place)).copied();
    match to {
        Kind::Fixed { fraction } if at.between => {
            let way = (count - 1) * part;
            let (place, rest) = (way / whole, way % whole);
            let below = value(place)?;
            let above = if rest == 0 { below } else { value(place + 1)? };
            let sum = below.checked_mul(whole - rest)?.checked_add(above.checked_mul(rest)?)?;
            number::mean(from, sum, whole, *fraction)
        }
        _ => value(((count * part + whole - 1) / whole - 1).max(0)),
    }
}
