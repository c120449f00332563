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

/// The name of a function in another language.
pub(super) fn function(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "avg" | "average" => "the mean is written `mean(x, axis 0)`",
        "var" => "the variance is written `variance(x, axis 0)`",
        "sd" | "stdev" | "stddev" => "the standard deviation is written `std(x, axis 0)`",
        "percentile" | "quantiles" | "quartile" | "quartiles" => {
            "a quantile is written `quantile(x, 9/10)`, or `quantile(x, [1/4, 1/2, 3/4])`"
        }
        "len" | "length" | "size" | "nrow" => {
            "a row count `n` is written `n` or `rows(n)`, the length of an axis `count(x, axis 0)`"
        }
        "histogram" => "a histogram is written `group_count(k, first 0, groups 6)`",
        "where" => SELECT,
        "range" | "arange" | "index" => "the numbers of all rows are written `positions(length n)`",
        "round" | "floor" | "int" => "numbers are rounded down by `cast(x, to i64)`",
        "pow" | "power" => "a power is written as a product, `x * x`",
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
