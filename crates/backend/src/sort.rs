//! Sorting on shuffled rows: by comparisons that open ([`compared`]; Hamada et al. 2012), or where keys are short and rows many, by
//! radix (Hamada et al. 2014; Chida et al. 2019; Asharov et al., CCS 2022).
//!
//! By radix, a row is its key's bits and its number. Two bits of the key at a time, or the last one: every
//! row's place among the rows ordered by these bits is computed from shared prefix counts, rows
//! and places are shuffled, and the shuffled places are opened: a uniform permutation, whatever
//! the keys. Control flow and traffic depend on the number of rows and bits only.
//!
//! Under protocols with checks nothing opens before all that it comes of is proven and compared, the shuffle too, and nothing is
//! computed on before all have opened the same.

mod column;
mod compared;
mod rows;
#[cfg(test)]
mod tests;

pub use column::Column;
pub(super) use column::with_column;

use super::{Backend, Data, Kind, Planes, Result, Ring, Secret};
use crate::convert::shuffle::{Hop, Places};
use compared::Keyed;
use rows::{Rows, Terms};
use std::ops::Range;
use std::sync::OnceLock;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::SharingError;
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::role::RoleId;

/// Bits of the key that rows are ordered by at a time.
const DIGIT_BITS: usize = 2;

/// Bits of keys from which on rows are compared, however many there are.
const LEAST_BITS: usize = 9;

/// So many rows at most are put in order in one step, by comparisons of all pairs: a shuffle, a comparison and an opening, however
/// long keys are.
pub const AT_ONCE: usize = 256;

/// How rows are put in order after a shuffle.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// By comparisons.
    Compared,
    /// By one digit of their keys after the other, with a shuffle for each.
    Radix,
}

/// How so many rows with keys of so many bits are put in order after a shuffle; nothing where they are so few that a network is as fast.
pub(super) fn way(on: &mut dyn Shuffles, rows: usize, bits: usize) -> Option<Way> {
    // The rounds of a proof are those of a network of eight rows, those of comparing transcripts those of one of four.
    let fewest = match (on.proves(), on.least_rows()) {
        (true, _) => 9,
        (false, 0) => 2,
        _ => 5,
    };
    if !(fewest..u32::MAX as usize).contains(&rows) {
        return None;
    }
    let short = bits < LEAST_BITS && (bits <= DIGIT_BITS || rows > AT_ONCE);
    Some(if short && rows >= on.least_rows() { Way::Radix } else { Way::Compared })
}

/// What sorting by shuffles needs from a party, several of its workers, or a dry run.
pub trait Shuffles: Backend {
    /// The hops of a shuffle, in order.
    fn hops(&mut self) -> Vec<RoleId>;

    /// Rows from which on a shuffle for each digit is worth it.
    fn least_rows(&mut self) -> usize;

    /// Begins a shuffle of columns: brings them into the form in which they are under way.
    ///
    /// # Errors
    /// When the network fails.
    fn enter(&mut self, columns: Vec<Column>) -> Result<Vec<Column>>;

    /// Brings shuffled columns back into the form of shares. Local.
    fn leave(&mut self, columns: Vec<Column>) -> Vec<Column>;

    /// A hop of `n` rows under a fresh permutation.
    ///
    /// # Errors
    /// When a key is used up.
    fn draw(&mut self, hop: RoleId, n: usize) -> Result<Hop>;

    /// Whether shuffles are proven.
    fn proves(&mut self) -> bool;

    /// Proves the hops of a shuffle, each with its columns before and after.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn prove(&mut self, moves: &[(Hop, Vec<Column>)], after: &[Column]) -> Result<()>;

    /// Compares what all parties did, under protocols with checks: what was computed so far may then open. Of all workers
    /// together; a worker alone cannot, and opens nothing then.
    ///
    /// # Errors
    /// When a check fails, or the network does.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Compares what opened, unless it [opened at once](super::Bits::opens_at_once).
    ///
    /// # Errors
    /// As [`Shuffles::settle`].
    fn settle_opened(&mut self) -> Result<()> {
        if self.opens_at_once() { Ok(()) } else { self.settle() }
    }

    /// Brings a column into the form that a hop moves. Local.
    fn turn(&mut self, hop: &Hop, column: &mut Column);

    /// What comes to the rows `to` of columns in a hop, in fresh shares.
    ///
    /// # Errors
    /// When the network fails.
    fn hop(&mut self, hop: &Hop, columns: &[Column], to: Range<usize>) -> Result<Vec<Column>>;

    /// The same for all rows: what was moved takes the place of each column.
    ///
    /// # Errors
    /// When the network fails.
    fn hop_all(&mut self, hop: &Hop, columns: &mut Vec<Column>) -> Result<()> {
        let rows = columns.first().map_or(0, Column::len);
        *columns = self.hop(hop, columns, 0..rows)?;
        Ok(())
    }

    /// Inner products of the `rows` of two matrices of words of 32 bits.
    ///
    /// # Errors
    /// When the network fails.
    fn row_dots(&mut self, rows: usize, a: &Secret, b: &Secret) -> Result<Secret>;

    /// Opens rows of shuffled places, or of numbers, to everybody. Empty in a dry run.
    ///
    /// # Errors
    /// When the network fails.
    fn open_places(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>>;

    /// Opens bits to everybody: words of 64 of them. Empty in a dry run.
    ///
    /// # Errors
    /// When the network fails.
    fn open_bits(&mut self, bits: &Planes) -> Result<Buffer<Z2>> {
        // There are as many hops as roles.
        let everyone: Vec<RoleId> = (0..self.hops().len()).collect();
        Ok(self.open_planes(bits, &everyone)?.unwrap_or_default())
    }

    /// Row numbers of `n` rows: above 32 bits of zeros, and as words of 32 bits.
    fn numbers(&mut self, n: usize) -> [Column; 2];

    /// The share of one.
    fn one(&mut self) -> [u32; 2];

    /// Does some local work, by number: side by side, where there are threads.
    fn each(&mut self, tasks: usize, work: &(dyn Fn(usize) + Sync)) -> Result<()> {
        (0..tasks).for_each(work);
        Ok(())
    }
}

pub(super) fn by_shuffles(
    on: &mut dyn Shuffles,
    way: Way,
    key: &Planes,
    columns: &[&Secret],
) -> Result<Vec<Secret>> {
    match way {
        Way::Compared => by_comparisons(on, key, columns),
        Way::Radix => by_radix(on, key, columns),
    }
}

fn by_radix(on: &mut dyn Shuffles, key: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>> {
    let mut rows = Rows::of(on, key)?;
    if key.planes <= DIGIT_BITS {
        let places = places_by(on, &rows, 0, key.planes)?;
        drop(rows);
        return apply(on, places, columns);
    }
    for bit in (0..key.planes).step_by(DIGIT_BITS) {
        let digits = (key.planes - bit).min(DIGIT_BITS);
        let places = places_by(on, &rows, bit, digits)?;
        rows.columns = move_rows(on, rows.columns, places)?;
    }
    let order = order_of(on, rows)?;
    apply(on, order, columns)
}

/// One shuffle of rows and columns, and the order of the shuffled rows.
fn by_comparisons(on: &mut dyn Shuffles, key: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>> {
    let n = key.lanes;
    let mut rows = Keyed::of(on, key)?;
    let mut moved = std::mem::take(&mut rows.columns);
    let keys = moved.len();
    for column in columns {
        moved.push(Column::of(column)?);
    }
    rows.columns = shuffled(on, moved, n)?;
    let moved = rows.columns.split_off(keys);
    let order = rows.order(on)?;
    let pairs = moved.into_iter().zip(columns);
    if order.is_empty() {
        return Ok(pairs.map(|(column, like)| column.into_secret(like.kind)).collect());
    }
    let mut to = Buffer::zeros(n);
    (0..).zip(order).for_each(|(place, row)| to[row as usize] = place);
    let to = Places::new(to).ok_or_else(|| SharingError::Shape("an order of all rows".into()))?;
    pairs.map(|(column, like)| Ok(put(on, &column, &to)?.into_secret(like.kind))).collect()
}

/// Each column with the value of the last marked row up to every row; zero before the first one.
///
/// Marked rows are brought to the front, in their order, and each value is replaced by its difference to the one above, the
/// values of other rows by zeros. Moved back, the sums of the differences up to a row are the value of the last marked one. Two
/// shuffles, each of which opens shuffled places: uniform permutations.
pub(super) fn fill_forward(
    on: &mut dyn Shuffles,
    marked: &Secret,
    columns: Vec<Secret>,
) -> Result<Vec<Secret>> {
    let n = marked.len;
    if n > u32::MAX as usize {
        return Err(SharingError::Shape("more rows than can be shuffled".into()));
    }
    let others = on.plus(marked, 1)?;
    let rows = Rows::of(on, &Planes::of_secret(&others))?;
    let places = places_by(on, &rows, 0, 1)?;
    drop((rows, others));
    let [_, numbers] = on.numbers(n);
    let kinds: Vec<Kind> = columns.iter().map(|column| column.kind).collect();
    let mut moved = vec![numbers, Column::of(marked)?];
    for column in columns {
        moved.push(Column::from_secret(column)?);
    }
    let mut moved = move_rows(on, moved, places)?.into_iter();
    let missing = || SharingError::Shape("columns of a shuffle".into());
    let numbers = moved.next().ok_or_else(missing)?;
    let marked = moved.next().ok_or_else(missing)?.into_secret(marked.kind);
    let mut differences = Vec::new();
    for (value, kind) in moved.zip(&kinds) {
        let value = value.into_secret(*kind);
        let zero = on.public(value.kind, &[0], 1);
        let above = (0..n as u32).map(|row| row.checked_sub(1).map_or((1, 0), |row| (0, row)));
        let above = value.gather_from(&[&value, &zero], above);
        let difference = value.sum(&above, true);
        drop((value, above));
        let difference = match difference.kind {
            Kind::Bits => on.multiply(&marked, &difference, [1, 1])?,
            Kind::Ring(_) => on.inject(&marked, &difference)?,
        };
        differences.push(Column::from_secret(difference)?);
    }
    drop(marked);
    let back = move_rows(on, differences, numbers)?;
    let pairs = back.into_iter().zip(kinds);
    Ok(pairs.map(|(differences, kind)| differences.summed().into_secret(kind)).collect())
}

/// Every row's place when rows are ordered by some bits, stably.
fn places_by(on: &mut dyn Shuffles, rows: &Rows, bit: usize, digits: usize) -> Result<Column> {
    let n = rows.n;
    let bits = rows.key_bits(on, bit..bit + digits)?;
    let products = products_of(on, bits)?;
    let flags = on.bit_to_ring(&Secret::side_by_side(&products), Ring::W32)?;
    let Data::W32(flags) = flags.data else {
        let width = (1 << digits) - 1;
        let terms = Secret::dry(Kind::Ring(Ring::W32), n * width);
        return Column::of(&on.row_dots(n, &terms, &terms)?);
    };
    let one = on.one();
    let terms = side_by_side(on, |c| {
        let flags: &[u32] = flags.components()[c];
        Terms::new(flags, n, digits, one[c])
    })?;
    let [first, second] = terms;
    let factors = Secret::of(SharedVec::pair(first.factors, second.factors));
    let steps = Secret::of(SharedVec::pair(first.steps, second.steps));
    let place = on.row_dots(n, &factors, &steps)?;
    let base = Secret::of(SharedVec::pair(first.base, second.base));
    Column::of(&place.sum(&base, false))
}

/// Does local work for both components of a sharing, side by side.
fn side_by_side<T: Send + Sync>(
    on: &mut dyn Shuffles,
    work: impl Fn(usize) -> T + Sync,
) -> Result<[T; 2]> {
    let done = [const { OnceLock::new() }; 2];
    on.each(2, &|c| {
        let _ = done[c].set(work(c));
    })?;
    let missing = || SharingError::Shape("local work that was not done".into());
    let [first, second] = done.map(OnceLock::into_inner);
    Ok([first.ok_or_else(missing)?, second.ok_or_else(missing)?])
}

/// The bits of a digit and, of two, their product.
fn products_of(on: &mut dyn Shuffles, mut bits: Vec<Secret>) -> Result<Vec<Secret>> {
    if let [a, b] = &bits[..] {
        let both = on.multiply(a, b, [1, 1])?;
        bits.push(both);
    }
    Ok(bits)
}

/// Columns of `n` rows in an order that no party knows, under fresh shares: the same order for all of them. Proven, where shuffles
/// are; what is compared waits for [`Shuffles::settle`], before which nothing opens.
///
/// # Errors
/// When the network fails, or a peer sends what no honest party does.
pub fn shuffled(on: &mut dyn Shuffles, columns: Vec<Column>, n: usize) -> Result<Vec<Column>> {
    let (mut columns, proves) = (on.enter(columns)?, on.proves());
    let mut moves = Vec::new();
    for hop in on.hops() {
        let hop = on.draw(hop, n)?;
        let before = proves.then(|| columns.iter().map(Column::copied).collect());
        columns.iter_mut().for_each(|column| on.turn(&hop, column));
        on.hop_all(&hop, &mut columns)?;
        moves.extend(before.map(|before| (hop, before)));
    }
    if proves {
        on.prove(&moves, &columns)?;
    }
    Ok(on.leave(columns))
}

/// Opens shuffled places to everybody; nothing in a dry run.
fn opened(on: &mut dyn Shuffles, places: &Column, n: usize) -> Result<Option<Places>> {
    on.settle()?;
    let to = on.open_places(places, 0..n)?;
    // What opened decides what everybody computes next.
    on.settle_opened()?;
    if to.is_empty() && n > 0 {
        return Ok(None);
    }
    let places = Places::new(to);
    places.map(Some).ok_or_else(|| SharingError::Shape("opened places are no permutation".into()))
}

/// Shuffles rows with their places, opens the places and puts the rows there.
fn move_rows(on: &mut dyn Shuffles, rows: Vec<Column>, places: Column) -> Result<Vec<Column>> {
    let n = places.len();
    let mut columns = vec![places];
    columns.extend(rows);
    let mut columns = shuffled(on, columns, n)?.into_iter();
    let places = columns.next().unwrap_or(Column::Dry { rows: n, bits: 32 });
    match opened(on, &places, n)? {
        Some(to) => columns.map(|column| put(on, &column, &to)).collect(),
        None => Ok(columns.collect()),
    }
}

/// Every row of a column where it goes.
fn put(on: &mut dyn Shuffles, column: &Column, to: &Places) -> Result<Column> {
    Ok(with_column!(column, v, of => {
        let [first, second] = side_by_side(on, |c| to.put(v.components()[c]))?;
        of(SharedVec::pair(first, second))
    }, dry Column::Dry { rows: column.len(), bits: column.bits() }))
}

/// For every original row its place in the sorted order, shared: rows carry their number and, as a
/// public constant, their sorted place; shuffled, the numbers are opened.
fn order_of(on: &mut dyn Shuffles, rows: Rows) -> Result<Column> {
    let n = rows.n;
    let [_, places] = on.numbers(n);
    let moved = shuffled(on, vec![rows.into_numbers(), places], n)?;
    let [numbers, places] = &moved[..] else {
        return Err(SharingError::Shape("columns of a shuffle".into()));
    };
    match opened(on, numbers, n)? {
        Some(to) => put(on, places, &to),
        None => Ok(Column::Dry { rows: n, bits: 32 }),
    }
}

/// Moves columns to shared places.
fn apply(on: &mut dyn Shuffles, places: Column, columns: &[&Secret]) -> Result<Vec<Secret>> {
    let moved = columns.iter().map(|column| Column::of(column)).collect::<Result<_>>()?;
    let moved = move_rows(on, moved, places)?;
    Ok(moved
        .into_iter()
        .zip(columns)
        .map(|(moved, column)| moved.into_secret(column.kind))
        .collect())
}
