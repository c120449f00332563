//! What people write who know other languages, and how it is written here.

use super::lex::{Kind, Token};

const SELECT: &str = "there is no `if`: write `select(CONDITION, THEN, ELSE)`";

/// Behind a value, in place of an infix operator.
pub(super) fn infix(token: &Token<'_>) -> Option<&'static str> {
    Some(match (token.kind, token.text) {
        (Kind::Symbol, "=") => "a comparison is written `==`; `=` only names a value",
        (Kind::Symbol, "&&") | (Kind::Word, "and") => "`and` of bits is written `&`",
        (Kind::Symbol, "||") | (Kind::Word, "or") => "`or` of bits is written `|`",
        (Kind::Word, "xor") => "`xor` of bits is written `^`",
        (Kind::Word, "if" | "else") => SELECT,
        _ => return None,
    })
}

/// A word in place of a value or function.
pub(super) fn word(word: &str) -> Option<&'static str> {
    Some(match word {
        "if" => SELECT,
        "not" => "`not` of bits is written `!`",
        "for" | "while" => {
            "a loop is written `loop LENGTH carry (NAME = START) { ... yield NEXT }`"
        }
        _ => return None,
    })
}

/// A character that no token begins with.
pub(super) fn character(c: char) -> Option<&'static str> {
    Some(match c {
        '?' => SELECT,
        '~' => "`not` of bits is written `!`",
        '\'' => "names stand in double quotes",
        ';' => "a statement ends with its line",
        _ => return None,
    })
}
