//! Lines, words and numbers of a text file, as bytes.

use super::error::{Reason, show};

/// Lines with words in them: comments (`#` to the end of the line) and blank lines skipped.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    line: u64,
    /// No line break ends the text.
    cut: bool,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines { rest: bytes, line: 0, cut: bytes.last() != Some(&b'\n') }
    }

    /// Number of the line last returned.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether the line last returned is the last one, and nothing ends it.
    pub fn ends_within_a_line(&self) -> bool {
        self.rest.is_empty() && self.cut
    }

    /// Puts the words of the next line into `words`; false at the end of the file.
    pub fn next_words(&mut self, words: &mut Vec<&'a [u8]>) -> bool {
        loop {
            words.clear();
            if self.rest.is_empty() {
                return false;
            }
            self.line += 1;
            let end = self.rest.iter().position(|&b| b == b'\n');
            let (line, rest) = match end {
                Some(n) => (&self.rest[..n], &self.rest[n + 1..]),
                None => (self.rest, &self.rest[self.rest.len()..]),
            };
            self.rest = rest;
            split_words(line, words);
            if !words.is_empty() {
                return true;
            }
        }
    }

    /// The words of the next line with words, without moving on.
    pub fn peek_words(&self) -> Vec<&'a [u8]> {
        let mut words = Vec::new();
        Lines { rest: self.rest, ..*self }.next_words(&mut words);
        words
    }
}

fn split_words<'a>(line: &'a [u8], words: &mut Vec<&'a [u8]>) {
    let mut start = None;
    for (i, &b) in line.iter().enumerate() {
        if b == b'#' {
            words.extend(start.map(|s| &line[s..i]));
            return;
        }
        match (b.is_ascii_whitespace(), start) {
            (true, Some(s)) => {
                words.push(&line[s..i]);
                start = None;
            }
            (false, None) => start = Some(i),
            _ => {}
        }
    }
    words.extend(start.map(|s| &line[s..]));
}

/// A decimal number from 0 to `max`.
pub(crate) fn number(token: &[u8], what: &'static str, max: u64) -> Result<u64, Reason> {
    let mut value = 0u64;
    for &b in token {
        let digit = b.wrapping_sub(b'0');
        let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit)));
        match next {
            Some(v) if digit < 10 && v <= max => value = v,
            _ => return Err(Reason::Number { what, max, token: show(token) }),
        }
    }
    if token.is_empty() {
        return Err(Reason::Number { what, max, token: String::new() });
    }
    Ok(value)
}

/// Whether a word is all digits.
pub(crate) fn is_number(token: &[u8]) -> bool {
    token.iter().all(u8::is_ascii_digit)
}
