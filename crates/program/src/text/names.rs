//! Names: which need quotes, and how they are quoted.

use std::fmt::Write;

/// Words of the language, which are no names unless quoted.
const RESERVED: [&str; 21] = [
    "program",
    "parties",
    "rows",
    "input",
    "let",
    "loop",
    "yield",
    "reveal",
    "to",
    "as",
    "in",
    "from",
    "public",
    "secret",
    "wrap",
    "descending",
    "circuit",
    "circuit_file",
    "true",
    "false",
    "all",
];

/// Whether `text` is a name without quotes.
pub(super) fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !RESERVED.contains(&text)
}

/// The name as it stands in a program: in quotes only if it must be.
pub(crate) fn show(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quote(name) }
}

/// In quotes, with every character escaped that would not be seen as itself.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Control characters, and those that have no width or change the direction of the text.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// What a quoted name stands for; `text` is without its quotes. `Err` is what is wrong.
pub(super) fn unquote(text: &str) -> Result<String, String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        name.push_str(before);
        let (c, after) = unescape(escape)?;
        name.push(c);
        rest = after;
    }
    name.push_str(rest);
    Ok(name)
}

fn unescape(escape: &str) -> Result<(char, &str), String> {
    let mut chars = escape.chars();
    match chars.next() {
        Some(c @ ('"' | '\\')) => Ok((c, chars.as_str())),
        Some('u') => {
            let inner = chars.as_str().strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let code = inner.and_then(|(code, after)| {
                let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?;
                Some((code, after))
            });
            code.ok_or_else(|| "a character is written `\\u{...}` with its hexadecimal code".into())
        }
        _ => Err("after `\\` comes `\"`, `\\` or `u{...}`".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hidden_characters_are_seen() {
        assert_eq!(show("pay"), "pay");
        assert_eq!(show("in"), "\"in\"");
        assert_eq!(show("a\u{202e}b\n"), "\"a\\u{202e}b\\u{a}\"");
        assert!(unquote("\\n").is_err() && unquote("\\").is_err() && unquote("\\u{d800}").is_err());
    }

    proptest! {
        #[test]
        fn quoted_names_are_read_back(name: String) {
            let quoted = quote(&name);
            prop_assert_eq!(unquote(&quoted[1..quoted.len() - 1]), Ok(name));
        }
    }
}
