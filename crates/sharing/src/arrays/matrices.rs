//! Matrix products.
//!
//! What a role computes by itself for a product is bilinear in the shares ([`Role::cross`]): the sum of a few products of
//! plain matrices, each of a sum of the left factor's components and a sum of the right factor's. Those of the right
//! factor are [packed](Packed) once.

use super::{Cut, Summands, Sums, check_length, sums};
use crate::SharingError;
use crate::made;
use crate::matrix_shape::MatrixShape;
use crate::party::{Draws, Party};
use crate::products::Scratch;
use crate::role::{COMPONENTS, Few, Role};
use crate::shared_vec::SharedVec;
use std::ops::Range;
use tacit_ring::matrix::Packed;
use tacit_ring::{Buffer, Word};

/// `out = a b`, row-major.
///
/// # Errors
/// When the network fails or sizes do not fit.
pub fn matrix_product<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    shape: MatrixShape,
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    matrix_products::<P, W>(party, draws, scratch, cut, (1, shape), [a, b], out)
}

/// As many products of matrices of one shape as are said, each of a left factor and the right one at its place: the factors of all
/// are one after the other, and so are the products. They take the rounds of one.
///
/// # Errors
/// When the network fails or sizes do not fit.
pub fn matrix_products<P: Role, W: Word>(
    party: &mut Party<'_>,
    draws: &mut Draws<'_>,
    scratch: &mut Scratch<W>,
    cut: Cut,
    (batches, shape): (usize, MatrixShape),
    [a, b]: [&SharedVec<W>; 2],
    out: &mut SharedVec<W>,
) -> Result<(), SharingError> {
    let MatrixShape { rows, inner, columns } = shape;
    let sizes = [rows.checked_mul(inner), inner.checked_mul(columns), rows.checked_mul(columns)];
    let sizes = sizes.map(|size| size.and_then(|size| size.checked_mul(batches)));
    let fits = sizes == [a.len(), b.len(), out.len()].map(Some);
    check_length(fits, "a matrix product")?;
    if P::MADE {
        return made::results::<P, W>(party, cut, out, inner, |at, factors| {
            gather(shape, at, [a, b], factors);
        });
    }
    // Whole blocks of rows.
    let block = (cut.piece / columns.max(1)).max(ROW_BLOCK);
    let cut = Cut { piece: block * columns.max(1), ..cut };
    let packed = (0..batches).map(|_| Vec::new()).collect();
    let entries = Entries { a, b, shape, packed, left: Buffer::default() };
    sums::<P, W>(party, draws, scratch, cut, out, entries)?;
    if P::PROVEN {
        for batch in 0..batches {
            keep::<P, W>(party, shape, batch, [a, b], out)?;
        }
    }
    Ok(())
}

/// The factors of the entries `at`, entry after entry.
fn gather<W: Word>(
    MatrixShape { rows, inner, columns }: MatrixShape,
    at: Range<usize>,
    [a, b]: [&SharedVec<W>; 2],
    [x, y]: &mut [[Buffer<W>; 2]; 2],
) {
    for c in 0..2 {
        let (a, b) = (a.components()[c], b.components()[c]);
        let entries = x[c].chunks_exact_mut(inner).zip(y[c].chunks_exact_mut(inner));
        for (entry, (x, y)) in at.clone().zip(entries) {
            let (row, column) = (entry / columns, entry % columns);
            x.copy_from_slice(&a[row * inner..(row + 1) * inner]);
            let matrix = row / rows * (inner * columns);
            let column = b[matrix..].iter().skip(column).step_by(columns);
            y.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
        }
    }
}

/// What each component of a share is taken times.
type Coefficients<W> = [W; COMPONENTS];

/// One of the plain products that a role's cross terms are sums of.
struct Form<W> {
    term: usize,
    left: Coefficients<W>,
    right: Coefficients<W>,
}

/// The plain products of a role. The coefficients of a bilinear form are its values of unit shares; components of the left
/// factor that meet the same sum are added up first.
fn forms<P: Role, W: Word>() -> Vec<Form<W>> {
    let count = P::Share::<W>::COUNT;
    let unit = |c: usize| P::Share::<W>::each(|i| if i == c { W::ONE } else { W::ZERO });
    let mut forms: Vec<Form<W>> = Vec::new();
    for term in 0..P::CROSS {
        let first = forms.len();
        for c in 0..count {
            let mut right = [W::ZERO; COMPONENTS];
            for (d, right) in right.iter_mut().enumerate().take(count) {
                *right = P::cross(unit(c), unit(d))[term];
            }
            if right == [W::ZERO; COMPONENTS] {
                continue;
            }
            if !forms[first..].iter().any(|form| form.right == right) {
                forms.push(Form { term, left: [W::ZERO; COMPONENTS], right });
            }
            for form in forms[first..].iter_mut().filter(|form| form.right == right) {
                form.left[c] = W::ONE;
            }
        }
    }
    forms
}

struct Entries<'a, W> {
    a: &'a SharedVec<W>,
    b: &'a SharedVec<W>,
    shape: MatrixShape,
    /// Sums of the right factor's components, for each product.
    packed: Vec<Vec<(Coefficients<W>, Packed<W>)>>,
    /// Some rows of a sum of the left factor's.
    left: Buffer<W>,
}

impl<W: Word> Entries<'_, W> {
    /// Packs a sum of the components of one product's right factor, unless it is packed, and gives its place.
    fn pack(&mut self, batch: usize, coefficients: Coefficients<W>) -> usize {
        let place = self.packed[batch].iter().position(|(its, _)| *its == coefficients);
        place.unwrap_or_else(|| {
            let MatrixShape { inner, columns, .. } = self.shape;
            let own = batch * inner * columns..(batch + 1) * inner * columns;
            let factors: Vec<(W, &[W])> = coefficients
                .into_iter()
                .zip(self.b.components())
                .filter(|(times, _)| *times != W::ZERO)
                .map(|(times, words)| (times, &words[own.clone()]))
                .collect();
            self.packed[batch].push((coefficients, Packed::of_sum(inner, columns, &factors)));
            self.packed[batch].len() - 1
        })
    }
}

/// The sum of the components whose coefficients are one, of the words `at`.
fn sum_of<'a, W: Word>(
    factor: &'a SharedVec<W>,
    coefficients: Coefficients<W>,
    at: Range<usize>,
    buffer: &'a mut Buffer<W>,
) -> &'a [W] {
    let count = at.len();
    let components = factor.runs(at).into_iter().zip(coefficients);
    let terms: Vec<&[W]> = components.filter(|(_, c)| *c != W::ZERO).map(|(run, _)| run).collect();
    if let [only] = terms[..] {
        return only;
    }
    let sum = buffer.sized(count);
    sum.fill(W::ZERO);
    for term in terms {
        sum.iter_mut().zip(term).for_each(|(sum, word)| *sum = sum.add(*word));
    }
    sum
}

impl<W: Word> Summands<W> for Entries<'_, W> {
    fn sum<P: Role>(&mut self, at: Range<usize>, mut sums: Sums<'_, W>) {
        let MatrixShape { rows, inner, columns } = self.shape;
        sums.iter_mut().take(P::CROSS).for_each(|sums| sums.fill(W::ZERO));
        let (mut row, end) = (at.start / columns, at.end / columns);
        let first = row;
        while row < end {
            let batch = row / rows;
            let last = ((batch + 1) * rows).min(end);
            let results = (row - first) * columns..(last - first) * columns;
            for Form { term, left, right } in forms::<P, W>() {
                let place = self.pack(batch, right);
                let left = sum_of(self.a, left, row * inner..last * inner, &mut self.left);
                let packed = &self.packed[batch][place].1;
                packed.add_product(left, &mut sums[term][results.clone()]);
            }
            row = last;
        }
    }

    /// Nothing: see [`keep`].
    fn keep<P: Role>(
        &self,
        _: &mut Party<'_>,
        _: Range<usize>,
        _: &SharedVec<W>,
    ) -> Result<(), SharingError> {
        Ok(())
    }
}

/// Keeps one of several products to be proven, as a whole or entry by entry, and proves what has become many.
fn keep<P: Role, W: Word>(
    party: &mut Party<'_>,
    shape: MatrixShape,
    batch: usize,
    [a, b]: [&SharedVec<W>; 2],
    out: &SharedVec<W>,
) -> Result<(), SharingError> {
    let MatrixShape { rows, inner, columns } = shape;
    let own = |size: usize| batch * size..(batch + 1) * size;
    let right = own(inner * columns);
    let factors = [a.runs(own(rows * inner)), b.runs(right.clone())];
    if P::keep_matrix(party, shape, factors, out.runs(own(rows * columns)))? {
        return party.prove_if_many();
    }
    let mut column: [Buffer<W>; 2] = Default::default();
    for entry in own(rows * columns) {
        let (row, at) = (entry / columns, entry % columns);
        for (column, from) in column.iter_mut().zip(b.components()) {
            let entries = from[right.clone()].iter().skip(at).step_by(columns);
            column.sized(inner).iter_mut().zip(entries).for_each(|(to, from)| *to = *from);
        }
        let factors = [a.runs(row * inner..(row + 1) * inner), [&column[0], &column[1], &[]]];
        P::keep(party, factors, out.runs(entry..entry + 1), inner)?;
        party.prove_if_many()?;
    }
    Ok(())
}

/// Rows of a piece, at least.
const ROW_BLOCK: usize = 64;
