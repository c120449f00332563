//! What is computed of texts: `text(mail, lower, trim)`, `text(icd, like "C50%")`, `text(note, length)`.

use super::parser::{Parser, unknown};
use crate::derived::{Asks, Derived, MAX_PLACE, MAX_STEPS, Step, TextFunction};
use crate::error::ProgramError;

/// The words of steps and questions.
const WORDS: [&str; 7] = ["lower", "upper", "trim", "slice", "replace", "like", "length"];

impl Parser<'_> {
    /// What stands in brackets behind `text`.
    pub(super) fn derived(&mut self) -> Result<Derived, ProgramError> {
        let opened = self.cursor.advance()?;
        let column = self.cursor.name("the name of a column")?;
        let (mut steps, mut asks) = (Vec::new(), Asks::Text);
        self.cursor.separate(&opened, ")")?;
        while !self.cursor.accept(")")? {
            let span = self.cursor.span();
            if asks != Asks::Text || steps.len() > MAX_STEPS {
                let what =
                    format!("`like` and `length` come last, behind {MAX_STEPS} steps at most");
                return Err(ProgramError::new(&span, what));
            }
            match self.cursor.token.text {
                "like" => {
                    self.cursor.advance()?;
                    asks = Asks::Like(self.cursor.quoted("a pattern")?.text);
                }
                "length" => {
                    self.cursor.advance()?;
                    asks = Asks::Length;
                }
                _ => steps.push(self.step()?),
            }
            self.cursor.separate(&opened, ")")?;
        }
        let derived = Derived { column: column.text, function: TextFunction { steps, asks } };
        derived.check().map_err(|what| ProgramError::new(&column.span, what))?;
        Ok(derived)
    }

    fn step(&mut self) -> Result<Step, ProgramError> {
        let (span, word) = (self.cursor.span(), self.cursor.advance()?.text);
        Ok(match word {
            "lower" => Step::Lower,
            "upper" => Step::Upper,
            "trim" => Step::Trim,
            "slice" => {
                let most = MAX_PLACE as i32;
                let from = self.cursor.number("the first character", -most, most)?;
                let length = match self.cursor.at_number() {
                    true => Some(self.cursor.number("how many characters", 1, MAX_PLACE)?),
                    false => None,
                };
                Step::Slice { from, length }
            }
            "replace" => {
                let this = self.cursor.quoted("what is replaced")?.text;
                Step::Replace { this, by: self.cursor.quoted("what it is replaced by")?.text }
            }
            _ => return Err(unknown("function of a text called", word, WORDS, &span)),
        })
    }
}
