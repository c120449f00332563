//! Functions of texts: of literals they are computed here, of an ENUM it is public for which members they hold, and columns of texts have
//! owners, who compute them.

use super::expr::Rows;
use super::scope::Scope;
use super::typing::{self, is_null_literal, literal, truth};
use super::{Binder, typing::text};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, Expr, Operator};
use sqlparser::ast::{self, Expr as Ast, FunctionArguments, Value};
use std::sync::Arc;
use tacit_program::Span;
use tacit_program::derived::{Asks, Step, TextFunction, escaped};

/// What is asked of something.
struct Asked<'a> {
    of: &'a Ast,
    /// Is computed of what the text is.
    function: TextFunction,
}

const NOT_A_COLUMN: &str = "functions of texts are of columns of tables, whose owners compute them, and nobody has this text: \
     write the function of the column itself, as in CASE WHEN a THEN lower(x) ELSE lower(y) END";
/// What to say of a function of texts that is not there.
pub(super) const NO_SUCH_FUNCTION: &str = "of texts there are lower, upper, trim, left, right, substr, replace, length, LIKE, starts_with, ends_with and contains, which \
     their owner computes: prepare the column for others before it is given";
const PATTERN: &str = "the pattern of LIKE is a text between single quotes";

/// What has been said to do to a text that is written down.
fn step(step: Step) -> TextFunction {
    TextFunction { steps: vec![step], asks: Asks::Text }
}

fn asks(asks: Asks) -> TextFunction {
    TextFunction { steps: Vec::new(), asks }
}

impl Binder<'_> {
    /// A function of a text; none if it is something else.
    pub(super) fn of_text(
        &mut self,
        ast: &Ast,
        rows: &mut Rows<'_>,
        wanted: Option<&Kind>,
    ) -> Result<Option<Expr>> {
        let Some(Asked { of, function }) = self.asked_of_text(ast)? else { return Ok(None) };
        let span = self.span(ast);
        function.check().map_err(|what| QueryError::new(&span, what))?;
        if let Some(written) = self.written(of)? {
            return self.of_literal(&written, &function, wanted, &span).map(Some);
        }
        let operand = self.expr(of, rows, None)?;
        self.of_operand(operand, function, &span).map(Some)
    }

    /// The text that is written down, by functions of texts too; none if it is something else.
    fn written(&mut self, ast: &Ast) -> Result<Option<String>> {
        match ast {
            Ast::Value(value) => Ok(match &value.value {
                Value::SingleQuotedString(text) => Some(text.clone()),
                _ => None,
            }),
            Ast::Nested(inner) => self.written(inner),
            _ => {
                let Some(Asked { of, function }) = self.asked_of_text(ast)? else {
                    return Ok(None);
                };
                let inner = if function.asks == Asks::Text { self.written(of)? } else { None };
                Ok(inner.map(|text| function.made(&text).unwrap_or_default()))
            }
        }
    }

    /// A function of a text that is written down.
    fn of_literal(
        &self,
        written: &str,
        function: &TextFunction,
        wanted: Option<&Kind>,
        span: &Span,
    ) -> Result<Expr> {
        match (&function.asks, function.made(written)) {
            (Asks::Text, Some(made)) => text(&made, wanted.or(Some(&Kind::Text)), span),
            (Asks::Text, None) => {
                Ok(literal(wanted.cloned().unwrap_or(Kind::Text), None, span.clone()))
            }
            (Asks::Like(_), _) => Ok(match function.raw(written) {
                Some(fits) => truth(fits == 1, span.clone()),
                None => literal(Kind::Bit, None, span.clone()),
            }),
            (Asks::Length, _) => {
                Ok(literal(INTEGER, function.raw(written).map(i128::from), span.clone()))
            }
        }
    }

    fn of_operand(&self, operand: Expr, function: TextFunction, span: &Span) -> Result<Expr> {
        let kind = match function.asks {
            Asks::Text => Kind::Text,
            Asks::Like(_) => Kind::Bit,
            Asks::Length => INTEGER,
        };
        if is_null_literal(&operand) {
            return Ok(literal(kind, None, span.clone()));
        }
        let wrong = |what: String| Err(QueryError::new(span, what));
        match (&operand.kind, &function.asks) {
            (Kind::Text, _) => {}
            (Kind::Category(_), Asks::Like(_)) => return of_members(operand, &function, span),
            (Kind::Category(_), _) => {
                return wrong(
                    "of an ENUM there is LIKE, starts_with, ends_with and contains: what else follows from its members can be said by CASE"
                        .into(),
                );
            }
            (other, _) => return wrong(format!("a text is needed here, and this is {other}")),
        }
        let nullable = operand.nullable || function.may_be_null();
        let (function, column) = match operand.compute {
            Compute::Column(_) => (function, Box::new(operand)),
            Compute::OfText(inner, column) if inner.asks == Asks::Text => {
                (inner.then(&function), column)
            }
            _ => return wrong(NOT_A_COLUMN.into()),
        };
        function.check().map_err(|what| QueryError::new(span, what))?;
        let compute = Compute::OfText(Arc::new(function), column);
        Ok(Expr { compute, kind, nullable, span: span.clone() })
    }

    /// What is asked of which text.
    fn asked_of_text<'a>(&mut self, ast: &'a Ast) -> Result<Option<Asked<'a>>> {
        let (of, function) = match ast {
            Ast::Like { expr, pattern, escape_char, any: false, .. } => {
                (expr.as_ref(), asks(Asks::Like(self.pattern(pattern, escape_char.as_deref())?)))
            }
            Ast::ILike { expr, pattern, escape_char, any: false, .. } => {
                let pattern = self.pattern(pattern, escape_char.as_deref())?;
                // What is escaped stays so.
                let small = Step::Lower.of(&pattern);
                (expr.as_ref(), TextFunction { steps: vec![Step::Lower], asks: Asks::Like(small) })
            }
            Ast::Trim { trim_where, trim_what, expr, trim_characters } => {
                let spaces = |ast: &Ast| matches!(ast, Ast::Value(value) if matches!(&value.value, Value::SingleQuotedString(text) if text == " "));
                let only_spaces = trim_what.as_deref().is_none_or(spaces)
                    && trim_characters.as_ref().is_none_or(|it| it.iter().all(spaces));
                if !only_spaces || !matches!(trim_where, None | Some(ast::TrimWhereField::Both)) {
                    return self.error(ast, "TRIM takes spaces away at both ends: trim(x)");
                }
                (expr.as_ref(), step(Step::Trim))
            }
            Ast::Substring { expr, substring_from, substring_for, .. } => {
                let length = substring_for.as_deref().map(|it| self.places(it)).transpose()?;
                let from = substring_from.as_deref().map(|it| self.places(it)).transpose()?;
                (expr.as_ref(), step(self.slice(from.unwrap_or(1), length, ast)?))
            }
            Ast::Function(function) => {
                let Some((of, function)) = self.text_call(function, ast)? else {
                    return Ok(None);
                };
                (of, function)
            }
            _ => return Ok(None),
        };
        Ok(Some(Asked { of, function }))
    }

    /// A call of a function of texts.
    fn text_call<'a>(
        &mut self,
        function: &'a ast::Function,
        ast: &Ast,
    ) -> Result<Option<(&'a Ast, TextFunction)>> {
        let FunctionArguments::List(_) = &function.args else { return Ok(None) };
        let name = function.name.to_string().to_ascii_lowercase();
        if !TEXT_FUNCTIONS.contains(&name.as_str()) || function.over.is_some() {
            return Ok(None);
        }
        let call = self.asked(function, ast)?;
        if function.filter.is_some() || call.distinct || call.all {
            return self.error(ast, "only aggregates have DISTINCT, FILTER or a star");
        }
        let found = match (name.as_str(), call.arguments.as_slice()) {
            ("lower" | "lcase", [of]) => (*of, step(Step::Lower)),
            ("upper" | "ucase", [of]) => (*of, step(Step::Upper)),
            ("trim", [of]) => (*of, step(Step::Trim)),
            ("length" | "len" | "char_length" | "character_length", [of]) => {
                (*of, asks(Asks::Length))
            }
            ("substr" | "substring", [of, from]) => {
                let from = self.places(from)?;
                (*of, step(self.slice(from, None, ast)?))
            }
            ("substr" | "substring", [of, from, length]) => {
                let (from, length) = (self.places(from)?, self.places(length)?);
                (*of, step(self.slice(from, Some(length), ast)?))
            }
            ("left", [of, length]) => {
                let length = self.places(length)?;
                (*of, step(self.slice(1, Some(length), ast)?))
            }
            ("right", [of, length]) => {
                let length = self.places(length)?;
                if length < 1 {
                    return self.error(ast, "RIGHT takes a number of characters from 1 on");
                }
                (*of, step(self.slice(-length, None, ast)?))
            }
            ("replace", [of, this, by]) => {
                let (this, by) = (self.word(this)?, self.word(by)?);
                (*of, step(Step::Replace { this, by }))
            }
            ("starts_with" | "prefix", [of, part]) => {
                let pattern = format!("{}%", escaped(&self.word(part)?));
                (*of, asks(Asks::Like(pattern)))
            }
            ("ends_with" | "suffix", [of, part]) => {
                let pattern = format!("%{}", escaped(&self.word(part)?));
                (*of, asks(Asks::Like(pattern)))
            }
            ("contains", [of, part]) => {
                let pattern = format!("%{}%", escaped(&self.word(part)?));
                (*of, asks(Asks::Like(pattern)))
            }
            (name, arguments) => {
                let count = arguments.len();
                return self.error(ast, format!("there is no `{name}` of {count} arguments here"));
            }
        };
        Ok(Some(found))
    }

    /// A text between quotes.
    fn word(&mut self, ast: &Ast) -> Result<String> {
        match self.written(ast)? {
            Some(text) => Ok(text),
            None => self.error(ast, "a text between single quotes is needed here: what owners compute of texts is public"),
        }
    }

    /// A number of characters, or the place of one.
    fn places(&mut self, ast: &Ast) -> Result<i32> {
        let number = match self.plain(ast, &Scope::default()) {
            Ok(Expr { compute: Compute::Literal(Some(raw)), kind: INTEGER, .. }) => {
                i32::try_from(raw).ok()
            }
            _ => None,
        };
        match number {
            Some(number) => Ok(number),
            None => self.error(ast, "the place of a character, and how many there are, are numbers that are written down"),
        }
    }

    fn slice(&self, from: i32, length: Option<i32>, ast: &Ast) -> Result<Step> {
        let length = length.map(u32::try_from).transpose();
        match length {
            Ok(length) if from != 0 && length != Some(0) => Ok(Step::Slice { from, length }),
            _ => self.error(
                ast,
                "characters are counted from 1, or back from the last one, -1, and at least one is taken",
            ),
        }
    }

    /// A pattern in which `\` stands before what stands for itself.
    fn pattern(&mut self, pattern: &Ast, escape: Option<&Ast>) -> Result<String> {
        let Ast::Value(ast::ValueWithSpan { value: Value::SingleQuotedString(written), .. }) =
            pattern
        else {
            return self.error(pattern, PATTERN);
        };
        let escape = match escape {
            None => None,
            Some(Ast::Value(ast::ValueWithSpan {
                value: Value::SingleQuotedString(text), ..
            })) if text.chars().count() == 1 => text.chars().next(),
            Some(other) => return self.error(other, "behind ESCAPE stands one character"),
        };
        let (mut made, mut chars) = (String::new(), written.chars());
        while let Some(c) = chars.next() {
            match c {
                c if Some(c) == escape => match chars.next() {
                    Some(next) => made += &escaped(&next.to_string()),
                    None => return self.error(pattern, "a character stands behind that of ESCAPE"),
                },
                '\\' => made += "\\\\",
                c => made.push(c),
            }
        }
        Ok(made)
    }
}

/// A condition about the members of a list: it is public for which it holds.
fn of_members(column: Expr, function: &TextFunction, span: &Span) -> Result<Expr> {
    let Kind::Category(domain) = &column.kind else { return Ok(column) };
    let all = domain.interval();
    let fits = |code: &i128| domain.label(*code).is_some_and(|it| function.raw(&it) == Some(1));
    let mut equal = Vec::new();
    for code in (all.low..=all.high).filter(fits) {
        let member = literal(column.kind.clone(), Some(code), span.clone());
        equal.push(typing::binary(Operator::Equal, column.clone(), member, Kind::Bit, span)?);
    }
    typing::all(Operator::Or, equal, span)
}

/// All functions of texts.
pub(super) const TEXT_FUNCTIONS: &[&str] = &[
    "lower",
    "lcase",
    "upper",
    "ucase",
    "trim",
    "substr",
    "substring",
    "left",
    "right",
    "replace",
    "length",
    "len",
    "char_length",
    "character_length",
    "starts_with",
    "prefix",
    "ends_with",
    "suffix",
    "contains",
];
