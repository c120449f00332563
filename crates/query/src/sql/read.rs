//! Texts to statements: the dialect, and what would be nested too deeply for the stack.

use crate::error::{QueryError, Result};
use sqlparser::dialect::{Dialect, DuckDbDialect};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};
use std::any::TypeId;
use std::sync::Arc;
use tacit_program::Span;

/// The most operations of which one is an operand of the next, as far as the text shows it.
const MOST_OPERATORS: usize = 1000;
/// The most selects that `UNION` and the like put together.
const MOST_SELECTS: usize = 200;
/// The most brackets within brackets. What the parser needs of the stack for them is large.
const MOST_BRACKETS: usize = 40;

/// What parsing and binding may need of the stack: much, where others' code is not optimised. Memory that is not touched costs nothing.
const STACK: usize = 64 << 20;

/// Runs what goes as deep as a text does, on a stack that is deep enough for all that [`check_nesting`] lets through.
pub(super) fn deep<T: Send>(run: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let Ok(thread) = thread else {
            let what =
                "the system gives no thread to read the query on: try again with more memory";
            return Err(QueryError::new(&Span::default(), what));
        };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// DuckDB's dialect, and `CREATE TABLE bob.t (LIKE alice.t)`.
#[derive(Debug)]
pub(super) struct Tacit;

impl Dialect for Tacit {
    fn dialect(&self) -> TypeId {
        TypeId::of::<DuckDbDialect>()
    }

    fn is_identifier_start(&self, character: char) -> bool {
        DuckDbDialect.is_identifier_start(character)
    }

    fn is_identifier_part(&self, character: char) -> bool {
        DuckDbDialect.is_identifier_part(character)
    }

    fn supports_create_table_like_parenthesized(&self) -> bool {
        true
    }

    fn supports_cte_materialization(&self) -> bool {
        true
    }

    fn supports_trailing_commas(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_select_wildcard_exclude(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    fn supports_order_by_all(&self) -> bool {
        true
    }

    fn supports_from_first_select(&self) -> bool {
        true
    }

    fn supports_notnull_operator(&self) -> bool {
        true
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn allow_extract_single_quotes(&self) -> bool {
        true
    }
}

/// Refuses what would be nested so deeply that it overflows the stack, if only to forget it.
pub(super) fn check_nesting(file: &Arc<str>, tokens: &[TokenWithSpan]) -> Result<()> {
    let mut selects = 0;
    let mut operators: usize = 0;
    let mut outside: Vec<usize> = Vec::new();
    for token in tokens {
        let base = outside.last().copied().unwrap_or(0);
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => outside.push(operators),
            Token::RParen | Token::RBracket | Token::RBrace => {
                operators = outside.pop().unwrap_or(0) + 1;
            }
            Token::SemiColon => {
                outside.clear();
                (operators, selects) = (0, 0);
            }
            Token::Comma => operators = base,
            Token::Word(word) => match word.keyword {
                Keyword::SELECT | Keyword::FROM | Keyword::WHERE | Keyword::GROUP => {
                    operators = base;
                }
                Keyword::HAVING | Keyword::ORDER | Keyword::ON | Keyword::JOIN => {
                    operators = base;
                }
                Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT => selects += 1,
                Keyword::WHEN | Keyword::THEN | Keyword::NoKeyword => {}
                _ => operators += 1,
            },
            Token::Whitespace(_)
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Period => {}
            _ => operators += 1,
        }
        let what = if operators > MOST_OPERATORS || outside.len() > MOST_BRACKETS {
            "this expression has too many operations within each other: write a part of it as a column of a subquery"
        } else if selects > MOST_SELECTS {
            "this query has too many selects: put fewer of them together by UNION"
        } else {
            continue;
        };
        let (line, column) = (token.span.start.line as u32, token.span.start.column as u32);
        return Err(QueryError::new(&Span { file: file.clone(), line, column }, what));
    }
    Ok(())
}
