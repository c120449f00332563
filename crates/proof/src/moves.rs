//! Proof that rows were moved: that shared words `to` are shared words `from` in the order that two roles know.
//!
//! In a hop of a shuffle a pair of roles, `i` and `i + 1`, permutes and shares again. A cheat
//! among them can add to what it sends, and to nothing else: so `to_j = from_(order_j)` for all `j` is all that has to be
//! proven. With a random factor `r_j` for every row that is one inner product,
//!
//! ```text
//!   sum_j r_j to_j  =  < f, from >,   f_(order_j) = r_j,
//! ```
//!
//! of a vector `f` that the pair knows, and so is a sharing of itself by the component that only they have, with a vector
//! that all share. The third role needs neither the order nor `f`. What it proves is linear in what was sent, and it fails if
//! and only if something was added, whatever the rows hold.
//!
//! Words of bits are elements of the field of 2^64. Words of rings go through integers, as products do in
//! [`lift`](super::lift): each row is in some of 41 sets, and of each set the sum of its rows over the integers is shared.
//!
//! Roles toss the coin only when *each of them* has all that it was owed: see [`ProofChannel::arrived`]. Products go to the
//! previous role, which shows the half of the coin that their sender lacks; of a hop, one message goes to the next role.

use super::channel::ProofChannel;
use super::field::{Field, Gf64};
use super::fold::{self, Hiding, Steps};
use super::lift::{self, Places, Results, Sums, TOGETHER, Weights};
use super::{Charge, Proving, Scratch, Strength, Two, wide};
use tacit_ring::gf64::{Hardware, Multiplier, Portable};
use tacit_ring::prime::Prime;
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Word, Z2, word};
use tacit_sharing::SharingError;
use tacit_sharing::role::RoleId;

/// Rows of columns that are proven together, unless a column is longer.
const MOST: usize = 1 << 20;

/// Bits of a word of bits.
const WORD: u32 = 64;

/// A column of rows that were moved in a hop, as a role has it.
#[derive(Clone, Copy)]
pub struct Move<'a, W> {
    /// The first role of the pair that knows the order; the next one is the second.
    pub pair: RoleId,
    /// The order, in the pair: row `j` comes from row `order[j]`.
    pub order: Option<&'a [u32]>,
    /// Components of the rows before.
    pub from: Two<'a, W>,
    /// Components of the rows after.
    pub to: Two<'a, W>,
}

/// The columns of a shuffle, of all its hops.
#[derive(Default)]
pub struct Moves<'a> {
    /// Words of bits.
    pub words: Vec<Move<'a, Z2>>,
    /// Words of 32 bits.
    pub w32: Vec<Move<'a, u32>>,
    /// Words of 64 bits.
    pub w64: Vec<Move<'a, u64>>,
    /// Words of 128 bits.
    pub w128: Vec<Move<'a, u128>>,
}

/// How many columns of `rows` rows are proven together.
fn together(rows: usize) -> usize {
    (MOST / rows.max(1)).max(1)
}

/// What it sends to prove that so many columns of `rows` rows each, words of `bits` bits, were moved.
pub(super) fn cost(proving: Proving, bits: u32, [columns, rows]: [usize; 2]) -> Charge {
    if rows == 0 {
        return Charge::default();
    }
    let (most, strength) = (together(rows), proving.strength);
    let once = |terms: usize| match bits {
        1 => cost_of_words(terms).charge().times(super::proofs(strength)),
        _ => lift::cost(bits, strength, terms),
    };
    let whole = once(most * rows).times((columns / most) as u64);
    match columns % most {
        0 => whole,
        rest => whole + once(rest * rows),
    }
}

/// What it takes to prove once that words of bits were moved.
fn cost_of_words(rows: usize) -> fold::Cost {
    let steps = Steps::of_batch(WORD, rows);
    let mut cost = steps.cost(rows);
    // The coin that opens what is not folded gives what rows count for, too.
    if steps.level(rows) > 0 {
        cost.coins += 1;
        cost.rounds += 1;
    }
    cost
}

/// The chance that a row of `rows` that is off passes: in words of `bits` bits.
#[cfg(test)]
pub(super) fn chance(strength: Strength, bits: u32, rows: usize) -> f64 {
    let once = || super::bits::chance(cost_of_words(rows));
    match bits {
        // And of the factors of rows.
        1 => (once() + (-64f64).exp2()).powi(super::proofs(strength) as i32),
        _ => lift::chance(bits, strength, rows),
    }
}

/// Integers under masks in what [`cost`] is of.
pub(super) fn masked(proving: Proving, bits: u32, [columns, rows]: [usize; 2]) -> u64 {
    if bits == 1 || rows == 0 {
        return 0;
    }
    columns.div_ceil(together(rows)) as u64 * lift::masked(proving.strength) as u64
}

/// Proves all moves of a shuffle.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    strength: Strength,
    moves: &Moves<'_>,
) -> Result<(), SharingError> {
    channel.arrived()?;
    for some in batches(&moves.words) {
        for _ in 0..super::proofs(strength) {
            match Hardware::detect() {
                Some(hardware) => prove_words(Gf64(hardware), channel, scratch, some)?,
                None => prove_words(Gf64(Portable), channel, scratch, some)?,
            }
        }
    }
    rings(channel, scratch, strength, &moves.w32)?;
    rings(channel, scratch, strength, &moves.w64)?;
    rings(channel, scratch, strength, &moves.w128)
}

fn batches<'s, 'a, W>(moves: &'s [Move<'a, W>]) -> impl Iterator<Item = &'s [Move<'a, W>]> {
    let rows = moves.first().map_or(0, |first| first.to[0].len());
    moves.chunks(together(rows)).filter(move |_| rows > 0)
}

fn rings<W: Word>(
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    strength: Strength,
    moves: &[Move<'_, W>],
) -> Result<(), SharingError> {
    for moves in batches(moves) {
        lift::prove::<W>(channel, scratch, strength, &Moved { moves, role: channel.role() })?;
    }
    Ok(())
}

/// Proves that words of bits were moved, in the field whose elements they are.
fn prove_words<M: Multiplier>(
    field: Gf64<M>,
    channel: &mut ProofChannel<'_, '_, '_>,
    scratch: &mut Scratch,
    moves: &[Move<'_, Z2>],
) -> Result<(), SharingError> {
    let rows: usize = moves.iter().map(|it| it.to[0].len()).sum();
    let steps = Steps::of_batch(WORD, rows);
    let [mut f, mut g] = scratch.columns(steps.padded(rows));
    f.iter_mut().for_each(|run| run.fill(0));
    for (c, run) in g.iter_mut().enumerate() {
        run[rows..].fill(0);
        let words = moves.iter().flat_map(|it| word::as_u64(it.from[c]));
        run.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
    }
    let g = g.map(|run| &*run);
    // What hides vectors that are not folded needs no coin.
    let hiding = match steps.level(rows) {
        0 => Some(Hiding::of(channel, field, g.map(|run| &run[..rows]))?),
        _ => None,
    };
    let mut challenge = channel.coin()?;
    let factors = challenge.words::<u64>(rows);
    let mut claim = [0; 2];
    let mut at = 0;
    for Move { pair, order, to, .. } in moves {
        let rows = at..at + to[0].len();
        let factors = &factors[rows.clone()];
        for c in 0..2 {
            let weighted = word::as_u64(to[c]).iter().zip(factors);
            let sum = weighted.fold(Gf64::<M>::NONE, |sum, (to, r)| field.plus(sum, *to, *r));
            claim[c] = field.add(claim[c], field.total(sum));
        }
        if let (Some(order), Some(c)) = (order, component(*pair, channel.role())) {
            let f = &mut f[c][rows.clone()];
            order.iter().zip(factors).for_each(|(from, r)| f[*from as usize] = *r);
        }
        at = rows.end;
    }
    let vectors = [f.map(|run| &*run), g];
    let Some(hiding) = hiding else {
        return fold::prove_in(channel, (field, steps), vectors, rows, claim);
    };
    let t = challenge.elements(field, 1)[0];
    fold::open(channel, field, vectors.map(|runs| runs.map(|run| &run[..rows])), claim, (hiding, t))
}

/// Which of a role's components is the one that only the pair has, if it is of the pair: the first role's next, the second
/// one's own.
fn component(pair: RoleId, role: RoleId) -> Option<usize> {
    match (role + 3 - pair) % 3 {
        0 => Some(1),
        1 => Some(0),
        _ => None,
    }
}

/// Rows of a ring that were moved: each is a sum of one product, of one and the row that it was.
pub(super) struct Moved<'s, 'a, W> {
    pub moves: &'s [Move<'a, W>],
    pub role: RoleId,
}

impl<W: Word> Results<W> for Moved<'_, '_, W> {
    fn results(&self) -> usize {
        self.moves.iter().map(|it| it.to[0].len()).sum()
    }

    fn terms(&self) -> usize {
        self.results()
    }

    fn seconds(&self) -> impl Iterator<Item = [W; 2]> {
        let rows = self.moves.iter().flat_map(|it| it.from[0].iter().zip(it.from[1]));
        rows.map(|(own, next)| [*own, *next])
    }

    fn sums<const LANES: usize, const SUBSETS: usize>(
        &self,
        places: &Places<SUBSETS>,
    ) -> Vec<Sums> {
        simd::run(OfSets::<W, LANES, SUBSETS> { moved: self, places })
    }

    fn lift<const SUBSETS: usize>(
        &self,
        field: Prime,
        weights: &Weights<'_, SUBSETS>,
        [mut f, mut g]: [[&mut [u64]; 2]; 2],
    ) {
        f.iter_mut().for_each(|run| run.fill(0));
        simd::run(Lifted { field, moved: self, weights, f: &mut f, g: &mut g });
    }
}

struct OfSets<'s, 'a, W, const LANES: usize, const SUBSETS: usize> {
    moved: &'s Moved<'s, 'a, W>,
    places: &'s Places<SUBSETS>,
}

impl<W: Word, const LANES: usize, const SUBSETS: usize> Kernel
    for OfSets<'_, '_, W, LANES, SUBSETS>
{
    type Output = Vec<Sums>;

    #[inline(always)]
    fn run(self) -> Vec<Sums> {
        let Moved { moves, role } = *self.moved;
        // Rows of all columns, one after the other.
        let mut rows = moves.iter().flat_map(|it| (0..it.to[0].len()).map(move |row| (it, row)));
        lift::sum_up::<LANES, SUBSETS>(self.places, self.moved.results(), |_| {
            let Some((it, row)) = rows.next() else { return [0; LANES] };
            lift::lanes(it.summand(role, row))
        })
    }
}

impl<W: Word> Move<'_, W> {
    /// What a row adds to the sums of a role: of the pair the first knows two components of what it was, the second one.
    #[inline(always)]
    fn summand(&self, role: RoleId, row: usize) -> Sums {
        let mut products = wide::ZERO;
        if let Some(order) = self.order {
            let from = order[row] as usize;
            if role == self.pair {
                wide::add_small(&mut products, self.from[0][from].to_u128());
            }
            wide::add_small(&mut products, self.from[1][from].to_u128());
        }
        Sums { products, results: self.to.map(|to| to[row].to_u128()) }
    }
}

struct Lifted<'s, 'a, 'c, W, const SUBSETS: usize> {
    field: Prime,
    moved: &'s Moved<'s, 'a, W>,
    weights: &'s Weights<'s, SUBSETS>,
    f: &'s mut [&'c mut [u64]; 2],
    g: &'s mut [&'c mut [u64]; 2],
}

impl<W: Word, const SUBSETS: usize> Kernel for Lifted<'_, '_, '_, W, SUBSETS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Lifted { field, moved, weights, f, g } = self;
        let mut at = 0;
        for it in moved.moves {
            for c in 0..2 {
                let to = g[c][at..at + it.from[c].len()].iter_mut();
                to.zip(it.from[c]).for_each(|(to, from)| *to = lift::remainder(field, *from));
            }
            at += it.from[0].len();
        }
        // Weights come eight at a time, across columns.
        let places = moved.moves.iter().scan(0, |end, it| {
            *end += it.to[0].len();
            Some((it, *end - it.to[0].len()))
        });
        let mut places = places.flat_map(|(it, start)| {
            let c = component(it.pair, moved.role);
            let to = move |row: usize| Some((c?, start + *it.order?.get(row)? as usize));
            (0..it.to[0].len()).map(to)
        });
        for group in weights.groups(field) {
            for weight in group.into_iter().take(TOGETHER) {
                match places.next() {
                    Some(Some((c, place))) => f[c][place] = lift::times(field, W::ONE, weight),
                    Some(None) => {}
                    None => return,
                }
            }
        }
    }
}
