//! Sorting: radix sort on shuffled rows (Hamada et al. 2014; Chida et al. 2019; Asharov et al.,
//! CCS 2022).
//!
//! A row is its key's bits and its number. Two bits of the key at a time, or the last one: every
//! row's place among the rows ordered by these bits is computed from shared prefix counts, rows
//! and places are shuffled, and the shuffled places are opened: a uniform permutation, whatever
//! the keys. Control flow and traffic depend on the number of rows and bits only.

use super::party_bits::planes_in;
use super::ring_keys::{Bench, Held};
use super::rings::Rings;
use super::{Backend, Data, Planes, Result, Ring, Secret};
use crate::arrays::SharedVec;
use crate::convert::shuffle::{self, Hop, Places};
use crate::convert::{BitPlanes, to_planes};
use crate::party::SharingError;
use crate::role::{Canonical, RoleId};
use tacit_ring::{Buffer, Word, Z2, simd, word};

const EVERYONE: [usize; 3] = [0, 1, 2];

/// Bits of the key that rows are ordered by at a time.
pub(super) const DIGIT_BITS: usize = 2;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Rows as words: the key's low 32 bits and the row number above them; further key bits in a
/// second column.
struct Rows {
    columns: Vec<SharedVec<Z2>>,
}

pub(super) fn by_shuffles<P: Canonical>(
    three: &mut Rings<'_, P>,
    key: &Planes,
    columns: &[&Secret],
) -> Result<Vec<Secret>> {
    let key = planes_in(key)?;
    let n = key.lanes;
    if n > u32::MAX as usize || key.planes() > 96 {
        return Err(SharingError::Shape("more rows or key bits than can be sorted".into()));
    }
    let mut rows = load::<P>(key);
    for bit in (0..key.planes()).step_by(DIGIT_BITS) {
        let digits = (key.planes() - bit).min(DIGIT_BITS);
        let places = places_by(three, &rows, bit, digits, n)?;
        rows = move_rows(three, rows, places)?;
    }
    let order = order_of(three, rows, n)?;
    apply(three, order, columns)
}

fn load<P: Canonical>(key: &BitPlanes) -> Rows {
    let n = key.lanes;
    let words = key.words();
    let cut = |from: usize, to: usize| {
        let part = |run: &Buffer<Z2>| {
            let run = &run[(from * words).min(run.len())..(to * words).min(run.len())];
            if run.is_empty() {
                Buffer::zeros(n)
            } else {
                shuffle::rows_of(run, run.len() / words.max(1), n)
            }
        };
        SharedVec::pair(part(&key.shares.first), part(&key.shares.second))
    };
    let planes = key.planes();
    let mut low = cut(0, planes.min(32));
    for i in 0..n {
        let number = P::constant(Z2((i as u64) << 32));
        // A constant of lanes: one where the number has a bit.
        low.first[i] = low.first[i].add(Z2(number[0].0));
        low.second[i] = low.second[i].add(Z2(number[1].0));
    }
    let mut columns = vec![low];
    if planes > 32 {
        columns.push(cut(32, planes));
    }
    Rows { columns }
}

/// Bit `bit` of every row's key.
fn key_bit(rows: &Rows, bit: usize, n: usize) -> Secret {
    let (column, shift) = if bit < 32 { (0, bit) } else { (1, bit - 32) };
    let part = |run: &Buffer<Z2>| {
        let mut plane = Buffer::<Z2>::zeros(n.div_ceil(64));
        let to = &mut plane;
        simd::vectorize(
            #[inline(always)]
            || {
                for (to, rows) in to.iter_mut().zip(run.chunks(64)) {
                    let bits = rows.iter().enumerate();
                    to.0 = bits.fold(0, |bits, (i, row)| bits | (row.0 >> shift & 1) << i);
                }
            },
        );
        plane
    };
    let from = &rows.columns[column];
    let shares = SharedVec::pair(part(&from.first), part(&from.second));
    Secret::bits(BitPlanes::shared(shares, n))
}

fn u32s(secret: &Secret) -> Result<&SharedVec<u32>> {
    match &secret.data {
        Data::W32(shares) => Ok(shares),
        _ => Err(SharingError::Shape("places are words of 32 bits".into())),
    }
}

/// Every row's place when rows are ordered by some bits, stably.
fn places_by<P: Canonical>(
    three: &mut Rings<'_, P>,
    rows: &Rows,
    bit: usize,
    digits: usize,
    n: usize,
) -> Result<SharedVec<u32>> {
    let bits: Vec<Secret> = (bit..bit + digits).map(|bit| key_bit(rows, bit, n)).collect();
    let products = products_of(three, bits)?;
    let flags = three.bit_to_ring(&Secret::side_by_side(&products), Ring::W32)?;
    let flags = u32s(&flags)?;
    let one = P::constant(1u32);
    let first = terms(&flags.first, n, digits, one[0]);
    let second = terms(&flags.second, n, digits, one[1]);
    let factors = SharedVec::pair(first.factors, second.factors);
    let steps = SharedVec::pair(first.steps, second.steps);
    let mut place = three.numbers.row_dots(n, &factors, &steps)?;
    for (run, base) in [(&mut place.first, &first.base), (&mut place.second, &second.base)] {
        run.iter_mut()
            .zip(base.iter())
            .for_each(|(place, base)| *place = place.wrapping_add(*base));
    }
    Ok(place)
}

/// The bits of a digit and, of two, their product.
fn products_of<P: Canonical>(
    three: &mut Rings<'_, P>,
    mut bits: Vec<Secret>,
) -> Result<Vec<Secret>> {
    if let [a, b] = &bits[..] {
        let both = three.multiply(a, b, [1, 1])?;
        bits.push(both);
    }
    Ok(bits)
}

/// `place = s_0 + sum_d f_d (s_d - s_0)`, componentwise: `f_d` flags the digit `d`, and `s_d` is
/// the place of a row if its digit is `d`.
struct Terms {
    /// `f_1..`, row by row.
    factors: Buffer<u32>,
    /// `s_d - s_0`, row by row.
    steps: Buffer<u32>,
    /// `s_0`.
    base: Buffer<u32>,
}

/// Which digit row `i` has, as flags: of one bit a `1 - a, a`, of two
/// `1 - a - b + ab, a - ab, b - ab, ab`.
#[inline(always)]
fn digit_flags(products: &[u32], step: usize, count: usize, i: usize, one: u32) -> [u32; DIGITS] {
    let a = products[i];
    if count == 2 {
        return [one.wrapping_sub(a), a, 0, 0];
    }
    let (b, both) = (products[step + i], products[2 * step + i]);
    let high = b.wrapping_sub(both);
    [one.wrapping_sub(a).wrapping_sub(high), a.wrapping_sub(both), high, both]
}

fn terms(products: &[u32], n: usize, digits: usize, one: u32) -> Terms {
    let (count, step) = (1 << digits, n.next_multiple_of(64));
    let width = count - 1;
    let mut totals = [0u32; DIGITS];
    for i in 0..n {
        for (total, flag) in totals.iter_mut().zip(digit_flags(products, step, count, i, one)) {
            *total = total.wrapping_add(flag);
        }
    }
    // Rows of smaller digits come first.
    let mut next = [0u32; DIGITS];
    for d in 1..count {
        next[d] = next[d - 1].wrapping_add(totals[d - 1]);
    }
    let mut out = Terms {
        factors: Buffer::zeros(n * width),
        steps: Buffer::zeros(n * width),
        base: Buffer::zeros(n),
    };
    let rows = out.factors.chunks_exact_mut(width).zip(out.steps.chunks_exact_mut(width));
    for (i, ((factors, steps), base)) in rows.zip(out.base.iter_mut()).enumerate() {
        let flags = digit_flags(products, step, count, i, one);
        *base = next[0];
        for d in 1..count {
            factors[d - 1] = flags[d];
            steps[d - 1] = next[d].wrapping_sub(next[0]);
        }
        for (next, flag) in next.iter_mut().zip(flags) {
            *next = next.wrapping_add(flag);
        }
    }
    out
}

impl<P: Canonical> Rings<'_, P> {
    /// A hop of `n` rows under a fresh permutation, in a new step.
    fn hop(&mut self, pair: RoleId, n: usize) -> Result<Hop> {
        let (_, bench) = self.numbers.step::<Z2>();
        let mut draws = bench.keys.streams().draws()?;
        Ok(Hop::draw::<P>(&mut draws, pair, n))
    }

    fn hop_begin<W: Held>(&mut self, hop: &Hop, column: &mut SharedVec<W>) -> Result<()> {
        let (party, Bench { keys, .. }) = self.numbers.same_step::<W>();
        let mut draws = keys.streams().draws()?;
        hop.begin::<P, W>(party, &mut draws, column)
    }

    fn hop_finish<W: Held>(&mut self, hop: &Hop, column: &mut SharedVec<W>) -> Result<()> {
        let (party, _) = self.numbers.same_step::<W>();
        hop.finish::<P, W>(party, column)
    }

    /// Opens shuffled places to everybody.
    fn open_places(&mut self, places: &SharedVec<u32>) -> Result<Places> {
        permutation(self.numbers.bits.open_words(places, &EVERYONE)?)
    }
}

/// Shuffles rows with their places, opens the places and puts the rows there.
fn move_rows<P: Canonical>(
    three: &mut Rings<'_, P>,
    rows: Rows,
    mut places: SharedVec<u32>,
) -> Result<Rows> {
    let mut columns = rows.columns;
    for pair in shuffle::hops::<P>() {
        let hop = three.hop(pair, places.len())?;
        three.hop_begin(&hop, &mut places)?;
        for column in &mut columns {
            three.hop_begin(&hop, column)?;
        }
        three.hop_finish(&hop, &mut places)?;
        for column in &mut columns {
            three.hop_finish(&hop, column)?;
        }
    }
    let to = three.open_places(&places)?;
    Ok(Rows { columns: columns.iter().map(|column| to.put(column)).collect() })
}

fn permutation(to: Buffer<u32>) -> Result<Places> {
    Places::new(to).ok_or_else(|| SharingError::Shape("opened places are no permutation".into()))
}

/// For every original row its place in the sorted order, shared: rows carry their number and, as a
/// public constant, their sorted place; shuffled, the numbers are opened.
fn order_of<P: Canonical>(
    three: &mut Rings<'_, P>,
    rows: Rows,
    n: usize,
) -> Result<SharedVec<u32>> {
    let low = rows.columns.into_iter().next().unwrap_or_else(|| SharedVec::zeros(0));
    let number = |run: &Buffer<Z2>| -> Buffer<Z2> {
        let mut out = run.clone();
        out.iter_mut().for_each(|w| *w = Z2(w.0 >> 32));
        out
    };
    let mut numbers = SharedVec::pair(number(&low.first), number(&low.second));
    let mut places = SharedVec::<u32>::zeros(n);
    for i in 0..n {
        [places.first[i], places.second[i]] = P::constant(i as u32);
    }
    for pair in shuffle::hops::<P>() {
        let hop = three.hop(pair, n)?;
        three.hop_begin(&hop, &mut numbers)?;
        three.hop_begin(&hop, &mut places)?;
        three.hop_finish(&hop, &mut numbers)?;
        three.hop_finish(&hop, &mut places)?;
    }
    let opened = three.numbers.bits.open_words(&numbers, &EVERYONE)?;
    let mut to = Buffer::zeros(n);
    to.iter_mut().zip(opened.iter()).for_each(|(to, number): (&mut u32, _)| *to = number.0 as u32);
    Ok(permutation(to)?.put(&places))
}

/// Moves columns to shared places.
fn apply<P: Canonical>(
    three: &mut Rings<'_, P>,
    mut places: SharedVec<u32>,
    columns: &[&Secret],
) -> Result<Vec<Secret>> {
    let mut moved: Vec<Column> = columns.iter().map(|column| Column::of(column)).collect();
    for pair in shuffle::hops::<P>() {
        let hop = three.hop(pair, places.len())?;
        three.hop_begin(&hop, &mut places)?;
        for column in &mut moved {
            column.begin(three, &hop)?;
        }
        three.hop_finish(&hop, &mut places)?;
        for column in &mut moved {
            column.finish(three, &hop)?;
        }
    }
    let to = three.open_places(&places)?;
    Ok(moved.iter().map(|column| column.placed(&to)).collect())
}

/// A column under way; bits have a word per row.
enum Column {
    Bits(SharedVec<Z2>),
    W32(SharedVec<u32>),
    W64(SharedVec<u64>),
    W128(SharedVec<u128>),
}

/// Evaluates an expression with `$v` bound to the shares of a column.
macro_rules! with_column {
    ($column:expr, $v:ident => $body:expr) => {
        match $column {
            Column::Bits($v) => $body,
            Column::W32($v) => $body,
            Column::W64($v) => $body,
            Column::W128($v) => $body,
        }
    };
}

fn copy<W: Word>(shares: &SharedVec<W>) -> SharedVec<W> {
    SharedVec::pair(shares.first.clone(), shares.second.clone())
}

impl Column {
    fn of(secret: &Secret) -> Self {
        match &secret.data {
            Data::None => Column::Bits(SharedVec::zeros(0)),
            Data::Bits(bits) => {
                let rows = |run: &Buffer<Z2>| shuffle::rows_of(run, 1, bits.lanes);
                let SharedVec { first, second, .. } = &bits.shares;
                Column::Bits(SharedVec::pair(rows(first), rows(second)))
            }
            Data::W32(shares) => Column::W32(copy(shares)),
            Data::W64(shares) => Column::W64(copy(shares)),
            Data::W128(shares) => Column::W128(copy(shares)),
        }
    }

    fn begin<P: Canonical>(&mut self, three: &mut Rings<'_, P>, hop: &Hop) -> Result<()> {
        with_column!(self, v => three.hop_begin(hop, v))
    }

    fn finish<P: Canonical>(&mut self, three: &mut Rings<'_, P>, hop: &Hop) -> Result<()> {
        with_column!(self, v => three.hop_finish(hop, v))
    }

    fn placed(&self, to: &Places) -> Secret {
        match self {
            Column::Bits(rows) => {
                let rows = to.put(rows);
                let bits = |run: &Buffer<Z2>| to_planes(word::lanes(run), 1);
                let shares = SharedVec::pair(bits(&rows.first), bits(&rows.second));
                Secret::bits(BitPlanes::shared(shares, rows.len()))
            }
            Column::W32(v) => Secret::of(to.put(v)),
            Column::W64(v) => Secret::of(to.put(v)),
            Column::W128(v) => Secret::of(to.put(v)),
        }
    }
}
