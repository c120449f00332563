//! Joins.
//!
//! The rows of the right side are put above those of the left side, and all are sorted by the key, stably: a row of the right side
//! comes first among those of its key. Then every row takes, from the last row of the right side up to it, the key and what is
//! wanted of it: where the key is its own, the rows match. Rows of the right side stay, as rows that are not valid.
//!
//! Where a row may match several, those of the right side that can match come first among those of a key, and so stand one after the
//! other: each takes along what the ones before it have. The result is as many copies of all rows, one for each match.

use super::frame::{Cell, Frame, Runs};
use super::keys::Word;
use super::{Bits, Lowering};
use crate::error::Result;
use crate::plan::Plan;
use tacit_program::build::Value;
use tacit_program::{Element, Fold, Span};

/// What a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The columns of both sides; with `outer` also rows of the left side without a match.
    Both {
        /// A left join.
        outer: bool,
        /// The most rows of the right side that a row may match.
        matches: u64,
    },
    /// The columns of the left side, of rows with a match; with `anti` of those without.
    Left {
        /// An anti join.
        anti: bool,
    },
}

impl Lowering<'_> {
    /// A join of two plans.
    pub fn join(
        &mut self,
        [left, right]: [&Plan; 2],
        on: &[(usize, usize)],
        keep: Keep,
        wanted: &[bool],
        span: &Span,
    ) -> Result<Frame> {
        let mut of_left = wanted[..left.fields.len()].to_vec();
        let mut of_right = match keep {
            Keep::Both { .. } => wanted[left.fields.len()..].to_vec(),
            Keep::Left { .. } => vec![false; right.fields.len()],
        };
        let shown = of_right.clone();
        for (a, b) in on {
            of_left[*a] = true;
            of_right[*b] = true;
        }
        let frames = [self.plan(left, &of_left)?, self.plan(right, &of_right)?];
        let (outer, matches) = match keep {
            Keep::Both { outer, matches } => (outer, matches),
            Keep::Left { .. } => (false, 1),
        };
        self.at(span);
        let stacked = self.stack(&frames, on, &shown, span)?;
        let rows = stacked.rows.clone();
        let together = matches > 1 && stacked.scattered;
        let stacked = self.in_order(stacked, together);
        // What the last row of the right side up to each row has, and those before it that match, too.
        let lifted: Vec<Cell> = stacked.right.iter().flatten().copied().collect();
        let lows: Vec<i128> = lifted.iter().map(|cell| self.low(cell.value)).collect();
        let mut cells = Vec::new();
        for (cell, low) in lifted.iter().zip(&lows) {
            // Before the first row of the right side there is zero, which lies where all else does.
            cells.push(if *low == 0 { cell.value } else { self.b.sub(cell.value, *low) });
            cells.extend(cell.known);
        }
        let mut columns = vec![stacked.marked];
        columns.extend(&stacked.keys);
        columns.extend(&cells);
        for before in 1..matches {
            columns.push(self.same_before(&stacked, before));
            columns.extend(cells.iter().map(|cell| self.b.shift(*cell, 0, before as i64, 0)));
        }
        let filled = self.b.segments(Fold::First, stacked.marked, &columns);
        self.checked(())?;
        let (first, others) = filled.split_at(1 + stacked.keys.len() + cells.len());
        let (last_keys, first) = first[1..].split_at(stacked.keys.len());
        let keys: Vec<usize> = on.iter().map(|(_, column)| *column).collect();
        let more = match keep {
            Keep::Both { .. } if matches > 1 => Some(self.same_before(&stacked, matches)),
            Keep::Both { .. } if !right.has_key(&keys, None) => {
                Some(self.again(&stacked, filled[0], last_keys))
            }
            _ => None,
        };
        if let Some(more) = more {
            let count = self.b.sum(more, 0);
            let check = self.b.check(count, 0..=0);
            self.tied.push(check);
        }
        let same = self.equal_words(&stacked.keys, last_keys);
        let found = self.b.and(filled[0], same);
        let found = self.b.and(found, stacked.asks);
        let valid = match keep {
            Keep::Both { outer: true, .. } => stacked.valid,
            Keep::Both { outer: false, .. } | Keep::Left { anti: false } => found,
            Keep::Left { anti: true } => {
                let none = self.b.not(found);
                self.b.and(stacked.valid, none)
            }
        };
        let mut copies = vec![(valid, found, first)];
        for other in others.chunks_exact(1 + cells.len()) {
            let matching = self.b.and(found, other[0]);
            copies.push((matching, matching, &other[1..]));
        }
        let (mut valid, mut all) = (Vec::new(), Vec::new());
        for (in_copy, matching, filled) in copies {
            let known = outer.then_some(matching);
            let mut columns = stacked.left.clone();
            if let Keep::Both { .. } = keep {
                columns.extend(self.of_right(&stacked, on, &shown, (filled, &lows), known));
            }
            valid.push(in_copy);
            all.push(columns);
        }
        let mut columns = Vec::new();
        for (number, wanted) in wanted.iter().enumerate() {
            let of_copies: Option<Vec<Cell>> = all.iter().map(|columns| columns[number]).collect();
            columns.push(of_copies.filter(|_| *wanted).map(|cells| self.one_after_another(&cells)));
        }
        let valid = match valid.as_slice() {
            [one] => *one,
            several => self.b.concat(several, 0),
        };
        let rows = (1..matches).fold(rows.clone(), |sum, _| sum + rows.clone());
        let at_most = Some(self.most_valid(&frames[0]).saturating_mul(matches));
        let (valid, grouped) = (Some(valid), frames[0].grouped);
        let runs = self.runs(
            &stacked,
            on,
            left.fields.len()..left.fields.len() + right.fields.len(),
            keep,
        );
        self.checked(Frame {
            valid,
            at_most,
            grouped,
            runs,
            gaps: true,
            ..Frame::of(columns, rows)
        })
    }

    /// Where rows of one key lie together afterwards: not where there are several copies of all, nor where rows without a key may stay.
    fn runs(
        &self,
        stacked: &Stacked,
        on: &[(usize, usize)],
        of_right: std::ops::Range<usize>,
        keep: Keep,
    ) -> Option<Runs> {
        let both = match keep {
            Keep::Both { outer: false, matches: 1 } => true,
            Keep::Left { anti: false } => false,
            _ => return None,
        };
        let words = stacked.keys.iter().zip(&stacked.bits);
        let words = words.map(|(value, bits)| Word { value: *value, bits: *bits }).collect();
        let key = |(a, b): &(usize, usize)| match both {
            true => vec![*a, of_right.start + *b],
            false => vec![*a],
        };
        let alike = if both { of_right.clone().collect() } else { Vec::new() };
        Some(Runs { words, keys: on.iter().map(key).collect(), alike })
    }

    /// The columns of the right side, from what was filled in of those that are carried along, each with a bit of what is known of it
    /// where it has one, less the least value. `known` says of which rows they are not null, if that is not all.
    fn of_right(
        &mut self,
        stacked: &Stacked,
        on: &[(usize, usize)],
        shown: &[bool],
        (filled, lows): (&[Value], &[i128]),
        matches: Bits,
    ) -> Vec<Option<Cell>> {
        let (mut filled, mut lows) = (filled.iter().copied(), lows.iter().copied());
        let mut columns = Vec::new();
        for (number, cell) in stacked.right.iter().enumerate() {
            let mut known: Bits = None;
            let value = match cell {
                Some(cell) => {
                    let (value, low) =
                        (filled.next().unwrap_or(cell.value), lows.next().unwrap_or(0));
                    known = cell.known.and_then(|_| filled.next());
                    Some(if low == 0 { value } else { self.b.add(value, low) })
                }
                // Where rows match, keys are equal.
                None if shown[number] => {
                    let key = on.iter().find(|(_, column)| *column == number);
                    key.and_then(|(column, _)| stacked.left[*column]).map(|cell| cell.value)
                }
                None => None,
            };
            let known = self.and(known, matches);
            columns.push(value.map(|value| Cell { value, known }));
        }
        columns
    }

    /// The copies of a column, one after the other.
    fn one_after_another(&mut self, cells: &[Cell]) -> Cell {
        if let [one] = cells {
            return *one;
        }
        let values: Vec<Value> = cells.iter().map(|cell| cell.value).collect();
        let known: Option<Vec<Value>> = cells.iter().map(|cell| cell.known).collect();
        Cell {
            value: self.b.concat(&values, 0),
            known: known.map(|known| self.b.concat(&known, 0)),
        }
    }

    /// Both sides in one table, the right one above.
    fn stack(
        &mut self,
        frames: &[Frame; 2],
        on: &[(usize, usize)],
        shown: &[bool],
        span: &Span,
    ) -> Result<Stacked> {
        let [left, right] = frames;
        let mut known: [Bits; 2] = [left.valid, right.valid];
        let mut cells = Vec::new();
        for (a, b) in on {
            let (a, b) = (left.column(*a, span)?, right.column(*b, span)?);
            known = [self.and(known[0], a.known), self.and(known[1], b.known)];
            cells.push(Cell { value: self.b.concat(&[b.value, a.value], 0), known: None });
        }
        let words = self.key_words(None, &cells, None);
        let [asks, answers] = [(known[0], left), (known[1], right)]
            .map(|(bits, frame)| self.or_ones(bits, &frame.rows));
        let valid = self.or_ones(left.valid, &left.rows);
        let [no_right, no_left] = [right, left].map(|frame| self.bits(false, &frame.rows));
        let mut of_left = Vec::new();
        for cell in &left.columns {
            of_left.push(cell.map(|cell| self.beside(cell, &right.rows, true)));
        }
        let mut of_right = Vec::new();
        for (number, cell) in right.columns.iter().enumerate() {
            let is_key = on.iter().any(|(_, column)| *column == number);
            let carried = cell.filter(|_| shown[number] && !is_key);
            of_right.push(carried.map(|cell| self.beside(cell, &left.rows, false)));
        }
        Ok(Stacked {
            rows: right.rows.clone() + left.rows.clone(),
            scattered: known[1].is_some(),
            keys: words.iter().map(|word| word.value).collect(),
            bits: words.iter().map(|word| word.bits).collect(),
            marked: self.b.concat(&[answers, no_left], 0),
            asks: self.b.concat(&[no_right, asks], 0),
            valid: self.b.concat(&[no_right, valid], 0),
            left: of_left,
            right: of_right,
        })
    }

    /// A column with other rows above or below, whose values are anything.
    fn beside(&mut self, cell: Cell, rows: &tacit_program::Extent, above: bool) -> Cell {
        let mut with = |value: Value| {
            let other = self.filling(value, rows);
            let both = if above { [other, value] } else { [value, other] };
            self.b.concat(&both, 0)
        };
        Cell { value: with(cell.value), known: cell.known.map(with) }
    }

    /// All rows in the order of the keys. With `together`, those of the right side that can match come first among those of a key.
    fn in_order(&mut self, stacked: Stacked, together: bool) -> Stacked {
        let pairs = stacked.keys.iter().zip(&stacked.bits);
        let mut words: Vec<_> =
            pairs.map(|(value, bits)| super::keys::Word { value: *value, bits: *bits }).collect();
        if together {
            words.push(super::keys::Word { value: self.b.not(stacked.marked), bits: 1 });
        }
        let frame = Frame {
            columns: stacked.left.iter().chain(&stacked.right).copied().collect(),
            ..Frame::of(Vec::new(), stacked.rows.clone())
        };
        let mut values = vec![stacked.marked, stacked.asks, stacked.valid];
        values.extend(frame.values());
        let (sorted, words) = self.sorted_values(&values, &words);
        let [marked, asks, valid, cells @ ..] = sorted.as_slice() else { return stacked };
        let mut columns = frame.with(cells).columns;
        let right = columns.split_off(stacked.left.len());
        let keys = words[..stacked.keys.len()].iter().map(|word| word.value).collect();
        Stacked {
            keys,
            marked: *marked,
            asks: *asks,
            valid: *valid,
            left: columns,
            right,
            ..stacked
        }
    }

    /// Whether a row of the right side that can match has the key of the last one before it that can, `seen` and `last_keys` of each row
    /// being of the last one up to it.
    fn again(&mut self, stacked: &Stacked, seen: Value, last_keys: &[Value]) -> Value {
        let before: Vec<Value> = last_keys.iter().map(|key| self.b.shift(*key, 0, 1, 0)).collect();
        let seen = self.b.shift(seen, 0, 1, 0);
        let same = self.equal_words(&stacked.keys, &before);
        let again = self.b.and(seen, same);
        self.b.and(stacked.marked, again)
    }

    /// Whether a row of the right side that can match has the key of the one so many rows before it, which can match too.
    fn same_before(&mut self, stacked: &Stacked, rows: u64) -> Value {
        let mut before = |value: Value| self.b.shift(value, 0, rows as i64, 0);
        let marked = before(stacked.marked);
        let keys: Vec<Value> = stacked.keys.iter().map(|key| before(*key)).collect();
        let same = self.equal_words(&stacked.keys, &keys);
        let both = self.b.and(stacked.marked, marked);
        self.b.and(both, same)
    }

    /// The least raw value, of numbers; zero of bits.
    fn low(&self, value: Value) -> i128 {
        match self.b.type_of(value) {
            Some(ty) if matches!(ty.element, Element::Int { .. }) => ty.interval.low,
            _ => 0,
        }
    }
}

/// The rows of both sides of a join.
struct Stacked {
    rows: tacit_program::Extent,
    keys: Vec<Value>,
    /// Bits of the keys.
    bits: Vec<u32>,
    /// Whether some rows of the right side cannot match.
    scattered: bool,
    /// Rows of the right side that can match.
    marked: Value,
    /// Rows of the left side that can match.
    asks: Value,
    /// Rows of the left side.
    valid: Value,
    left: Vec<Option<Cell>>,
    /// Columns of the right side that are wanted, but for keys.
    right: Vec<Option<Cell>>,
}
