//! Columns as numbers that rows are ordered and compared by.
//!
//! Each column becomes a number from zero on, with its nulls at the end that is asked for. Numbers of neighbouring columns are put
//! together in words while they fit, so that one sort, or one comparison, serves several columns.

use super::frame::{Cell, Frame};
use super::{Bits, Lowering};
use crate::error::Result;
use crate::plan::{Field, OrderKey};
use tacit_program::build::Value;
use tacit_program::{Element, Extent, Interval, Span};

/// Bits of a word.
const WORD_BITS: u32 = 62;

/// A number, or a bit, that rows are ordered by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub value: Value,
    /// Its bits; it is not negative.
    pub bits: u32,
}

/// A number from zero on, of so many values.
struct Digit {
    value: Value,
    span: i128,
}

/// An order, and all other columns behind it, nulls last.
pub(super) fn with_ties(by: &[OrderKey], columns: usize) -> Vec<OrderKey> {
    let others = (0..columns).filter(|column| by.iter().all(|key| key.column != *column));
    let others = others.map(|column| OrderKey { column, descending: false, nulls_first: false });
    by.iter().copied().chain(others).collect()
}

impl Lowering<'_> {
    /// Rows in an order, those that are not valid behind all others.
    pub fn sorted(&mut self, frame: Frame, fields: &[Field], by: &[OrderKey]) -> Result<Frame> {
        let words = self.order_words(&frame, by)?;
        let sorted = self.sorted_by(&frame, &words);
        let plain = by
            .iter()
            .all(|key| !key.descending && (!key.nulls_first || !fields[key.column].nullable));
        let order = plain.then(|| by.iter().map(|key| key.column).collect());
        Ok(Frame { order, gaps: false, placed: false, ..sorted })
    }

    /// The words of an order, in which rows that are not valid are behind all others.
    pub fn order_words(&mut self, frame: &Frame, by: &[OrderKey]) -> Result<Vec<Word>> {
        let mut digits = Vec::new();
        digits.extend(self.invalid(frame.valid));
        for key in by {
            let cell = frame.column(key.column, &Span::default())?;
            digits.push(self.digit(cell, key.descending, Some(key.nulls_first)));
        }
        Ok(self.words(digits))
    }

    /// Rows in the order of words, the first of which counts most; stably.
    pub fn sorted_by(&mut self, frame: &Frame, words: &[Word]) -> Frame {
        let (values, _) = self.sorted_values(&frame.values(), words);
        frame.with(&values)
    }

    /// Columns, and the words themselves, in the order of the words.
    pub fn sorted_values(&mut self, values: &[Value], words: &[Word]) -> (Vec<Value>, Vec<Word>) {
        let mut values = values.to_vec();
        let mut words = words.to_vec();
        for turn in (0..words.len()).rev() {
            let key = self.number_of(words[turn]);
            let others =
                words.iter().enumerate().filter(|(i, _)| *i != turn).map(|(_, word)| word.value);
            let columns: Vec<Value> =
                [key].into_iter().chain(others).chain(values.iter().copied()).collect();
            let mut sorted = self.b.sort(&columns, false).into_iter();
            let key = sorted.next().unwrap_or(key);
            words[turn].value = key;
            for (i, word) in words.iter_mut().enumerate() {
                if i != turn {
                    word.value = sorted.next().unwrap_or(word.value);
                }
            }
            values = sorted.collect();
        }
        (values, words)
    }

    /// A bit as a number; numbers as they are.
    fn number_of(&mut self, word: Word) -> Value {
        match self.b.type_of(word.value).map(|ty| ty.element) {
            Some(Element::Bit) => self.b.cast(word.value, Element::uint(8)),
            _ => word.value,
        }
    }

    /// The words of some columns, with nulls at an end, or where it is not said anywhere: only of values that are known.
    pub fn key_words(
        &mut self,
        valid: Bits,
        cells: &[Cell],
        nulls_first: Option<bool>,
    ) -> Vec<Word> {
        let mut digits = Vec::new();
        digits.extend(self.invalid(valid));
        for cell in cells {
            digits.push(self.digit(*cell, false, nulls_first));
        }
        self.words(digits)
    }

    /// Rows that are not valid come last.
    fn invalid(&mut self, valid: Bits) -> Option<Digit> {
        let valid = valid?;
        let invalid = self.b.not(valid);
        Some(Digit { value: self.b.cast(invalid, Element::uint(8)), span: 2 })
    }

    /// A column as a number from zero on.
    fn digit(&mut self, cell: Cell, descending: bool, nulls_first: Option<bool>) -> Digit {
        let value = self.integer(cell.value);
        let Interval { low, high } = self.interval(value);
        let value = match (descending, low) {
            (true, _) => self.b.sub(high, value),
            (false, 0) => value,
            (false, _) => self.b.sub(value, low),
        };
        let span = high - low + 1;
        match (cell.known, nulls_first) {
            (Some(known), Some(true)) => {
                let above = self.b.add(value, 1);
                Digit { value: self.b.select(known, above, 0), span: span + 1 }
            }
            (Some(known), Some(false)) => {
                Digit { value: self.b.select(known, value, span), span: span + 1 }
            }
            _ => Digit { value, span },
        }
    }

    /// Raw values as integers.
    pub fn integer(&mut self, value: Value) -> Value {
        match self.b.type_of(value).map(|ty| ty.element) {
            Some(Element::Bit) => self.b.cast(value, Element::uint(8)),
            Some(Element::Fixed { fraction, .. }) => {
                let interval = self.interval(value);
                let raised = self.b.shift_left(value, fraction);
                self.b.cast(raised, super::integer_of(interval))
            }
            _ => value,
        }
    }

    /// Digits in as few words as hold them.
    fn words(&mut self, digits: Vec<Digit>) -> Vec<Word> {
        let bits = |span: i128| 128 - (span - 1).max(1).leading_zeros();
        let mut words: Vec<Digit> = Vec::new();
        for digit in digits {
            match words.last_mut() {
                Some(word) if bits(word.span.saturating_mul(digit.span)) <= WORD_BITS => {
                    let raised = self.b.mul(word.value, digit.span);
                    word.value = self.b.add(raised, digit.value);
                    word.span *= digit.span;
                }
                _ => words.push(digit),
            }
        }
        words.into_iter().map(|word| Word { value: word.value, bits: bits(word.span) }).collect()
    }

    /// Whether two rows have equal words.
    pub fn equal_words(&mut self, a: &[Value], b: &[Value]) -> Value {
        let mut equal: Bits = None;
        for (a, b) in a.iter().zip(b) {
            let same = self.b.eq(*a, *b);
            equal = self.and(equal, Some(same));
        }
        equal.unwrap_or_else(|| self.b.constant(Element::Bit, 1))
    }

    /// In rows ordered by words, whether a row's words differ from those of the row above, or there is none.
    pub fn starts(&mut self, words: &[Word], rows: &Extent) -> Value {
        let places = self.b.positions(rows.clone());
        let mut starts = self.b.eq(places, 0);
        for word in words {
            let above = self.b.shift(word.value, 0, 1, 0);
            let differs = self.b.ne(word.value, above);
            starts = self.b.or(starts, differs);
        }
        starts
    }
}
