//! Groups of rows, and sorting.

use super::array::Array;
use super::error::OpError;
use super::observe::Sink;
use crate::ir::Fold;
use zeroize::Zeroizing;

/// For each group, the sum of the values of the rows that count; `values` is none to count rows.
pub(super) fn by_group(
    group: &Array,
    values: Option<&Array>,
    counts: Option<&Array>,
    first: i64,
    out: &mut Sink,
) -> Result<(), OpError> {
    let rows = group.len();
    if [values, counts].iter().flatten().any(|a| a.len() != rows) {
        return Err(OpError::Malformed("columns of a table must have the same length"));
    }
    let mut sums = Zeroizing::new(vec![0i128; out.len()]);
    for (row, group) in group.values().enumerate() {
        let entry = usize::try_from(group - i128::from(first)).ok();
        let Some(sum) = entry.and_then(|entry| sums.get_mut(entry)) else { continue };
        if counts.is_none_or(|counts| counts.get(row) == 1) {
            *sum = sum.saturating_add(values.map_or(1, |values| values.get(row)));
        }
    }
    out.extend(sums.iter().copied());
    Ok(())
}

/// Where each row of the sorted table comes from. Stable also when descending.
pub(super) fn order(key: &Array, descending: bool) -> Zeroizing<Vec<u64>> {
    let flip = if key.is_unsigned() { i64::MIN } else { 0 } ^ if descending { !0 } else { 0 };
    let mut rows: Zeroizing<Vec<(i64, u64)>> =
        Zeroizing::new(key.raw().iter().map(|key| key ^ flip).zip(0..).collect());
    rows.sort_unstable();
    Zeroizing::new(rows.iter().map(|&(_, row)| row).collect())
}

/// The rows of a column in that order.
pub(super) fn permute(a: &Array, order: &[u64], out: &mut Sink) -> Result<(), OpError> {
    if a.len() != order.len() {
        return Err(OpError::Malformed("columns of a table must have the same length"));
    }
    out.extend(order.iter().map(|&row| a.get(row as usize)));
    Ok(())
}

/// For each column what is folded since a segment began, where the first operand says that one begins.
pub(super) fn segments(fold: Fold, operands: &[&Array], out: &mut [Sink]) -> Result<(), OpError> {
    let [starts, columns @ ..] = operands else {
        return Err(OpError::Malformed("segments need to begin"));
    };
    if columns.len() != out.len() || columns.iter().any(|column| column.len() != starts.len()) {
        return Err(OpError::Malformed("columns of a table must have the same length"));
    }
    for (column, out) in columns.iter().zip(out) {
        let mut so_far = None;
        let folded = starts.values().zip(column.values()).map(|(start, value)| {
            let before = if start == 1 { None } else { so_far };
            let now = match (fold, before) {
                (Fold::First, None) if start == 0 => return 0,
                (Fold::First, Some(first)) => first,
                (Fold::Sum, Some(sum)) => i128::saturating_add(sum, value),
                (Fold::Min, Some(least)) => least.min(value),
                (Fold::Max, Some(most)) => most.max(value),
                (_, None) => value,
            };
            so_far = Some(now);
            now
        });
        out.extend(folded);
    }
    Ok(())
}
