//! Where elements go when arrays are rearranged: row-major positions.

/// Distances between neighbours along each axis.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// For every element of `shape`, in order, the sum of `start` and each coordinate times its step.
fn walk(shape: &[usize], start: usize, steps: &[usize]) -> Vec<u32> {
    let mut all = vec![start as u32];
    for (length, step) in shape.iter().zip(steps) {
        all = all
            .iter()
            .flat_map(|base| (0..*length).map(move |i| base + (i * step) as u32))
            .collect();
    }
    all
}

/// The operand's element for each element of a broadcast.
pub(super) fn broadcast(from: &[usize], to: &[usize]) -> Vec<u32> {
    let own = strides(from);
    let new = to.len() - from.len();
    let steps: Vec<usize> = (0..to.len())
        .map(|axis| match axis.checked_sub(new) {
            Some(axis) if from[axis] != 1 => own[axis],
            _ => 0,
        })
        .collect();
    walk(to, 0, &steps)
}

/// The operand's element for each element of a slice.
pub(super) fn slice(
    from: &[usize],
    axis: usize,
    [start, step]: [usize; 2],
    to: &[usize],
) -> Vec<u32> {
    let mut steps = strides(from);
    let first = start * steps[axis];
    steps[axis] *= step;
    walk(to, first, &steps)
}

/// The operand's element for each element of a transposed array.
pub(super) fn transpose(from: &[usize], order: &[u32]) -> Vec<u32> {
    let own = strides(from);
    let shape: Vec<usize> = order.iter().map(|axis| from[*axis as usize]).collect();
    let steps: Vec<usize> = order.iter().map(|axis| own[*axis as usize]).collect();
    walk(&shape, 0, &steps)
}

/// The operand's element for each element at given positions of an axis.
pub(super) fn gather(from: &[usize], axis: usize, positions: &[u64]) -> Vec<u32> {
    let inner: usize = from[axis + 1..].iter().product();
    let outer: usize = from[..axis].iter().product();
    let row = from[axis] * inner;
    let mut all = Vec::with_capacity(outer * positions.len() * inner);
    for o in 0..outer {
        for p in positions {
            let start = o * row + *p as usize * inner;
            all.extend((start..start + inner).map(|i| i as u32));
        }
    }
    all
}

/// The operand's element for each element of a shifted array, or the only element of what fills it up.
pub(super) fn shift(from: &[usize], axis: usize, by: i64) -> Vec<(u32, u32)> {
    let inner: usize = from[axis + 1..].iter().product();
    let outer: usize = from[..axis].iter().product();
    let length = from[axis];
    let source = |i: usize| {
        let source = (i as i64).checked_sub(by).and_then(|source| usize::try_from(source).ok());
        source.filter(|source| *source < length)
    };
    let mut all = Vec::with_capacity(outer * length * inner);
    for (o, i) in (0..outer).flat_map(|o| (0..length).map(move |i| (o, i))) {
        match source(i).map(|source| (o * length + source) * inner) {
            Some(start) => all.extend((start..start + inner).map(|at| (0, at as u32))),
            None => all.extend(std::iter::repeat_n((1, 0), inner)),
        }
    }
    all
}

/// The operand's element for each element of an array whose axis is turned round.
pub(super) fn flip(from: &[usize], axis: usize) -> Vec<u32> {
    let positions: Vec<u64> = (0..from[axis] as u64).rev().collect();
    gather(from, axis, &positions)
}

/// The operand and its element for each element of an array, of which a part is replaced from `start` on.
pub(super) fn update(
    array: &[usize],
    part: &[usize],
    axis: usize,
    start: usize,
) -> Vec<(u32, u32)> {
    let inner: usize = array[axis + 1..].iter().product();
    let outer: usize = array[..axis].iter().product();
    let (run, replaced) = (array[axis] * inner, part[axis] * inner);
    let first = start * inner;
    let mut all = Vec::with_capacity(outer * run);
    for o in 0..outer {
        all.extend((0..first).map(|i| (0, (o * run + i) as u32)));
        all.extend((0..replaced).map(|i| (1, (o * replaced + i) as u32)));
        all.extend((first + replaced..run).map(|i| (0, (o * run + i) as u32)));
    }
    all
}

/// The operand and its element for each element of a concatenation.
pub(super) fn concat(shapes: &[Vec<usize>], axis: usize) -> Vec<(u32, u32)> {
    let outer: usize = shapes[0][..axis].iter().product();
    let runs: Vec<usize> = shapes.iter().map(|shape| shape[axis..].iter().product()).collect();
    let mut all = Vec::with_capacity(outer * runs.iter().sum::<usize>());
    for o in 0..outer {
        for (which, run) in (0..).zip(&runs) {
            all.extend((o * run..(o + 1) * run).map(|i| (which, i as u32)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_numpy() {
        assert_eq!(broadcast(&[1, 2], &[3, 2]), [0, 1, 0, 1, 0, 1]);
        assert_eq!(broadcast(&[], &[4]), [0; 4]);
        assert_eq!(broadcast(&[2, 1], &[2, 2, 3]), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
        assert_eq!(slice(&[2, 5], 1, [1, 2], &[2, 2]), [1, 3, 6, 8]);
        assert_eq!(transpose(&[2, 3], &[1, 0]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(gather(&[2, 3], 1, &[2, 0, 2]), [2, 0, 2, 5, 3, 5]);
        assert_eq!(
            concat(&[vec![2, 1], vec![2, 2]], 1),
            [(0, 0), (1, 0), (1, 1), (0, 1), (1, 2), (1, 3)]
        );
        assert_eq!(slice(&[0], 0, [0, 1], &[0]), [] as [u32; 0]);
        assert_eq!(shift(&[3], 0, 1), [(1, 0), (0, 0), (0, 1)]);
        assert_eq!(shift(&[2, 2], 1, -1), [(0, 1), (1, 0), (0, 3), (1, 0)]);
        assert_eq!(shift(&[2], 0, i64::MIN), [(1, 0); 2]);
        assert_eq!(flip(&[2, 3], 0), [3, 4, 5, 0, 1, 2]);
        assert_eq!(flip(&[2, 3], 1), [2, 1, 0, 5, 4, 3]);
        assert!(flip(&[0], 0).is_empty());
        assert_eq!(
            update(&[2, 3], &[2, 1], 1, 2),
            [(0, 0), (0, 1), (1, 0), (0, 3), (0, 4), (1, 1)]
        );
    }
}
