//! Bilinear forms of upper and lower values, row by row: what gadgets make sharings of.

use super::masked_party::Split;
use super::{Masked, MaskedParty, Seat};
use tacit_ring::simd;
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;
use tacit_sharing::party::Draws;

/// A sum `upper[0] + terms` per row: what is known to whom, and how it is put together.
#[derive(Clone, Copy)]
pub(super) struct Form<'a, N, W, U, L, T, const K: usize, const S: usize> {
    known: [&'a [N]; K],
    shared: [&'a [W]; S],
    upper: U,
    lower: L,
    terms: T,
}

/// Where the rows of a form go.
pub(super) trait Sink<W> {
    /// There will be `n` rows. Called where the compiler sees it: no bounds checks stand in loops.
    fn cut(&mut self, n: usize);
    /// A row's terms and first upper value, as [`MaskedParty::gadget`] wants them.
    fn put(&mut self, i: usize, terms: W, upper: W);
}

/// Rows, one after the other.
pub(super) struct Columns<'a, W> {
    /// Terms.
    pub terms: &'a mut [W],
    /// First upper values.
    pub upper: &'a mut [W],
}

impl<W> Sink<W> for Columns<'_, W> {
    #[inline(always)]
    fn cut(&mut self, n: usize) {
        let Columns { terms, upper } = self;
        *terms = &mut std::mem::take(terms)[..n];
        *upper = &mut std::mem::take(upper)[..n];
    }

    #[inline(always)]
    fn put(&mut self, i: usize, terms: W, upper: W) {
        self.terms[i] = terms;
        self.upper[i] = upper;
    }
}

/// The sums of all rows.
pub(super) struct Sums<'a, W> {
    /// The sum of the terms.
    pub terms: &'a mut W,
    /// The sum of the first upper values.
    pub upper: &'a mut W,
}

impl<W: Word> Sink<W> for Sums<'_, W> {
    #[inline(always)]
    fn cut(&mut self, _: usize) {}

    #[inline(always)]
    fn put(&mut self, _: usize, terms: W, upper: W) {
        *self.terms = self.terms.add(terms);
        *self.upper = self.upper.add(upper);
    }
}

impl<'a, N, W, U, L, T, const K: usize, const S: usize> Form<'a, N, W, U, L, T, K, S>
where
    N: Word,
    W: Word,
{
    /// `known` are columns that a seat knows, and `shared` columns that all have in some form.
    /// `upper` makes a row's upper values of what the pair knows, `lower` its lower ones of what the
    /// others know. `terms` adds up products with a lower value each: from what is shared, the
    /// upper values, the lower ones as factors of upper values, and as factors of public values.
    pub fn new<const A: usize, const B: usize>(
        known: [&'a [N]; K],
        shared: [&'a [W]; S],
        upper: U,
        lower: L,
        terms: T,
    ) -> Self
    where
        U: Fn([N; K]) -> [W; A],
        L: Fn([N; K]) -> [W; B],
        T: Fn([W; S], [W; A], [W; B], [W; B]) -> W,
    {
        Form { known, shared, upper, lower, terms }
    }

    /// A fresh sharing of the form, `n` rows. One deal per lower value and, of four parties, one
    /// raise per upper value; one gadget.
    ///
    /// # Errors
    /// When the network fails.
    pub fn share<const A: usize, const B: usize>(
        self,
        masked_party: &mut MaskedParty<'_, '_>,
        draws: &mut Draws<'_>,
        n: usize,
    ) -> Result<Masked<W>, SharingError>
    where
        U: Fn([N; K]) -> [W; A],
        L: Fn([N; K]) -> [W; B],
        T: Fn([W; S], [W; A], [W; B], [W; B]) -> W,
    {
        let (mut sum, mut c) = (Buffer::zeros(n), Buffer::zeros(n));
        self.rows(masked_party, draws, n, Columns { terms: &mut sum, upper: &mut c })?;
        masked_party.gadget(draws, sum, Some(&c))
    }

    /// Deals and raises, and gives all rows to a sink.
    ///
    /// # Errors
    /// When the network fails.
    pub fn rows<const A: usize, const B: usize>(
        self,
        masked_party: &mut MaskedParty<'_, '_>,
        draws: &mut Draws<'_>,
        n: usize,
        sink: impl Sink<W>,
    ) -> Result<(), SharingError>
    where
        U: Fn([N; K]) -> [W; A],
        L: Fn([N; K]) -> [W; B],
        T: Fn([W; S], [W; A], [W; B], [W; B]) -> W,
    {
        let Form { known, shared, upper, lower, terms } = self;
        let pair = masked_party.seat().is_pair();
        let dealt = match pair {
            true => std::array::from_fn(|_| Buffer::default()),
            false => columns(n, known, lower),
        };
        let split = deal_all(masked_party, draws, n, dealt)?;
        if masked_party.seat() == Seat::Dealer {
            return Ok(());
        }
        if !masked_party.raises() {
            put_rows(n, &split, shared, known, upper, terms, sink);
            return Ok(());
        }
        let mut uppers = match pair {
            true => columns(n, known, upper),
            false => std::array::from_fn(|_| Buffer::zeros(n)),
        };
        for upper in &mut uppers {
            *upper = masked_party.raise(draws, std::mem::take(upper))?;
        }
        let uppers = uppers.each_ref().map(|upper| &upper[..]);
        put_rows(n, &split, shared, uppers, std::convert::identity, terms, sink);
        Ok(())
    }
}

/// Values of all rows, one buffer each.
fn columns<N: Word, W: Word, const K: usize, const V: usize>(
    n: usize,
    known: [&[N]; K],
    row: impl Fn([N; K]) -> [W; V],
) -> [Buffer<W>; V] {
    let mut columns: [Buffer<W>; V] = std::array::from_fn(|_| Buffer::zeros(n));
    let to = columns.each_mut().map(|column| &mut column[..]);
    simd::vectorize(
        #[inline(always)]
        move || {
            let known = known.map(|column| &column[..n]);
            let mut to = to.map(|column| &mut column[..n]);
            for i in 0..n {
                let row = row(known.map(|column| column[i]));
                for (to, value) in to.iter_mut().zip(row) {
                    to[i] = value;
                }
            }
        },
    );
    columns
}

fn deal_all<W: Word, const V: usize>(
    masked_party: &mut MaskedParty<'_, '_>,
    draws: &mut Draws<'_>,
    n: usize,
    values: [Buffer<W>; V],
) -> Result<[Split<W>; V], SharingError> {
    let mut split: [Option<Split<W>>; V] = std::array::from_fn(|_| None);
    for (split, t) in split.iter_mut().zip(values) {
        *split = Some(masked_party.deal(draws, &t, n)?);
    }
    Ok(split.map(|split| split.expect("all are dealt")))
}

/// Gives the terms and the first upper value of every row to a sink.
fn put_rows<N: Word, W: Word, const K: usize, const S: usize, const A: usize, const B: usize>(
    n: usize,
    split: &[Split<W>; B],
    shared: [&[W]; S],
    known: [&[N]; K],
    upper: impl Fn([N; K]) -> [W; A],
    terms: impl Fn([W; S], [W; A], [W; B], [W; B]) -> W,
    mut sink: impl Sink<W>,
) {
    let part = split.each_ref().map(|split| split.part());
    let plain = split.each_ref().map(|split| split.plain());
    simd::vectorize(
        #[inline(always)]
        move || {
            let (part, plain) = (part.map(|t| &t[..n]), plain.map(|t| &t[..n]));
            let (shared, known) = (shared.map(|a| &a[..n]), known.map(|c| &c[..n]));
            sink.cut(n);
            for i in 0..n {
                let upper = upper(known.map(|column| column[i]));
                let (part, plain) = (part.map(|t| t[i]), plain.map(|t| t[i]));
                let terms = terms(shared.map(|a| a[i]), upper, part, plain);
                sink.put(i, terms, upper[0]);
            }
        },
    );
}
