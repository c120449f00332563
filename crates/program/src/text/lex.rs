//! Words, numbers, names in quotes and symbols of a program text.

use super::{hints, names};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and underscores.
    Word,
    /// Digits, perhaps with a point and `_` between them.
    Number,
    /// Anything in double quotes.
    Quoted,
    /// An operator or a bracket.
    Symbol,
    /// The end of a line, outside of `(` and `[`.
    Newline,
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// As written, quotes included.
    pub text: &'a str,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Symbol)
    }

    /// How an error message calls it.
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::Newline => "the end of the line".into(),
            Kind::End => "the end of the file".into(),
            _ if self.text.len() <= 40 => format!("`{}`", self.text),
            _ => format!("`{}...`", self.text.chars().take(30).collect::<String>()),
        }
    }
}

/// A place in the text and what is wrong there.
#[derive(Debug)]
pub(super) struct LexError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// Symbols, longer ones before their beginnings. Two of them mean nothing but an error.
const SYMBOLS: [&str; 28] = [
    "..", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "[", "]", "{", "}", ",", ":", "=", "<",
    ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "@",
];

/// Reads tokens one after the other, so that memory does not grow with the text.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    /// Open `(` and `[`.
    open: usize,
    /// Whether a newline would end something.
    in_line: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer { rest: text, line: 1, column: 1, open: 0, in_line: false }
    }

    /// The next token; `End` again and again at the end.
    pub fn next(&mut self) -> Result<Token<'a>, LexError> {
        if let Some(newline) = self.skip_blanks() {
            return Ok(newline);
        }
        let Some(first) = self.rest.bytes().next() else {
            return Ok(self.take(Kind::End, 0));
        };
        self.in_line = true;
        match first {
            b'"' => self.quoted(),
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let len = self.run(0, |b| b.is_ascii_alphanumeric() || b == b'_');
                Ok(self.take(Kind::Word, len))
            }
            _ => self.symbol(),
        }
    }

    /// Skips blanks, comments, and line ends that end nothing.
    fn skip_blanks(&mut self) -> Option<Token<'a>> {
        loop {
            match self.rest.bytes().next()? {
                b' ' | b'\t' | b'\r' => drop(self.take(Kind::Symbol, 1)),
                b'#' => {
                    let len = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.take(Kind::Symbol, len);
                }
                b'\n' => {
                    let token = self.take(Kind::Newline, 1);
                    (self.line, self.column) = (self.line.saturating_add(1), 1);
                    if self.in_line && self.open == 0 {
                        self.in_line = false;
                        return Some(token);
                    }
                }
                _ => return None,
            }
        }
    }

    fn symbol(&mut self) -> Result<Token<'a>, LexError> {
        let Some(symbol) = SYMBOLS.iter().find(|s| self.rest.starts_with(**s)) else {
            let c = self.rest.chars().next().unwrap_or_default();
            let hint = hints::character(c).map_or(String::new(), |hint| format!(": {hint}"));
            let c = names::quote(&c.to_string());
            return Err(self.error(format!("unexpected character {c}{hint}")));
        };
        match *symbol {
            "(" | "[" => self.open += 1,
            ")" | "]" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        Ok(self.take(Kind::Symbol, symbol.len()))
    }

    fn number(&mut self) -> Result<Token<'a>, LexError> {
        let mut len = self.run(0, is_digit);
        let mut behind = self.rest[len..].bytes();
        if behind.next() == Some(b'.') && behind.next().is_some_and(|b| b.is_ascii_digit()) {
            len = self.run(len + 1, is_digit);
        }
        if self.run(len, |b| b.is_ascii_alphanumeric() || b == b'_') > len {
            return Err(self.error("a number has only digits, `_` and one point"));
        }
        Ok(self.take(Kind::Number, len))
    }

    fn quoted(&mut self) -> Result<Token<'a>, LexError> {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|&(_, c)| {
            let end = c == '\n' || (c == '"' && !escaped);
            escaped = c == '\\' && !escaped;
            end
        });
        match end {
            Some((at, '"')) => Ok(self.take(Kind::Quoted, at + 1)),
            _ => Err(self.error("the closing `\"` is missing on this line")),
        }
    }

    /// The length of what starts at the beginning and, behind `from`, only has such bytes.
    fn run(&self, from: usize, accepted: impl Fn(u8) -> bool) -> usize {
        let more = self.rest[from..].bytes().take_while(|&b| accepted(b)).count();
        from + more
    }

    fn take(&mut self, kind: Kind, len: usize) -> Token<'a> {
        let (text, rest) = self.rest.split_at(len);
        let token = Token { kind, text, line: self.line, column: self.column };
        let width = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.column = self.column.saturating_add(width);
        self.rest = rest;
        token
    }

    fn error(&self, message: impl Into<String>) -> LexError {
        LexError { line: self.line, column: self.column, message: message.into() }
    }
}

fn is_digit(b: u8) -> bool {
    b.is_ascii_digit() || b == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut all = Vec::new();
        loop {
            let token = lexer.next().unwrap();
            if token.kind == Kind::End {
                return all;
            }
            all.push(format!("{}:{} {}", token.line, token.column, token.text));
        }
    }

    #[test]
    fn ranges_are_not_decimal_numbers() {
        assert_eq!(tokens("0..5"), ["1:1 0", "1:2 ..", "1:4 5"]);
        assert_eq!(tokens("0.5..1_0.25"), ["1:1 0.5", "1:4 ..", "1:6 1_0.25"]);
    }

    #[test]
    fn lines_end_outside_of_brackets_only() {
        assert_eq!(tokens("\n\na # b\n"), ["3:1 a", "3:6 \n"]);
        assert_eq!(tokens("(a,\n b)"), ["1:1 (", "1:2 a", "1:3 ,", "2:2 b", "2:3 )"]);
    }

    #[test]
    fn quotes_hold_escaped_quotes() {
        assert_eq!(tokens(r#""a\"b\\"c"#), [r#"1:1 "a\"b\\""#, "1:9 c"]);
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, column) in [("ab $", 4), ("  \"abc", 3), ("1x", 1), ("\u{e9}", 1)] {
            let mut lexer = Lexer::new(text);
            let error = loop {
                match lexer.next() {
                    Ok(token) => assert_ne!(token.kind, Kind::End, "{text}"),
                    Err(e) => break e,
                }
            };
            assert_eq!((error.line, error.column), (1, column), "{}", error.message);
        }
    }
}
