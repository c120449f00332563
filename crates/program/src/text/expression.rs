//! Expressions: infix operators, calls, names, numbers.

use super::cursor::Name;
use super::hints;
use super::lex::Kind;
use super::literal::Literal;
use super::parser::Parser;
use super::types::Written;
use crate::build::Value;
use crate::error::ProgramError;
use crate::ir::{Op, Span};
use crate::types::{Element, Extent, Shape, Type};

/// Most expressions within each other.
const MAX_DEPTH: usize = 100;

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Term<'a> {
    /// The results of an operation.
    Values(Vec<Value>),
    /// A number or list without a type.
    Literal(Literal<'a>),
}

/// A term and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Operand<'a> {
    pub term: Term<'a>,
    pub span: Span,
}

/// How tightly an operator binds, from 1.
fn precedence(operator: &str) -> Option<u8> {
    Some(match operator {
        "|" => 1,
        "^" => 2,
        "&" => 3,
        "<" | "<=" | ">" | ">=" | "==" | "!=" => COMPARISON,
        "+" | "-" => 5,
        "*" | "/" | "%" | "@" => 6,
        _ => return None,
    })
}

const COMPARISON: u8 = 4;

impl<'a> Parser<'a> {
    /// An expression. `declared` is what its results are declared as, if they are.
    pub(super) fn expression(
        &mut self,
        declared: &[Option<Written>],
    ) -> Result<Operand<'a>, ProgramError> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} expressions within each other");
            return Err(self.cursor.error(message));
        }
        let result = self.infix(1, declared);
        self.nesting -= 1;
        result
    }

    fn infix(
        &mut self,
        least: u8,
        declared: &[Option<Written>],
    ) -> Result<Operand<'a>, ProgramError> {
        let mut left = self.unary(declared)?;
        loop {
            let operator = self.cursor.token;
            if let Some(hint) = hints::infix(&operator) {
                return Err(self.cursor.error(hint));
            }
            let binds = precedence(operator.text).filter(|_| operator.kind == Kind::Symbol);
            let Some(binds) = binds.filter(|&binds| binds >= least) else { return Ok(left) };
            let span = self.cursor.span();
            self.cursor.advance()?;
            self.skip_newline()?;
            let right = self.infix(binds + 1, &[])?;
            if binds == COMPARISON && precedence(self.cursor.token.text) == Some(COMPARISON) {
                return Err(self.cursor.error("comparisons do not chain: write `a < b & b < c`"));
            }
            let value = self.operator(operator.text, [left, right], &span)?;
            left = Operand { term: Term::Values(vec![value]), span };
        }
    }

    /// The value of `a operator b`.
    pub(super) fn operator(
        &mut self,
        operator: &str,
        [a, b]: [Operand<'_>; 2],
        span: &Span,
    ) -> Result<Value, ProgramError> {
        let (op, operands) = match operator {
            "|" => (Op::Or, [a, b]),
            "^" => (Op::Xor, [a, b]),
            "&" => (Op::And, [a, b]),
            "<" | ">=" => (Op::Less, [a, b]),
            ">" | "<=" => (Op::Less, [b, a]),
            "==" | "!=" => (Op::Equal, [a, b]),
            "+" => (Op::Add { wrap: false }, [a, b]),
            "-" => (Op::Sub { wrap: false }, [a, b]),
            "*" => (Op::Mul { wrap: false }, [a, b]),
            "/" => (Op::Div { bits: None }, [a, b]),
            "%" => (Op::Rem, [a, b]),
            _ => (Op::MatMul, [a, b]),
        };
        let negated = matches!(operator, ">=" | "<=" | "!=");
        let value = if matches!(op, Op::MatMul) {
            let values = self.alike(&operands)?;
            self.push(op, &values, None, span)?
        } else {
            self.elementwise(op, &operands, span)?
        };
        if negated { self.push(Op::Not, &[value], None, span) } else { Ok(value) }
    }

    fn unary(&mut self, declared: &[Option<Written>]) -> Result<Operand<'a>, ProgramError> {
        let span = self.cursor.span();
        let (minus, not) = (self.cursor.at("-"), self.cursor.at("!"));
        if !minus && !not {
            return self.primary(declared);
        }
        self.cursor.advance()?;
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return Err(self.cursor.error("too many signs"));
        }
        let operand = self.unary(&[])?;
        self.nesting -= 1;
        let term = match operand.term {
            Term::Literal(literal) if minus && !literal.truth => Term::Literal(literal.negate()),
            _ => {
                let op = if minus { Op::Neg { wrap: false } } else { Op::Not };
                let value = self.single(&operand)?;
                Term::Values(vec![self.push(op, &[value], None, &span)?])
            }
        };
        Ok(Operand { term, span })
    }

    fn primary(&mut self, declared: &[Option<Written>]) -> Result<Operand<'a>, ProgramError> {
        let (token, span) = (self.cursor.token, self.cursor.span());
        let term = match (token.kind, token.text) {
            (Kind::Number, text) => {
                self.cursor.advance()?;
                Term::Literal(Literal::number(text, span.clone()))
            }
            (Kind::Word, "true" | "false") => {
                self.cursor.advance()?;
                Term::Literal(Literal::truth(token.text, span.clone()))
            }
            (Kind::Symbol, "[") => Term::Literal(self.list_literal(0)?),
            (Kind::Symbol, "(") => {
                self.cursor.advance()?;
                let inner = self.expression(&[])?;
                self.cursor.separate(&token, ")")?;
                self.cursor.expect(")")?;
                return Ok(inner);
            }
            (Kind::Word, "circuit" | "circuit_file") => Term::Values(self.circuit_call(declared)?),
            (Kind::Word, _) if self.at_date() => {
                let days = i128::from(self.date()?);
                let element = Element::int(32);
                let shape = Shape::new();
                Term::Values(vec![self.constant(vec![days], element, shape, &span)?])
            }
            (Kind::Word, _) if self.cursor.ahead.is("(") => Term::Values(self.call()?),
            (Kind::Word, _) => {
                let name = self.cursor.word("a value")?;
                if self.cursor.at("[") {
                    let message = "there is no indexing with `[`: use `slice` or `gather`";
                    return Err(self.cursor.error(message));
                }
                Term::Values(vec![self.named(&name)?])
            }
            _ => return Err(self.cursor.expected("a value")),
        };
        Ok(Operand { term, span })
    }

    /// The value of a name: of a row count, unless a value is called the same, the number of rows.
    fn named(&mut self, name: &Name) -> Result<Value, ProgramError> {
        let rows = self.builder.program().dim(&name.text);
        match (self.find(&name.text, &name.span), rows) {
            (Err(_), Some(rows)) => self.length(Extent::rows(rows), &name.span),
            (found, _) => found.map_err(|error| self.hinted(name, error)),
        }
    }

    /// The error that there is no value of this name, with a better one where there is one.
    fn hinted(&self, name: &Name, error: ProgramError) -> ProgramError {
        match hints::word(&name.text) {
            Some(hint) => ProgramError::new(&name.span, hint),
            None if self.cursor.at("=") => {
                let option = "; an option of a function is written without `=`, as in `axis 0`";
                ProgramError::new(&name.span, format!("{}{option}", error.message))
            }
            None => error,
        }
    }

    /// A list of numbers or of such lists.
    fn list_literal(&mut self, depth: usize) -> Result<Literal<'a>, ProgramError> {
        let span = self.cursor.span();
        if depth > 8 {
            return Err(self.cursor.error("too many lists within each other"));
        }
        let opened = self.cursor.expect("[")?;
        let mut items = Vec::new();
        while !self.cursor.accept("]")? {
            let item =
                if self.cursor.at("[") { self.list_literal(depth + 1)? } else { self.item()? };
            items.push(item);
            self.cursor.separate(&opened, "]")?;
        }
        Literal::list(items, span)
    }

    fn item(&mut self) -> Result<Literal<'a>, ProgramError> {
        let span = self.cursor.span();
        if self.cursor.at("true") || self.cursor.at("false") {
            return Ok(Literal::truth(self.cursor.advance()?.text, span));
        }
        if !self.cursor.at_number() {
            return Err(self.cursor.expected("a number: lists are constants"));
        }
        let negative = self.cursor.accept("-")?;
        let literal = Literal::number(self.cursor.advance()?.text, span);
        Ok(if negative { literal.negate() } else { literal })
    }

    /// The only value of an operand.
    pub(super) fn single(&mut self, operand: &Operand<'_>) -> Result<Value, ProgramError> {
        self.single_like(operand, None, &Shape::new())
    }

    /// The only value of an operand; a number becomes a constant like `like`, of this shape.
    pub(super) fn single_like(
        &mut self,
        operand: &Operand<'_>,
        like: Option<Element>,
        shape: &Shape,
    ) -> Result<Value, ProgramError> {
        match &operand.term {
            Term::Literal(literal) => self.constant_like(literal, like, shape),
            Term::Values(values) => match values.as_slice() {
                [value] => Ok(*value),
                all => {
                    let message =
                        format!("this has {} results: take them apart with `let`", all.len());
                    Err(ProgramError::new(&operand.span, message))
                }
            },
        }
    }

    /// The type of the first operand that has one and is no condition.
    pub(super) fn model(&self, operands: &[Operand<'_>]) -> Option<&Type> {
        operands.iter().find_map(|operand| match &operand.term {
            Term::Values(values) if values.len() == 1 => Some(self.ty(values[0])),
            _ => None,
        })
    }

    /// Values of one kind of element: numbers among them become constants of that kind.
    pub(super) fn alike(&mut self, operands: &[Operand<'_>]) -> Result<Vec<Value>, ProgramError> {
        let like = self.model(operands).map(|ty| ty.element);
        let scalar = Shape::new();
        operands.iter().map(|operand| self.single_like(operand, like, &scalar)).collect()
    }

    /// An operation on arrays element by element: numbers become constants, and smaller shapes
    /// are broadcast.
    pub(super) fn elementwise(
        &mut self,
        op: Op,
        operands: &[Operand<'_>],
        span: &Span,
    ) -> Result<Value, ProgramError> {
        let conditions = usize::from(matches!(op, Op::Select)).min(operands.len());
        let like = self.model(&operands[conditions..]).map(|ty| ty.element);
        let any = self.model(operands).map(|ty| ty.shape.clone()).unwrap_or_default();
        let mut values = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            let like = if i < conditions { Some(Element::Bit) } else { like };
            values.push(self.single_like(operand, like, &any)?);
        }
        self.builder.at(span);
        let results = self.builder.elementwise(op, &values);
        Ok(self.builder.checked(results)?[0])
    }
}
