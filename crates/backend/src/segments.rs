//! Folds of rows since a marked one.
//!
//! A row is marked where a segment begins. What is folded of two neighbouring runs of rows is what is folded of the later one
//! if that has a mark, and else what is folded of both: an associative operation, so that prefixes of rows are computed as those of sums are.

use super::{Backend, Kind, Result, Secret, Term};
use crate::prefix::fold;
use std::sync::Arc;

/// Each column with the value of the last marked row up to every row; zero before the first one. By shuffles where they are worth it, else by
/// selections: fewer than two per row, in twice as many levels as the number of rows has binary digits.
///
/// # Errors
/// When the network fails.
pub fn fill_forward<B: Backend + ?Sized>(
    backend: &mut B,
    marked: &Secret,
    columns: Vec<Secret>,
) -> Result<Vec<Secret>> {
    let rows = marked.len;
    if rows > 1
        && let Some(shuffles) = backend.shuffles_for(rows)
    {
        return crate::sort::fill_forward(shuffles, marked, columns);
    }
    let mut all = vec![marked.slice(0..rows)];
    for column in &columns {
        all.push(only(backend, marked, column)?);
    }
    let mut filled = fold(backend, &all, rows, 1, &mut |backend, earlier, later| {
        let mut folded = vec![either(backend, &earlier[0], &later[0])?];
        for (earlier, column) in earlier.iter().zip(later).skip(1) {
            folded.push(backend.select(&later[0], column, earlier)?);
        }
        Ok(folded)
    })?;
    filled.remove(0);
    Ok(filled)
}

/// A column with zeros where a bit is not one.
fn only<B: Backend + ?Sized>(backend: &mut B, bits: &Secret, column: &Secret) -> Result<Secret> {
    match column.kind {
        Kind::Bits => backend.multiply(bits, column, [1, 1]),
        Kind::Ring(_) => backend.inject(bits, column),
    }
}

fn either<B: Backend + ?Sized>(backend: &mut B, a: &Secret, b: &Secret) -> Result<Secret> {
    let both = backend.multiply(a, b, [1, 1])?;
    Ok(a.sum(b, false).sum(&both, false))
}

/// For each column the sums, modulo what its ring holds, since the last marked row: all sums so far, less the one before
/// that row.
///
/// # Errors
/// When the network fails.
pub fn sums<B: Backend + ?Sized>(
    backend: &mut B,
    starts: &Secret,
    columns: &[&Secret],
) -> Result<Vec<Secret>> {
    let rows = starts.len;
    let mut sums = Vec::new();
    let mut before = Vec::new();
    for column in columns {
        let all = backend.prefix_sums(column, [1, rows, 1], false)?;
        let zero = backend.public(column.kind, &[0], 1);
        let shifted = (0..rows as u32).map(|row| row.checked_sub(1).map_or((1, 0), |row| (0, row)));
        before.push(all.gather_from(&[&all, &zero], shifted));
        sums.push(all);
    }
    let before = fill_forward(backend, starts, before)?;
    sums.iter().zip(&before).map(|(all, before)| backend.sum(all, before, true)).collect()
}

/// For each column the least, or greatest, value since the last marked row. With a column come the bits of a signed number
/// that holds the difference of any two of its values.
///
/// # Errors
/// When the network fails.
pub fn extremes<B: Backend + ?Sized>(
    backend: &mut B,
    starts: &Secret,
    columns: &[(&Secret, u32)],
    greatest: bool,
) -> Result<Vec<Secret>> {
    let rows = starts.len;
    let mut all = vec![starts.slice(0..rows)];
    all.extend(columns.iter().map(|(column, _)| column.slice(0..rows)));
    let mut folded = fold(backend, &all, rows, 1, &mut |backend, earlier, later| {
        let mut folded = vec![either(backend, &earlier[0], &later[0])?];
        for ((earlier, column), (_, bits)) in earlier.iter().zip(later).skip(1).zip(columns) {
            let [a, b] = if greatest { [column, earlier] } else { [earlier, column] };
            let terms = [a, b].map(|term| Term::Array(Arc::new(term.slice(0..term.len))));
            let less = backend.less([&terms[0], &terms[1]], *bits)?;
            let keeps = backend.plus(&later[0], 1)?;
            let keeps = backend.multiply(&keeps, &less, [1, 1])?;
            folded.push(backend.select(&keeps, earlier, column)?);
        }
        Ok(folded)
    })?;
    folded.remove(0);
    Ok(folded)
}
