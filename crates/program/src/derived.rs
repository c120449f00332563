//! Inputs that their owner computes from a column of texts: whether a text fits a pattern, how long it is, or another text.
//!
//! A run knows of a text nothing but whether it is equal to another one. What follows from its letters is computed by its owner, who
//! has them, when the column is read. The program says what, so that all parties agree on it.

mod like;

#[cfg(test)]
mod tests;

use crate::domain::{TEXTS, text_code};
use crate::ir::Program;
use crate::text::names;
use crate::types::{Element, Interval, Type};
use std::fmt;
use zeroize::Zeroizing;

/// An input that its owner computes from a column of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Derived {
    /// The column: called as an input that is the column itself would be.
    pub column: String,
    /// What is computed of each of its texts.
    pub function: TextFunction,
}

/// A function of a text. Spaces around the text do not count, and there is no empty text: what is computed of none is nothing, and so is a
/// text that ends up empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextFunction {
    /// What is done to the text, one after the other.
    pub steps: Vec<Step>,
    /// What is asked of it then.
    pub asks: Asks,
}

/// A text made of a text. None makes it longer, in characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Small letters, each character by itself.
    Lower,
    /// Capitals, each character by itself: `ß` becomes `ẞ`.
    Upper,
    /// Without white space at both ends.
    Trim,
    /// Some of its characters, in the sense of Unicode's code points.
    Slice {
        /// The first one: from 1 on, or counted back from the last one, which is -1. Never 0. Where a text has not so many, places before its
        /// first one count as if something stood there.
        from: i32,
        /// How many there are; none for all that follow.
        length: Option<u32>,
    },
    /// With another text in all places of one, from the first place on, none of which overlap.
    Replace {
        /// What is replaced, not empty.
        this: String,
        /// What stands there then, of as many characters at most.
        by: String,
    },
}

/// What is asked of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Asks {
    /// The text itself, as the number that stands for it.
    Text,
    /// Whether it fits a pattern: `%` stands for any characters, `_` for one, and `\` before one of these three for that itself.
    Like(String),
    /// How many characters it has.
    Length,
}

/// The most steps.
pub const MAX_STEPS: usize = 8;
/// The most bytes of a pattern, and of what is replaced.
pub const MAX_LITERAL: usize = 256;
/// The greatest place and number of characters.
pub const MAX_PLACE: u32 = 1 << 20;
/// The most inputs of a program that are derived. Each is computed of a whole column.
pub const MAX_DERIVED: usize = 256;

impl Derived {
    /// What is wrong with it, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.column.is_empty() {
            return Err("the column of texts has no name".into());
        }
        self.function.check()
    }
}

impl TextFunction {
    /// The text itself.
    #[must_use]
    pub fn text() -> Self {
        TextFunction { steps: Vec::new(), asks: Asks::Text }
    }

    /// This one, and another one of the text that it makes.
    #[must_use]
    pub fn then(&self, other: &TextFunction) -> Self {
        let steps = self.steps.iter().chain(&other.steps).cloned().collect();
        TextFunction { steps, asks: other.asks.clone() }
    }

    /// The raw value that a text becomes.
    #[must_use]
    pub fn raw(&self, text: &str) -> Option<i64> {
        let mut text = Zeroizing::new(text.trim_ascii().to_owned());
        for step in &self.steps {
            text = Zeroizing::new(step.of(&text));
        }
        if text.trim_ascii().is_empty() {
            return None;
        }
        Some(match &self.asks {
            Asks::Text => text_code(&text),
            Asks::Like(pattern) => like::fits(pattern, &text).into(),
            Asks::Length => i64::try_from(text.chars().count()).unwrap_or(i64::MAX),
        })
    }

    /// The text that a text becomes, if it asks for one; nothing if that is empty.
    #[must_use]
    pub fn made(&self, text: &str) -> Option<String> {
        let made =
            self.steps.iter().fold(text.trim_ascii().to_owned(), |text, step| step.of(&text));
        (!made.trim_ascii().is_empty()).then_some(made)
    }

    /// Whether a text that is not empty may become nothing.
    #[must_use]
    pub fn may_be_null(&self) -> bool {
        // A text begins and ends with a character that is no space. It stays as long as one of the two does.
        let keeps = |step: &Step, first: bool| match step {
            Step::Lower | Step::Upper => true,
            Step::Slice { from, length } => match first {
                true => *from == 1,
                false => *from < 0 && length.is_none(),
            },
            Step::Trim | Step::Replace { .. } => false,
        };
        [true, false].into_iter().all(|first| !self.steps.iter().all(|step| keeps(step, first)))
    }

    /// How many characters there are at most, of a text of so many.
    #[must_use]
    pub fn longest(&self, text: Option<u32>) -> Option<u32> {
        self.steps.iter().fold(text, |most, step| match step {
            Step::Slice { length: Some(length), .. } => {
                Some(most.map_or(*length, |most| most.min(*length)))
            }
            Step::Slice { from: from @ ..=-1, length: None } => {
                let last = from.unsigned_abs();
                Some(most.map_or(last, |most| most.min(last)))
            }
            _ => most,
        })
    }

    /// What is wrong with it, if anything is.
    pub fn check(&self) -> Result<(), String> {
        if self.steps.len() > MAX_STEPS {
            return Err(format!("a text goes through {MAX_STEPS} steps at most"));
        }
        let short = |text: &str| match text.len() <= MAX_LITERAL {
            true => Ok(()),
            false => Err(format!("a text that is written here has {MAX_LITERAL} bytes at most")),
        };
        for step in &self.steps {
            match step {
                Step::Slice { from, length } => {
                    let within = |place: u32| (1..=MAX_PLACE).contains(&place);
                    if !within(from.unsigned_abs()) || !length.is_none_or(within) {
                        return Err(format!(
                            "characters are counted from 1 to {MAX_PLACE}, or back from -1"
                        ));
                    }
                }
                Step::Replace { this, by } => {
                    short(this)?;
                    if this.is_empty() || by.chars().count() > this.chars().count() {
                        return Err("a text is replaced by one that is no longer".into());
                    }
                }
                Step::Lower | Step::Upper | Step::Trim => {}
            }
        }
        let Asks::Like(pattern) = &self.asks else { return Ok(()) };
        short(pattern)?;
        like::check(pattern)
    }

    /// Whether what it computes is of a type, or what is wrong.
    pub(crate) fn check_type(&self, ty: &Type) -> Result<(), String> {
        let fits = match &self.asks {
            Asks::Text => ty.element == Element::uint(64) && ty.interval == TEXTS,
            Asks::Like(_) => ty.element == Element::Bit,
            Asks::Length => matches!(ty.element, Element::Int { .. }) && ty.interval.low >= 0,
        };
        match (fits, &self.asks) {
            (true, _) if ty.shape.len() > 1 => Err("what is computed of a text is a column".into()),
            (true, _) => Ok(()),
            (false, Asks::Text) => {
                Err("texts are of the type u64, and in the range of all texts".into())
            }
            (false, Asks::Like(_)) => Err("whether a text is like another is a bit".into()),
            (false, Asks::Length) => {
                Err("the length of a text is an integer, in a range from 0 on".into())
            }
        }
    }

    /// All that it may compute: nothing is said of lengths.
    pub(crate) fn interval(&self) -> Option<Interval> {
        match self.asks {
            Asks::Text => Some(TEXTS),
            Asks::Like(_) => Some(Interval { low: 0, high: 1 }),
            Asks::Length => None,
        }
    }

    /// As SQL writes it, of something.
    #[must_use]
    pub fn of(&self, column: &str) -> String {
        let quoted = |text: &str| format!("'{}'", visible(&text.replace('\'', "''")));
        let made = self.steps.iter().fold(column.to_owned(), |of, step| match step {
            Step::Lower => format!("lower({of})"),
            Step::Upper => format!("upper({of})"),
            Step::Trim => format!("trim({of})"),
            Step::Slice { from: 1, length: Some(length) } => format!("left({of}, {length})"),
            Step::Slice { from: from @ ..=-1, length: None } => {
                format!("right({of}, {})", from.unsigned_abs())
            }
            Step::Slice { from, length: Some(length) } => format!("substr({of}, {from}, {length})"),
            Step::Slice { from, length: None } => format!("substr({of}, {from})"),
            Step::Replace { this, by } => {
                format!("replace({of}, {}, {})", quoted(this), quoted(by))
            }
        });
        match &self.asks {
            Asks::Text => made,
            Asks::Length => format!("length({made})"),
            Asks::Like(pattern) => match like::unescaped(pattern) {
                Some(plain) => format!("{made} LIKE {}", quoted(&plain)),
                None => format!("{made} LIKE {} ESCAPE '\\'", quoted(pattern)),
            },
        }
    }
}

impl Step {
    /// What a text becomes.
    #[must_use]
    pub fn of(&self, text: &str) -> String {
        match self {
            Step::Lower => text.chars().map(lower).collect(),
            Step::Upper => text.chars().map(upper).collect(),
            Step::Trim => text.trim().to_owned(),
            Step::Slice { from, length } => {
                let length = length.map_or(usize::MAX, |length| length as usize);
                let (first, before) = match usize::try_from(*from) {
                    Ok(from) => (from.saturating_sub(1), 0),
                    Err(_) => {
                        let (all, back) = (text.chars().count(), from.unsigned_abs() as usize);
                        (all.saturating_sub(back), back.saturating_sub(all))
                    }
                };
                // Places before the first character count, too.
                let length =
                    if length == usize::MAX { length } else { length.saturating_sub(before) };
                text.chars().skip(first).take(length).collect()
            }
            Step::Replace { this, by } => text.replace(this.as_str(), by),
        }
    }
}

/// A text with the codes of characters that nobody would see.
fn visible(text: &str) -> String {
    let shown = |c: char| match names::is_hidden(c) {
        true => format!("\\u{{{:x}}}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// What owners of texts compute of them for a program, each of its own rows: for people to read before they consent.
#[must_use]
pub fn computed(program: &Program) -> Vec<String> {
    let inputs = program.inputs().filter_map(|(id, _, owner)| {
        let derived = program.meaning(id).derived()?;
        let owner = owner.and_then(|it| program.parties.get(usize::from(it.0)));
        let who = owner.map_or("everybody", String::as_str);
        Some(format!("{who} computes {}", derived.function.of(&derived.column)))
    });
    inputs.collect()
}

/// One character as a small letter: one of Unicode's mappings of one to one, as DuckDB has them, so that no text gets longer.
fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        // The capital I with a dot.
        _ if c == '\u{130}' => 'i',
        _ => c,
    }
}

/// One character as a capital: see [`lower`].
fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (c, all.next(), all.next()) {
        (_, Some(one), None) => one,
        ('ß', ..) => 'ẞ',
        // Greek letters with an iota below them.
        ('\u{1f80}'..='\u{1faf}', ..) => char::from_u32(u32::from(c) | 8).unwrap_or(c),
        ('\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}', ..) => char::from_u32(u32::from(c) + 9).unwrap_or(c),
        _ => c,
    }
}

/// A text in a pattern that stands for itself.
#[must_use]
pub fn escaped(text: &str) -> String {
    like::escaped(text)
}

/// As a program writes it: the column, the steps and what is asked, with commas between them.
impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names::show(&self.column))?;
        for step in &self.function.steps {
            match step {
                Step::Lower => f.write_str(", lower")?,
                Step::Upper => f.write_str(", upper")?,
                Step::Trim => f.write_str(", trim")?,
                Step::Slice { from, length: None } => write!(f, ", slice {from}")?,
                Step::Slice { from, length: Some(length) } => write!(f, ", slice {from} {length}")?,
                Step::Replace { this, by } => {
                    write!(f, ", replace {} {}", names::quote(this), names::quote(by))?;
                }
            }
        }
        match &self.function.asks {
            Asks::Text => Ok(()),
            Asks::Like(pattern) => write!(f, ", like {}", names::quote(pattern)),
            Asks::Length => f.write_str(", length"),
        }
    }
}
