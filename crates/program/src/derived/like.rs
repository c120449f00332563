//! Patterns of texts.

use zeroize::Zeroizing;

/// A part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Any characters, none of them too.
    Many,
    /// One character.
    One,
    /// This character.
    This(char),
}

/// The parts of a pattern; none if it ends with the character that says that the next one stands for itself, or if that
/// stands before any other.
fn parts(pattern: &str) -> Option<Vec<Part>> {
    let mut chars = pattern.chars();
    let mut parts = Vec::new();
    while let Some(c) = chars.next() {
        parts.push(match c {
            '%' => Part::Many,
            '_' => Part::One,
            '\\' => Part::This(chars.next().filter(|c| matches!(c, '%' | '_' | '\\'))?),
            c => Part::This(c),
        });
    }
    Some(parts)
}

/// What is wrong with a pattern, if anything is.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    match parts(pattern) {
        Some(_) => Ok(()),
        None => {
            Err("`\\` stands before `%`, `_` and `\\` in a pattern, and before nothing else".into())
        }
    }
}

/// Whether a text fits a pattern. What is behind the last `%` that was passed is looked for at one place after the other, so that it takes as
/// many steps at most as the text has characters, times the parts of the pattern.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let Some(parts) = parts(pattern) else { return false };
    let text = Zeroizing::new(text.chars().collect::<Vec<char>>());
    let (mut part, mut at) = (0, 0);
    // Behind the last `%`, and where in the text what stands there is being looked for.
    let mut last: Option<(usize, usize)> = None;
    while at < text.len() {
        match parts.get(part) {
            Some(Part::Many) => {
                part += 1;
                last = Some((part, at));
            }
            Some(Part::One) => (part, at) = (part + 1, at + 1),
            Some(Part::This(c)) if *c == text[at] => (part, at) = (part + 1, at + 1),
            _ => match &mut last {
                Some((behind, from)) => {
                    *from += 1;
                    (part, at) = (*behind, *from);
                }
                None => return false,
            },
        }
    }
    parts[part..].iter().all(|part| *part == Part::Many)
}

/// A text that stands for itself.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The pattern as one in which no character says that the next one stands for itself, if it is one.
pub(super) fn unescaped(pattern: &str) -> Option<String> {
    let parts = parts(pattern)?;
    let plain = parts.iter().map(|part| match part {
        Part::Many => Some('%'),
        Part::One => Some('_'),
        Part::This('%' | '_') => None,
        Part::This(c) => Some(*c),
    });
    plain.collect()
}
