//! Proof that an inner product of shared vectors is what a shared value claims, with messages that grow with the
//! logarithm of the length (`docs/spec/malicious-3pc-rings.md` section 4.4; sum-check over a grid, without divisions).
//!
//! A level reads the vectors as `K` pairs of multilinear polynomials in `v` variables, given by
//! their values at 0 and 1. The sum of their products has degree 2 in each variable; the parties
//! share its values where every variable is 0, 1 or "infinity" (the leading coefficient). The value
//! at (1, ..., 1) follows from the claim. A random point then makes a claim on vectors of length
//! `K`. A wrong claim becomes a right one with probability at most `2 v / |field|` per level.
//!
//! What is short is not folded further: the first vector opens, times a random `t` and masked by a vector whose inner
//! product with the second is shared before `t` is tossed. With what opened the rest is linear. A claim that is off by
//! `e` is off by `t e` and by what a cheat added before it knew `t`, so it passes with probability `1 / |field|`,
//! however long the vectors are. A level fewer saves two rounds.
//!
//! That inner product takes no message of its own. The second vector at the point of the last level is a sum of its blocks, with public
//! factors; so the masks' products with *all blocks* are shared beside the values on that level's grid, and one coin gives both
//! the point and `t`. All errors are fixed before it: that of the claim at the point is `e(r)`, that of the masked
//! product `d(r)`, and `t e(r) + d(r)` is zero for one `t` of all, unless `e(r)` is.

use super::Charge;
use super::channel::{Challenge, Pair, ProofChannel};
use super::field::Algebra;
use std::ops::AddAssign;
use tacit_ring::{Buffer, Word};
use tacit_sharing::SharingError;

/// Variables of a level at most, in fields.
pub(super) const MOST: usize = 4;
/// Points of the largest grid.
pub(super) const POINTS: usize = 3usize.pow(MOST as u32);
/// Length of vectors of words that are not folded any more: they take eight kilobytes, which is less than two rounds are worth.
pub(super) const SHORT: usize = 1 << 10;
/// The same where that is more than a hundredth of what products take: two kilobytes.
const SHORTEST: usize = 1 << 8;
/// So many products are many: what proves them adds no more than a hundredth to what they take beside the shortest vectors.
const MANY: usize = 1 << 16;
/// Longer vectors are folded by fewer variables, unless rounds are what counts.
const LONG: usize = 1 << 14;

/// A vector of shared elements, component by component.
pub(super) type Column<E = u64> = [Buffer<E>; 2];

/// What a proof folds at once, and what it opens in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// Variables of a level at most.
    pub variables: usize,
    /// Length of vectors that are not folded any more.
    pub short: usize,
    /// Longer vectors are folded by two variables at a time: what that costs in rounds it saves in work.
    pub long: usize,
}

impl Steps {
    /// Those of an algebra.
    pub const fn of<A: Algebra>() -> Steps {
        Steps { variables: A::VARIABLES, short: A::SHORT, long: LONG }
    }

    /// Those for so many products of `bits` bits, where elements are words: what opens is longer where products are few, and where it
    /// is at most a hundredth of what was sent for them.
    pub fn of_batch(bits: u32, products: usize) -> Steps {
        let spare = bits as usize * products / (100 * 64);
        let short = match products < MANY {
            true => SHORT,
            false => (1 << (SHORTEST + spare).ilog2()).min(SHORT),
        };
        Steps { short, ..OF_WORDS }
    }

    /// Whether the level for vectors of `len` elements, which is one, is the last.
    fn is_last(self, len: usize) -> bool {
        self.level(self.blocks(len)) == 0
    }

    /// Variables of the level for vectors of `len` elements: none where they are short, and no more than make them so.
    pub fn level(self, len: usize) -> usize {
        let most = if len > self.long { self.variables.min(2) } else { self.variables };
        let needed = len.div_ceil(self.short).next_power_of_two().ilog2() as usize;
        needed.min(most)
    }

    /// Elements of a block, for vectors of `len` elements.
    pub fn blocks(self, len: usize) -> usize {
        len.div_ceil(1 << self.level(len))
    }

    /// Length of a vector of `len` elements with the zeros that its blocks end in.
    pub fn padded(self, len: usize) -> usize {
        self.blocks(len) << self.level(len)
    }

    /// What it takes to prove a claim on vectors of `len` elements.
    pub fn cost(self, mut len: usize) -> Cost {
        let mut cost = Cost::default();
        if self.level(len) == 0 {
            cost += Cost { elements: 1, coins: 1, rounds: 2, roots: 0 };
        }
        while self.level(len) > 0 {
            let products = if self.is_last(len) { 1 << self.level(len) } else { 0 };
            cost += level_cost(self.level(len));
            cost += Cost { elements: products, ..Cost::default() };
            len = self.blocks(len);
        }
        cost += OPENING;
        cost += Cost { elements: len as u64, ..Cost::default() };
        cost
    }
}

/// Those in a field whose elements are words.
pub(super) const OF_WORDS: Steps = Steps { variables: MOST, short: SHORT, long: LONG };
/// The same in fewer rounds, for more work, and up to 32 kilobytes that open: where products take few rounds themselves.
pub(super) const IN_FEW_ROUNDS: Steps = Steps { variables: MOST, short: 1 << 12, long: usize::MAX };

/// What opens in the end, but for its elements.
pub(super) const OPENING: Cost = Cost { elements: 0, coins: 0, rounds: 1, roots: 1 };

/// Points of a grid.
pub(super) const fn points(variables: usize) -> usize {
    3usize.pow(variables as u32)
}

/// The number of the point (1, ..., 1), the last one that is a block.
pub(super) const fn all_ones(variables: usize) -> usize {
    (points(variables) - 1) / 2
}

/// Where the value at a point of a grid comes from: a block of the vector, or the difference of two
/// earlier points.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Block(usize),
    Difference(usize, usize),
}

/// The sources of all points, in order: digit `i` of a point's number, to base three, is its place
/// in variable `i`; bit `i` of a block's number likewise. Those behind the last are not used.
pub(super) const fn sources<const V: usize, const POINTS: usize>() -> [Source; POINTS] {
    let variables = V;
    let mut sources = [Source::Block(0); POINTS];
    let mut point = 0;
    while point < points(variables) {
        let (mut rest, mut digit, mut block, mut stride) = (point, 0, 0, 1);
        let mut found = false;
        while digit < variables && !found {
            match rest % 3 {
                2 => {
                    sources[point] = Source::Difference(point - stride, point - 2 * stride);
                    found = true;
                }
                one => block |= one << digit,
            }
            rest /= 3;
            digit += 1;
            stride *= 3;
        }
        if !found {
            sources[point] = Source::Block(block);
        }
        point += 1;
    }
    sources
}

/// What it takes to prove a claim on vectors of `len` elements in a field.
pub(super) fn cost(len: usize) -> Cost {
    OF_WORDS.cost(len)
}

/// What a level sends.
pub(super) fn level_cost(variables: usize) -> Cost {
    let roots = 2 * variables as u64;
    Cost { elements: points(variables) as u64 - 1, coins: 1, rounds: 2, roots }
}

/// What a proof sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Elements from each role to the previous one.
    pub elements: u64,
    /// Coins tossed.
    pub coins: u64,
    /// Rounds.
    pub rounds: u64,
    /// How many challenges at most, of all that may be drawn, make a wrong claim a right one: added up for all
    /// coins.
    pub roots: u64,
}

impl Cost {
    /// The cost in bytes, where an element is a word of 64 bits.
    pub fn charge(self) -> Charge {
        self.charge_of(8)
    }

    /// The cost in bytes, where an element takes `element` bytes.
    pub fn charge_of(self, element: u64) -> Charge {
        let Cost { elements, coins, rounds, .. } = self;
        Charge { bytes: element * elements, coins, rounds }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.elements += other.elements;
        self.coins += other.coins;
        self.rounds += other.rounds;
        self.roots += other.roots;
    }
}

/// Length of a vector of `len` elements of a field with the zeros that its blocks end in.
pub(super) fn padded(len: usize) -> usize {
    OF_WORDS.padded(len)
}

/// What hides the first vector where it opens: masks, and the shared inner product of these with the second.
pub(super) struct Hiding<E: Word = u64> {
    pub masks: Column<E>,
    pub product: Pair<E>,
}

impl<E: Word> Hiding<E> {
    /// Masks for vectors that are not folded, of which the second is this. Shares one element.
    ///
    /// # Errors
    /// When the network fails or a peer sends what no honest party does.
    pub fn of<A: Algebra<Element = E>>(
        channel: &mut ProofChannel<'_, '_, '_>,
        algebra: A,
        g: Runs<'_, E>,
    ) -> Result<Self, SharingError> {
        let masks = channel.random(algebra, g[0].len());
        let summand = inner(algebra, &masks, g);
        let product = channel.share(algebra, &[summand])?.map(|run| run[0]);
        Ok(Hiding { masks, product })
    }
}

/// A role's summand of an inner product with masks.
fn inner<A: Algebra>(
    algebra: A,
    masks: &Column<A::Element>,
    g: Runs<'_, A::Element>,
) -> A::Element {
    let products = (0..g[0].len()).map(|k| {
        let pair = |runs: Runs<'_, A::Element>| [runs[0][k], runs[1][k]];
        product(algebra, pair(masks.each_ref().map(|run| &run[..])), pair(g))
    });
    products.fold(A::Element::ZERO, |sum, product| algebra.sum(sum, product))
}

/// Components of a vector.
pub(super) type Runs<'a, E = u64> = [&'a [E]; 2];

/// Proves that the inner product of two vectors of `len` elements is `claim`. They are
/// [padded] with zeros.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn prove<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    algebra: A,
    vectors: [Runs<'_, A::Element>; 2],
    len: usize,
    claim: Pair<A::Element>,
) -> Result<(), SharingError> {
    prove_in(channel, (algebra, Steps::of::<A>()), vectors, len, claim)
}

/// The same, folded in other steps than are usual for the algebra.
///
/// # Errors
/// As [`prove`].
pub(super) fn prove_in<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    (algebra, steps): (A, Steps),
    vectors: [Runs<'_, A::Element>; 2],
    len: usize,
    mut claim: Pair<A::Element>,
) -> Result<(), SharingError> {
    if steps.level(len) == 0 {
        let vectors = vectors.map(|runs| runs.map(|run| &run[..len]));
        let hiding = Hiding::of(channel, algebra, vectors[1])?;
        let t = channel.coin()?.elements(algebra, 1)[0];
        return open(channel, algebra, vectors, claim, (hiding, t));
    }
    let (mut folded, mut last) = level(channel, (algebra, steps), vectors, len, &mut claim)?;
    let mut len = steps.blocks(len);
    loop {
        if let Some(last) = last {
            let vectors = runs(&folded).map(|runs| runs.map(|run| &run[..len]));
            return open(channel, algebra, vectors, claim, last);
        }
        (folded, last) = level(channel, (algebra, steps), runs(&folded), len, &mut claim)?;
        len = steps.blocks(len);
    }
}

fn runs<E: Word>(columns: &[Column<E>; 2]) -> [Runs<'_, E>; 2] {
    columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]))
}

/// What opens the vectors that the last level leaves: what hides the first one, and the factor that it opens times.
type Last<E> = (Hiding<E>, E);

/// What a level leaves: two vectors, and what opens them.
type Level<E> = ([Column<E>; 2], Option<Last<E>>);
/// A random point, what was shared beside the values on the grid, and the coin.
type Descent<E> = (Point<E>, Column<E>, Challenge);

/// One level: shorter vectors, and a claim on them. After the last one, what opens them, too.
fn level<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    (algebra, steps): (A, Steps),
    vectors: [Runs<'_, A::Element>; 2],
    len: usize,
    claim: &mut Pair<A::Element>,
) -> Result<Level<A::Element>, SharingError> {
    let (variables, blocks) = (steps.level(len), steps.blocks(len));
    let summands = algebra.grid(vectors, variables, blocks);
    let masks = steps.is_last(len).then(|| channel.random(algebra, blocks));
    let products = masks.iter().flat_map(|masks| {
        (0..1 << variables).map(|block| {
            let at = block * blocks..(block + 1) * blocks;
            inner(algebra, masks, vectors[1].map(|run| &run[at.clone()]))
        })
    });
    let products: Vec<A::Element> = products.collect();
    let (point, shared, mut challenge) =
        descend_with(channel, algebra, (&summands, &products), variables, claim)?;
    let folded = vectors.map(|column| {
        column.map(|run| {
            let mut folded = Buffer::zeros(steps.padded(blocks));
            algebra.folded(&point.blocks, run, &mut folded[..blocks]);
            folded
        })
    });
    let last = masks.map(|masks| {
        let product = point.of_blocks(algebra, &shared);
        (Hiding { masks, product }, challenge.elements(algebra, 1)[0])
    });
    Ok((folded, last))
}

/// Shares the values on a grid of which a role has summands, all but the one that the claim gives, and makes a
/// claim at a random point.
pub(super) fn descend<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    algebra: A,
    summands: &[A::Element],
    variables: usize,
    claim: &mut Pair<A::Element>,
) -> Result<Point<A::Element>, SharingError> {
    Ok(descend_with(channel, algebra, (summands, &[]), variables, claim)?.0)
}

/// Makes a claim as [`descend`] does, with values that are shared beside those of the grid; gives their shares, and the coin that the
/// point is from.
fn descend_with<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    algebra: A,
    (summands, beside): (&[A::Element], &[A::Element]),
    variables: usize,
    claim: &mut Pair<A::Element>,
) -> Result<Descent<A::Element>, SharingError> {
    let ones = all_ones(variables);
    let count = points(variables);
    let mut others = Buffer::zeros(count - 1 + beside.len());
    others[..ones].copy_from_slice(&summands[..ones]);
    others[ones..count - 1].copy_from_slice(&summands[ones + 1..count]);
    others[count - 1..].copy_from_slice(beside);
    let shared = channel.share(algebra, &others)?;
    let mut values = shared.each_ref().map(|run| {
        let mut values = Buffer::zeros(count);
        values[..ones].copy_from_slice(&run[..ones]);
        values[ones + 1..].copy_from_slice(&run[ones..count - 1]);
        values
    });
    let last = last_value(algebra, *claim, &values, variables);
    values.iter_mut().zip(last).for_each(|(values, last)| values[ones] = last);
    let mut challenge = channel.coin()?;
    let point = Point::new(algebra, &mut challenge, variables);
    *claim = point.claim(algebra, &values);
    let beside = shared.map(|run| Buffer::from_slice(&run[count - 1..]));
    Ok((point, beside, challenge))
}

impl Source {
    /// The block, or else the two points whose difference it is.
    #[inline(always)]
    pub fn parts(self) -> Result<usize, [usize; 2]> {
        match self {
            Source::Block(block) => Ok(block),
            Source::Difference(one, zero) => Err([one, zero]),
        }
    }

    /// The block, if it is one.
    #[inline(always)]
    pub fn block(self) -> Option<usize> {
        match self {
            Source::Block(block) => Some(block),
            Source::Difference(..) => None,
        }
    }

    /// Whether it is none.
    #[inline(always)]
    pub fn is_difference(self) -> bool {
        matches!(self, Source::Difference(..))
    }
}

/// What the claim says of the point (1, ..., 1): the claim less the other blocks. `values` lack it.
fn last_value<A: Algebra>(
    algebra: A,
    claim: Pair<A::Element>,
    values: &Column<A::Element>,
    variables: usize,
) -> Pair<A::Element> {
    // Points are numbered alike whatever the number of variables.
    let sources = sources::<MOST, POINTS>();
    let blocks = (0..all_ones(variables)).filter(|point| sources[*point].block().is_some());
    blocks.fold(claim, |sum, point| sub(algebra, sum, [values[0][point], values[1][point]]))
}

fn sub<A: Algebra>(algebra: A, a: Pair<A::Element>, b: Pair<A::Element>) -> Pair<A::Element> {
    [algebra.difference(a[0], b[0]), algebra.difference(a[1], b[1])]
}

/// A claim on short vectors: the first one opens, times a random factor and masked by random elements.
///
/// # Errors
/// When the network fails or a peer sends what no honest party does.
pub(super) fn open<A: Algebra>(
    channel: &mut ProofChannel<'_, '_, '_>,
    algebra: A,
    [f, g]: [Runs<'_, A::Element>; 2],
    claim: Pair<A::Element>,
    (Hiding { masks, product: masked }, t): (Hiding<A::Element>, A::Element),
) -> Result<(), SharingError> {
    let along = |a, b| algebra.sum(algebra.product(t, a), b);
    let hidden = [0, 1].map(|c| {
        let mut hidden = Buffer::zeros(f[c].len());
        for (to, (f, mask)) in hidden.iter_mut().zip(f[c].iter().zip(masks[c].iter())) {
            *to = along(*f, *mask);
        }
        hidden
    });
    let opened = channel.open(algebra, &hidden)?;
    let found = g.map(|run| {
        let products = opened.iter().zip(run).map(|(a, b)| algebra.product(*a, *b));
        products.fold(A::Element::ZERO, |sum, product| algebra.sum(sum, product))
    });
    let claimed = [0, 1].map(|c| along(claim[c], masked[c]));
    channel.claim_zero(&[sub(algebra, claimed, found)], |a, b| algebra.difference(a, b));
    Ok(())
}

/// A role's summand of a product.
fn product<A: Algebra>(algebra: A, a: Pair<A::Element>, b: Pair<A::Element>) -> A::Element {
    let first = algebra.product(a[0], algebra.sum(b[0], b[1]));
    algebra.sum(first, algebra.product(a[1], b[0]))
}

/// A random point: what each block, and each point of the grid, counts for there.
pub(super) struct Point<E = u64> {
    pub blocks: Vec<E>,
    pub points: Vec<E>,
}

impl<E: Word> Point<E> {
    pub fn new<A: Algebra<Element = E>>(
        algebra: A,
        challenge: &mut Challenge,
        variables: usize,
    ) -> Self {
        let one = E::ONE;
        let (mut blocks, mut points) = (vec![one], vec![one]);
        for r in challenge.elements(algebra, variables) {
            let rest = algebra.difference(one, r);
            let infinity = algebra.product(r, algebra.difference(r, one));
            let times = |weights: &[E], by: &[E]| -> Vec<E> {
                let each = |by: &E| weights.iter().map(|w| algebra.product(*w, *by)).collect();
                by.iter().flat_map::<Vec<E>, _>(each).collect()
            };
            blocks = times(&blocks, &[rest, r]);
            points = times(&points, &[rest, r, infinity]);
        }
        Point { blocks, points }
    }

    /// The value there of what has these values at the blocks, and degree 1 in each variable.
    pub fn of_blocks<A: Algebra<Element = E>>(&self, algebra: A, values: &Column<E>) -> Pair<E> {
        Self::weighted(algebra, values, &self.blocks)
    }

    /// The value there of what has these values on the grid.
    pub fn claim<A: Algebra<Element = E>>(&self, algebra: A, values: &Column<E>) -> Pair<E> {
        Self::weighted(algebra, values, &self.points)
    }

    fn weighted<A: Algebra<Element = E>>(algebra: A, values: &Column<E>, weights: &[E]) -> Pair<E> {
        values.each_ref().map(|run| {
            run.iter().zip(weights).fold(E::ZERO, |sum, (value, weight)| {
                algebra.sum(sum, algebra.product(*value, *weight))
            })
        })
    }
}
