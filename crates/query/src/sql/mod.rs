//! SQL, bound to the tables of a catalog.
//!
//! | module | what it reads |
//! | --- | --- |
//! | `file` | a file: tables, settings, who learns the result, and the query |
//! | `tables` | `CREATE TABLE` |
//! | `query`, `select` | queries, and `SELECT` |
//! | `from` | `FROM` and `WHERE`: which tables are joined how |
//! | `correlated` | subqueries about the row outside that stand for a value |
//! | `group` | `GROUP BY` and aggregates |
//! | `window` | window functions |
//! | `letters`, `owners` | functions of texts, and the columns that owners compute for them |
//! | `texts` | what cannot be done with texts that have no list |
//! | `expr`, `function`, `typing` | expressions, and the kinds that they have |
//!
//! What is not supported is an error at its place, which says what can be written instead.

mod correlated;
mod expr;
mod file;
mod from;
mod function;
mod group;
mod letters;
mod owners;
mod query;
mod read;
mod scope;
mod select;
mod tables;
mod texts;
mod typing;
mod window;

#[cfg(test)]
mod tests;

pub use file::parse;

use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::plan::{Plan, Query};
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Spanned, Statement};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::sync::Arc;
use tacit_program::Span;

/// How deep expressions and queries may be in one another.
const DEEPEST: usize = 64;

/// So often parts of expressions are looked at in a query: some are more than once, and then their parts, too.
const MOST_LOOKS: usize = 1 << 20;

/// So many parts an expression may have that stands for itself twice.
const MOST_PARTS: usize = 1 << 12;

/// What is wrong with expressions above these bounds.
const TOO_LARGE: &str = "this expression is too large: make its parts columns of a subquery";

/// What a query does not say itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name of the program.
    pub name: String,
    /// Names of the parties that learn the result.
    pub to: Vec<String>,
    /// The most rows that are shown.
    pub max_rows: Option<u64>,
    /// Groups of fewer rows are not shown.
    pub min_rows: Option<u64>,
    /// Bits behind the point of quotients and means.
    pub fraction: u8,
    /// The most rows behind JOIN that may have the same key, where neither side is known to have each key once: without it there are no
    /// such joins.
    pub max_matches: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            name: "query".into(),
            to: Vec::new(),
            max_rows: None,
            min_rows: None,
            fraction: 16,
            max_matches: None,
        }
    }
}

/// Binds one query to tables that are described elsewhere. `file` stands for the text in messages. What owners compute of texts becomes
/// columns of their tables, which are added to the catalog.
///
/// # Errors
/// When the text is no query, or one that is not supported, with line and column.
pub fn bind(file: &str, sql: &str, catalog: &mut Catalog, settings: &Settings) -> Result<Query> {
    read::deep(|| {
        let file: Arc<str> = file.into();
        let (statements, words) = statements(&file, sql)?;
        let mut binder = Binder::new(&file, catalog, settings, words);
        match statements.as_slice() {
            [Statement::Query(query)] => {
                let query = binder.whole(query, settings)?;
                finished(query, catalog)
            }
            [Statement::Query(_), other, ..] | [other, ..] => {
                let first = binder.words.all.first();
                let span = match (binder.span(other), first) {
                    // Of some statements the parser does not tell where they are.
                    (span, Some((_, line, column))) if span.line == 0 => {
                        Span { line: *line, column: *column, ..span }
                    }
                    (span, _) => span,
                };
                Err(QueryError::new(&span, "one SELECT is wanted here, and nothing else"))
            }
            [] => Err(QueryError::new(&binder.words.end, "one SELECT is wanted here")),
        }
    })
}

/// A query as it was bound, with what owners compute of texts, and nothing that cannot be done with texts.
fn finished(mut query: Query, catalog: &mut Catalog) -> Result<Query> {
    query.plan = owners::computed(query.plan, catalog)?;
    texts::check(&query, catalog)?;
    Ok(query)
}

/// The statements of a text, and its words.
fn statements(file: &Arc<str>, sql: &str) -> Result<(Vec<Statement>, Words)> {
    let dialect = read::Tacit;
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let tokens = tokens.map_err(|error| {
        let (line, column) = (error.location.line as u32, error.location.column as u32);
        QueryError::new(
            &Span { file: file.clone(), line, column },
            format!("this is no SQL: {}", error.message),
        )
    })?;
    read::check_nesting(file, &tokens)?;
    let words = Words::of(file, sql, &tokens);
    let parsed = Parser::new(&dialect).with_tokens_with_locations(tokens).parse_statements();
    let parsed = parsed.map_err(|error| {
        let text = error.to_string();
        let text = text.trim_start_matches("sql parser error: ");
        // The parser says where at the end of its message.
        let (what, place) = text.rsplit_once(" at Line: ").unwrap_or((text, ""));
        let mut place = place.split(", Column: ").filter_map(|number| number.trim().parse().ok());
        let span = match (place.next(), place.next()) {
            (Some(line), Some(column)) if line > 0 => Span { file: file.clone(), line, column },
            // It ends too early.
            _ => words.end.clone(),
        };
        QueryError::new(&span, format!("this is no SQL that is understood: {what}"))
    })?;
    Ok((parsed, words))
}

/// The words of a text, by their places: of what the parser tells no place.
#[derive(Clone)]
struct Words {
    /// In capitals, with line and column.
    all: Arc<[(String, u32, u32)]>,
    /// The last character of the text that is no space.
    end: Span,
}

impl Words {
    fn of(file: &Arc<str>, sql: &str, tokens: &[TokenWithSpan]) -> Self {
        let word = |token: &TokenWithSpan| match &token.token {
            Token::Word(word) if word.quote_style.is_none() => {
                let start = token.span.start;
                Some((word.value.to_ascii_uppercase(), start.line as u32, start.column as u32))
            }
            _ => None,
        };
        let lines: Vec<&str> = sql.trim_end().split('\n').collect();
        let last = lines.last().map_or(0, |line| line.chars().count());
        let (line, column) = (lines.len() as u32, (last as u32).max(1));
        let end = Span { file: file.clone(), line, column };
        Words { all: tokens.iter().filter_map(word).collect(), end }
    }

    /// The first of some words from a place on, or the place itself.
    fn from(&self, start: Span, words: &[&str]) -> Span {
        let is = |(word, line, column): &&(String, u32, u32)| {
            (*line, *column) >= (start.line, start.column) && words.contains(&word.as_str())
        };
        match self.all.iter().find(is) {
            Some((_, line, column)) => Span { line: *line, column: *column, ..start },
            None => start,
        }
    }

    /// A word, the one of a number among all that are equal to it.
    fn numbered(&self, number: usize, word: &str) -> Span {
        let found = self.all.iter().filter(|(it, ..)| it == word).nth(number);
        found.map_or_else(
            || self.end.clone(),
            |(_, line, column)| Span { line: *line, column: *column, ..self.end.clone() },
        )
    }
}

/// What queries are bound with.
struct Binder<'c> {
    file: Arc<str>,
    catalog: &'c Catalog,
    /// Bits behind the point of quotients and means.
    fraction: u8,
    /// The most rows behind JOIN that may have the same key, where no side is unique.
    matches: Option<u64>,
    /// What WITH names, the innermost last, and how many tables it reads.
    named: Vec<(String, Plan, usize)>,
    /// How many tables have been read so far, each as often as it is.
    tables: usize,
    /// The columns of the rows outside of the subqueries under way that stand for a value.
    outside: Vec<scope::Scope>,
    /// Expressions that subqueries about the rows outside stand for, by the place of these in memory.
    values: Vec<(usize, crate::plan::Expr)>,
    /// How many subqueries were read to see whether they are about the rows outside.
    tried: usize,
    /// How deep queries are in one another.
    depth: usize,
    /// How often parts of expressions were looked at.
    looks: usize,
    words: Words,
    /// What the SELECTs around name, and how it is computed.
    selected: Vec<(String, String)>,
}

impl<'c> Binder<'c> {
    fn new(file: &Arc<str>, catalog: &'c Catalog, settings: &Settings, words: Words) -> Self {
        let (file, fraction, matches) = (file.clone(), settings.fraction, settings.max_matches);
        Binder {
            file,
            catalog,
            fraction,
            matches,
            named: Vec::new(),
            tables: 0,
            outside: Vec::new(),
            values: Vec::new(),
            tried: 0,
            depth: 0,
            looks: 0,
            words,
            selected: Vec::new(),
        }
    }

    /// Where something stands.
    fn span(&self, of: &impl Spanned) -> Span {
        let start = of.span().start;
        Span { file: self.file.clone(), line: start.line as u32, column: start.column as u32 }
    }

    /// The error of a word that stands somewhere behind the begin of something.
    fn error_at<T>(&self, words: &[&str], of: &impl Spanned, message: &str) -> Result<T> {
        Err(QueryError::new(&self.words.from(self.span(of), words), message))
    }

    fn error<T>(&self, of: &impl Spanned, message: impl Into<String>) -> Result<T> {
        Err(QueryError::new(&self.span(of), message))
    }
}

/// The place of a name.
struct At<'n>(&'n Ident);

impl Spanned for At<'_> {
    fn span(&self) -> sqlparser::tokenizer::Span {
        self.0.span
    }
}

/// The parts of a name: `table`, or `party.table`.
fn parts<'n>(name: &'n ObjectName) -> Option<Vec<&'n Ident>> {
    let part = |part: &'n ObjectNamePart| match part {
        ObjectNamePart::Identifier(ident) => Some(ident),
        ObjectNamePart::Function(_) => None,
    };
    name.0.iter().map(part).collect()
}

/// What was probably meant by a name, or what there is.
fn instead<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let near = known
        .clone()
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase()), known));
    match near.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((near, meant)) if near > 0.8 => format!("did you mean `{meant}`?"),
        _ => {
            let known: Vec<&str> = known.take(12).collect();
            format!("there is {}", known.join(", "))
        }
    }
}
