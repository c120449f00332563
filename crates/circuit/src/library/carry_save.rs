//! Adding many bits: carry-save reduction in AND levels (`docs/spec/circuits.md`
//! section 5.2), and sums of several words.
//!
//! A sum bit costs no level, only carries do. So within one AND level a column of
//! any height can be chained down to a single bit; what it emits, one carry per
//! two bits or (fan-in 4) three bits of twice or four times the weight per six,
//! sets how far the height can fall per level.

use super::adder;
use super::bits::{self, FanIn};
use super::counter::{ChainedAdder, fold, full_adder, seven_to_three};
use crate::{Builder, Wire};

/// Bits by weight: `columns[j]` are added with weight `2^j`.
pub type Columns = Vec<Vec<Wire>>;

/// How many adders a column uses, beyond need, to help the next columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Eagerness {
    /// As few adders as reach the target; only whole triples of carries are folded.
    Needed,
    /// A remaining pair of carries is folded too.
    Pairs,
    /// And the number of adders is rounded up to a multiple of three.
    Triples,
    /// Every column is reduced to one bit.
    All,
}

/// Heights that `1, 2, 3, ...` levels reduce to two rows, from 2 up to at least `height`.
pub fn level_targets(height: usize, fan_in: FanIn) -> Vec<usize> {
    let mut targets = vec![2];
    while let Some(&t) = targets.last().filter(|&&t| t < height) {
        let folding = fan_in >= FanIn::FOUR;
        targets.push(if t == 2 {
            3
        } else if folding {
            3 * (t - 1) + 1
        } else {
            2 * t - 1
        });
    }
    targets
}

/// Reduces the columns to at most two bits each, modulo `2^columns.len()`.
pub fn reduce(b: &mut Builder, mut columns: Columns, fan_in: FanIn) -> Columns {
    let modes: &[Eagerness] = if fan_in >= FanIn::FOUR {
        &[Eagerness::Needed, Eagerness::Pairs, Eagerness::Triples, Eagerness::All]
    } else {
        &[Eagerness::Needed, Eagerness::All]
    };
    while height(&columns) > 2 {
        let targets = level_targets(height(&columns), fan_in);
        let target = targets[targets.len() - 2];
        let mut next = Columns::new();
        for &mode in modes {
            next = reduce_level(b, &columns, fan_in, target, mode);
            if height(&next) <= target {
                break;
            }
        }
        columns = next;
    }
    columns
}

fn height(columns: &Columns) -> usize {
    columns.iter().map(Vec::len).max().unwrap_or(0)
}

/// One AND level towards columns of at most `target` bits.
fn reduce_level(
    b: &mut Builder,
    columns: &Columns,
    fan_in: FanIn,
    target: usize,
    mode: Eagerness,
) -> Columns {
    let width = columns.len();
    let mut next: Columns = vec![Vec::new(); width + 2];
    for (j, column) in columns.iter().enumerate() {
        let (kept, chain) = chain_column(b, column, next[j].len(), target, mode);
        emit_carries(b, &chain, fan_in, mode, &mut next[j + 1..]);
        let arrived = std::mem::replace(&mut next[j], kept);
        next[j].extend(arrived);
    }
    next.truncate(width);
    next
}

/// Chains adders along a column that, with `arriving` carries of this level,
/// would exceed the target: (bits left, adders whose carries are still to be placed).
fn chain_column(
    b: &mut Builder,
    column: &[Wire],
    arriving: usize,
    target: usize,
    mode: Eagerness,
) -> (Vec<Wire>, Vec<ChainedAdder>) {
    let excess = (column.len() + arriving).saturating_sub(target);
    let reduce_all = mode == Eagerness::All && column.len() > 2;
    if column.is_empty() || (excess == 0 && !reduce_all) {
        return (column.to_vec(), Vec::new());
    }
    let mut remove = match mode {
        Eagerness::All => column.len() - 1,
        Eagerness::Triples => excess.next_multiple_of(6),
        Eagerness::Needed | Eagerness::Pairs => excess,
    };
    let (mut sum, mut rest) = (column[0], &column[1..]);
    let mut chain = Vec::new();
    while let [x, y, tail @ ..] = rest {
        if remove < 2 {
            break;
        }
        let (next, adder) = ChainedAdder::full(b, sum, *x, *y);
        chain.push(adder);
        (sum, rest, remove) = (next, tail, remove - 2);
    }
    if let ([x, tail @ ..], true) = (rest, remove > 0) {
        let (next, adder) = ChainedAdder::half(b, sum, *x);
        chain.push(adder);
        (sum, rest) = (next, tail);
    }
    let kept = std::iter::once(sum).chain(rest.iter().copied()).collect();
    (kept, chain)
}

/// Places a chain's carries in the columns above, folded in threes where gates of
/// four inputs allow.
fn emit_carries(
    b: &mut Builder,
    chain: &[ChainedAdder],
    fan_in: FanIn,
    mode: Eagerness,
    above: &mut [Vec<Wire>],
) {
    let least = match (fan_in >= FanIn::FOUR, mode) {
        (false, _) => usize::MAX,
        (true, Eagerness::Needed) => 3,
        (true, _) => 2,
    };
    for group in chain.chunks(3) {
        if group.len() >= least {
            let (twos, fours) = fold(b, group);
            above[0].push(twos);
            if let Some(column) = above.get_mut(1) {
                column.push(fours);
            }
        } else {
            above[0].extend(group.iter().map(|adder| adder.carry.wire(b)));
        }
    }
}

/// Adds the columns up, modulo `2^columns.len()`: reduction to two rows, then the
/// select adder from the first column that holds two bits.
pub fn sum_columns(b: &mut Builder, columns: Columns, fan_in: FanIn) -> Vec<Wire> {
    let columns = reduce(b, columns, fan_in);
    sum_rows(b, columns, fan_in)
}

/// Adds up columns that are reduced to at most two bits each, by the select adder from the first column of two bits.
pub fn sum_rows(b: &mut Builder, columns: Columns, fan_in: FanIn) -> Vec<Wire> {
    let zero = b.constant(false);
    let bit = |column: &Vec<Wire>, k: usize| column.get(k).copied().unwrap_or(zero);
    let single = columns.iter().take_while(|c| c.len() < 2).count();
    let (low, high) = columns.split_at(single);
    let mut sum: Vec<Wire> = low.iter().map(|c| bit(c, 0)).collect();
    if !high.is_empty() {
        let x: Vec<Wire> = high.iter().map(|c| bit(c, 0)).collect();
        let y: Vec<Wire> = high.iter().map(|c| bit(c, 1)).collect();
        sum.extend(adder::select(b, &x, &y, None, false, fan_in));
    }
    sum
}

/// Sum of words modulo `2^width` by a chain of ripple adders, one AND per bit each.
pub fn sum_ripple(b: &mut Builder, words: &[Vec<Wire>]) -> Vec<Wire> {
    let (first, rest) = words.split_first().expect("a sum has a first word");
    rest.iter().fold(first.clone(), |sum, word| adder::ripple(b, &sum, word, None, false))
}

/// Sum of words of one width, modulo `2^width`, at little depth.
///
/// At each AND level all words that have arrived are compressed as whole rows
/// (3:2, or 7:3 where seven are ready and the fan-in allows); words that depend on
/// later levels join when they arrive. Compressing single columns instead would let
/// one extra bit ripple one column per level.
pub fn sum_words(b: &mut Builder, words: &[Vec<Wire>], fan_in: FanIn) -> Vec<Wire> {
    let mut rows = words.to_vec();
    let mut level = 0;
    while rows.len() > 2 {
        let (ready, later): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| bits::arrival(b, row) <= level);
        let (mut next, carries) = compress_rows(b, ready, fan_in);
        next.extend(later);
        next.extend(carries);
        rows = next;
        level += 1;
    }
    match rows.as_slice() {
        [x, y] => adder::select(b, x, y, None, false, fan_in),
        _ => rows.pop().unwrap_or_default(),
    }
}

/// Compresses rows until two or fewer are left: (rows left, rows of carries).
fn compress_rows(
    b: &mut Builder,
    mut rows: Vec<Vec<Wire>>,
    fan_in: FanIn,
) -> (Vec<Vec<Wire>>, Vec<Vec<Wire>>) {
    let mut carries = Vec::new();
    while rows.len() >= 3 {
        let take = if fan_in >= FanIn::FOUR && rows.len() >= 7 { 7 } else { 3 };
        let group: Vec<Vec<Wire>> = rows.drain(..take).collect();
        let (sum, over) = compress_group(b, &group);
        rows.insert(0, sum);
        carries.extend(over);
    }
    (rows, carries)
}

/// Three or seven rows: their sum row and one or two rows of carries, shifted.
fn compress_group(b: &mut Builder, group: &[Vec<Wire>]) -> (Vec<Wire>, Vec<Vec<Wire>>) {
    let width = group[0].len();
    let mut weights = vec![Vec::new(); if group.len() == 7 { 3 } else { 2 }];
    for j in 0..width {
        let column: Vec<Wire> = group.iter().map(|row| row[j]).collect();
        if let Ok(seven) = <[Wire; 7]>::try_from(column.as_slice()) {
            let counted = seven_to_three(b, seven);
            weights.iter_mut().zip(counted).for_each(|(row, bit)| row.push(bit));
        } else {
            let (sum, carry) = full_adder(b, column[0], column[1], column[2]);
            weights[0].push(sum);
            weights[1].push(carry.wire(b));
        }
    }
    let sum = weights.remove(0);
    let over = weights
        .iter()
        .enumerate()
        .rev()
        .map(|(k, row)| bits::shifted(b, row, k + 1, width))
        .collect();
    (sum, over)
}
