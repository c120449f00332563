//! Prefix sums of numbers that are held as bits, where an addition is a circuit.

use super::{Backend, Result, Secret};

/// Of `outer x axis x inner` numbers the sums of those up to each one along the middle axis, or from each one on.
///
/// Neighbours are added, then the sums of the pairs up to each pair are computed in the same way, and last what is between
/// these: fewer than two additions for each number, in twice as many levels as the axis has binary digits.
///
/// # Errors
/// When the network fails.
pub fn sums(
    backend: &mut dyn Backend,
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
    let summed = along(backend, &a.gather(&places), axis, outer * inner)?;
    let mut back = vec![0; places.len()];
    (0..).zip(&places).for_each(|(at, place)| back[*place as usize] = at);
    Ok(summed.gather(&back))
}

/// Of so many rows of `width` numbers.
fn along(backend: &mut dyn Backend, a: &Secret, rows: usize, width: usize) -> Result<Secret> {
    if rows < 2 || width == 0 {
        return Ok(a.slice(0..a.len));
    }
    let every_other = |first: usize, count: usize| {
        let rows = (0..count).map(move |k| first + 2 * k);
        let all = rows.flat_map(|row| (0..width).map(move |i| (row * width + i) as u32));
        a.gather(&all.collect::<Vec<_>>())
    };
    let pairs = rows / 2;
    let pair_sums = backend.sum(&every_other(0, pairs), &every_other(1, pairs), false)?;
    let odd = along(backend, &pair_sums, pairs, width)?;
    // Row 2 k + 2 is row 2 k + 1 of the result and its own.
    let between = (rows - 1) / 2;
    let before = odd.slice(0..between * width);
    let even = match between {
        0 => before,
        _ => backend.sum(&before, &every_other(2, between), false)?,
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
    Ok(a.gather_from(&[a, &odd, &even], places.into_iter()))
}
