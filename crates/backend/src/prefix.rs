//! Prefixes of rows: what is folded of those up to each one, by an operation that takes two.

use super::{Backend, Result, Secret};

/// Of `outer x axis x inner` numbers the sums of those up to each one along the middle axis, or from each one on: for
/// numbers that are held as bits, where an addition is a circuit.
///
/// # Errors
/// When the network fails.
pub fn sums<B: Backend + ?Sized>(
    backend: &mut B,
    a: &Secret,
    [outer, axis, inner]: [usize; 3],
    reverse: bool,
) -> Result<Secret> {
    let rows = (0..axis).map(|k| if reverse { axis - 1 - k } else { k });
    let rows: Vec<usize> = rows.collect();
    let element = |k: usize| {
        let rows = &rows;
        (0..outer)
            .flat_map(move |o| (0..inner).map(move |i| ((o * axis + rows[k]) * inner + i) as u32))
    };
    // The axis comes first, so that its parts lie together.
    let places: Vec<u32> = (0..axis).flat_map(element).collect();
    let rows_first = [a.gather(&places)];
    let summed =
        fold(backend, &rows_first, axis, outer * inner, &mut |backend, earlier, later| {
            Ok(vec![backend.sum(&earlier[0], &later[0], false)?])
        })?;
    let mut back = vec![0; places.len()];
    (0..).zip(&places).for_each(|(at, place)| back[*place as usize] = at);
    Ok(summed[0].gather(&back))
}

/// What is folded of the rows up to each one, by an associative operation on the columns of earlier and of later rows. A
/// row has `width` elements of each column.
///
/// Neighbours are folded, then the prefixes of the pairs are computed in the same way, and last what is between
/// these: fewer than two operations for each row, in twice as many levels as the number of rows has binary digits.
///
/// # Errors
/// When the network fails.
pub(super) fn fold<B: Backend + ?Sized>(
    backend: &mut B,
    columns: &[Secret],
    rows: usize,
    width: usize,
    with: &mut impl FnMut(&mut B, &[Secret], &[Secret]) -> Result<Vec<Secret>>,
) -> Result<Vec<Secret>> {
    if rows < 2 || width == 0 {
        return Ok(columns.iter().map(|column| column.slice(0..column.len)).collect());
    }
    let every_other = |first: usize, count: usize| {
        let rows = (0..count).map(move |k| first + 2 * k);
        let all = rows.flat_map(|row| (0..width).map(move |i| (row * width + i) as u32));
        let all = all.collect::<Vec<_>>();
        columns.iter().map(|column| column.gather(&all)).collect::<Vec<_>>()
    };
    let pairs = rows / 2;
    let of_pairs = with(backend, &every_other(0, pairs), &every_other(1, pairs))?;
    let odd = fold(backend, &of_pairs, pairs, width, with)?;
    // Row 2 k + 2 is row 2 k + 1 of the result and its own.
    let between = (rows - 1) / 2;
    let before: Vec<Secret> = odd.iter().map(|column| column.slice(0..between * width)).collect();
    let even = match between {
        0 => before,
        _ => with(backend, &before, &every_other(2, between))?,
    };
    let place = |row: usize| match row {
        0 => (0, 0),
        row if row % 2 == 1 => (1, row / 2),
        row => (2, row / 2 - 1),
    };
    let places: Vec<(u32, u32)> = (0..rows)
        .map(place)
        .flat_map(|(which, row)| (0..width).map(move |i| (which, (row * width + i) as u32)))
        .collect();
    let merged =
        columns.iter().zip(&odd).zip(&even).map(|((first, odd), even)| {
            first.gather_from(&[first, odd, even], places.iter().copied())
        });
    Ok(merged.collect())
}
