//! Stepping through the tokens of a text, with errors that say where and what was expected.

use super::lex::{Kind, LexError, Lexer, Token};
use super::{decimal, names};
use crate::error::ProgramError;
use crate::ir::Span;
use std::sync::Arc;

/// Two tokens of a text, and what is behind them.
pub(super) struct Cursor<'a> {
    lexer: Lexer<'a>,
    /// The token to be read next.
    pub token: Token<'a>,
    /// The one behind it.
    pub ahead: Token<'a>,
    file: Arc<str>,
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &str, text: &'a str) -> Result<Self, ProgramError> {
        let start = Token { kind: Kind::Newline, text: "", line: 1, column: 1 };
        let lexer = Lexer::new(text);
        let mut cursor = Cursor { lexer, token: start, ahead: start, file: file.into() };
        cursor.advance()?;
        cursor.advance()?;
        Ok(cursor)
    }

    /// The current token; the next one becomes current.
    pub fn advance(&mut self) -> Result<Token<'a>, ProgramError> {
        let ahead = self.lexer.next().map_err(|LexError { line, column, message }| {
            ProgramError::new(&Span { file: self.file.clone(), line, column }, message)
        })?;
        let token = std::mem::replace(&mut self.token, std::mem::replace(&mut self.ahead, ahead));
        Ok(token)
    }

    pub fn span(&self) -> Span {
        self.span_of(&self.token)
    }

    pub fn span_of(&self, token: &Token<'_>) -> Span {
        Span { file: self.file.clone(), line: token.line, column: token.column }
    }

    /// An error at the current token.
    pub fn error(&self, message: impl Into<String>) -> ProgramError {
        ProgramError::new(&self.span(), message)
    }

    /// The error that something else stands here.
    pub fn expected(&self, what: &str) -> ProgramError {
        let whole = if self.token.kind == Kind::End { ": is it whole?" } else { "" };
        self.error(format!("expected {what}, found {}{whole}", self.token.describe()))
    }

    pub fn at(&self, text: &str) -> bool {
        self.token.is(text)
    }

    /// Steps over the word or symbol if it stands here.
    pub fn accept(&mut self, text: &str) -> Result<bool, ProgramError> {
        let found = self.at(text);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, text: &str) -> Result<Token<'a>, ProgramError> {
        if self.at(text) { self.advance() } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// A list in brackets: items with commas between them.
    pub fn list(
        &mut self,
        [open, close]: [&str; 2],
        mut item: impl FnMut(&mut Self) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let opened = self.expect(open)?;
        while !self.accept(close)? {
            item(self)?;
            self.separate(&opened, close)?;
        }
        Ok(())
    }

    /// Behind an item of a list: a comma is stepped over, the closing bracket is not.
    pub fn separate(&mut self, opened: &Token<'_>, close: &str) -> Result<(), ProgramError> {
        if self.accept(",")? || self.at(close) {
            return Ok(());
        }
        let Token { text, line, column, .. } = opened;
        Err(self.expected(&format!("`,` or the `{close}` for the `{text}` at {line}:{column}")))
    }

    /// Steps over the end of a line.
    pub fn end_line(&mut self) -> Result<(), ProgramError> {
        match self.token.kind {
            Kind::Newline => self.advance().map(drop),
            Kind::End => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }

    /// A name, plain or in quotes.
    pub fn name(&mut self, what: &str) -> Result<Name, ProgramError> {
        let span = self.span();
        let text = match self.token.kind {
            Kind::Word if names::is_plain(self.token.text) => self.token.text.to_owned(),
            Kind::Word => {
                let hint = format!("{what}; in quotes if it is meant as a name");
                return Err(self.expected(&hint));
            }
            Kind::Quoted => {
                let inner = &self.token.text[1..self.token.text.len() - 1];
                names::unquote(inner).map_err(|e| self.error(e))?
            }
            _ => return Err(self.expected(what)),
        };
        self.advance()?;
        Ok(Name { text, span })
    }

    /// An unquoted name.
    pub fn word(&mut self, what: &str) -> Result<Name, ProgramError> {
        if self.token.kind == Kind::Quoted {
            return Err(self.expected(what));
        }
        self.name(what)
    }

    /// A name in quotes.
    pub fn quoted(&mut self, what: &str) -> Result<Name, ProgramError> {
        if self.token.kind != Kind::Quoted {
            return Err(self.expected(&format!("{what} in quotes")));
        }
        self.name(what)
    }

    /// Whether a number stands here, perhaps with its sign.
    pub fn at_number(&self) -> bool {
        self.token.kind == Kind::Number || (self.at("-") && self.ahead.kind == Kind::Number)
    }

    /// A raw value at `fraction` fractional bits; a point is allowed only if there are some.
    pub fn raw(&mut self, fraction: u8, what: &str) -> Result<i128, ProgramError> {
        if self.token.kind == Kind::Word && (self.at("true") || self.at("false")) && fraction == 0 {
            return Ok(i128::from(self.advance()?.text == "true"));
        }
        let negative = self.accept("-")?;
        if self.token.kind != Kind::Number {
            return Err(self.expected(what));
        }
        if fraction == 0 && self.token.text.contains('.') {
            return Err(self.expected(&format!("{what}, a whole number")));
        }
        let raw = decimal::to_raw(self.token.text, fraction)
            .ok_or_else(|| self.error(format!("{} is too large", self.token.describe())))?;
        self.advance()?;
        Ok(if negative { -raw } else { raw })
    }

    /// A whole number from `least` to `most`.
    pub fn number<T>(&mut self, what: &str, least: T, most: T) -> Result<T, ProgramError>
    where
        T: Copy + TryFrom<i128> + Into<i128>,
    {
        let span = self.span();
        let value = self.raw(0, what)?;
        let (low, high) = (least.into(), most.into());
        let fits = (low..=high).contains(&value).then(|| T::try_from(value).ok()).flatten();
        let message = || format!("{what} must be from {low} to {high}, not {value}");
        fits.ok_or_else(|| ProgramError::new(&span, message()))
    }
}
