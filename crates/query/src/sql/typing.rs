//! Kinds of expressions, and numbers that are known before anything runs.

use crate::clear;
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, Expr, Operator};
use tacit_program::Span;
use tacit_program::domain::{parse_date, text_code};

/// The most decimals that a product may have.
const MOST_DECIMALS: u8 = 12;

/// A literal.
pub(super) fn literal(kind: Kind, raw: Option<i128>, span: Span) -> Expr {
    Expr { compute: Compute::Literal(raw), kind, nullable: raw.is_none(), span }
}

/// A truth value.
pub(super) fn truth(bit: bool, span: Span) -> Expr {
    literal(Kind::Bit, Some(i128::from(bit)), span)
}

/// Whether an expression is the word NULL.
pub(super) fn is_null_literal(expr: &Expr) -> bool {
    matches!(expr.compute, Compute::Literal(None))
}

/// An expression, or the number that it always is.
pub(super) fn folded(expr: Expr) -> Result<Expr> {
    let known = |expr: &Expr| matches!(expr.compute, Compute::Literal(_));
    let all_known = match &expr.compute {
        Compute::Convert(a)
        | Compute::Negate(a)
        | Compute::Absolute(a)
        | Compute::Not(a)
        | Compute::IsNull(a)
        | Compute::Root(a)
        | Compute::Bucket(a, _)
        | Compute::DatePart(_, a)
        | Compute::OfText(_, a) => known(a),
        Compute::Binary(_, a, b) => known(a) && known(b),
        Compute::Coalesce(of) | Compute::Extreme { of, .. } => of.iter().all(known),
        _ => false,
    };
    if !all_known {
        return Ok(expr);
    }
    let raw = clear::constant(&expr)?;
    Ok(literal(expr.kind, raw, expr.span))
}

/// An expression as one of another kind.
pub(super) fn converted(expr: Expr, kind: &Kind) -> Result<Expr> {
    if expr.kind == *kind {
        return Ok(expr);
    }
    if is_null_literal(&expr) {
        return Ok(literal(kind.clone(), None, expr.span));
    }
    let possible = match (&expr.kind, kind) {
        (Kind::Bit | Kind::Decimal { .. } | Kind::Fixed { .. }, to) => to.is_number(),
        _ => false,
    };
    if !possible {
        let what = format!("this is {}, where {kind} is needed", expr.kind);
        return Err(QueryError::new(&expr.span, what));
    }
    let (nullable, span) = (expr.nullable, expr.span.clone());
    folded(Expr { compute: Compute::Convert(Box::new(expr)), kind: kind.clone(), nullable, span })
}

/// The kind that values of two kinds have in common.
pub(super) fn common(a: &Expr, b: &Expr) -> Result<Kind> {
    let kinds = (&a.kind, &b.kind);
    Ok(match kinds {
        _ if is_null_literal(a) => b.kind.clone(),
        _ if is_null_literal(b) => a.kind.clone(),
        (a, b) if a == b => a.clone(),
        (Kind::Decimal { scale: a }, Kind::Decimal { scale: b }) => {
            Kind::Decimal { scale: *a.max(b) }
        }
        (Kind::Fixed { fraction: a }, Kind::Fixed { fraction: b }) => {
            Kind::Fixed { fraction: *a.max(b) }
        }
        (Kind::Fixed { fraction }, Kind::Decimal { .. })
        | (Kind::Decimal { .. }, Kind::Fixed { fraction }) => Kind::Fixed { fraction: *fraction },
        _ => {
            let what = match kinds {
                (Kind::Category(_), Kind::Category(_)) => {
                    "these are texts of different lists, which cannot be compared: give both columns the same ENUM".to_owned()
                }
                (Kind::Category(_), Kind::Text) | (Kind::Text, Kind::Category(_)) => {
                    "an ENUM cannot be compared with a TEXT: give both columns the same type".to_owned()
                }
                (a, b) => format!("this is {b}, and what it meets is {a}: they have nothing in common"),
            };
            return Err(QueryError::new(&b.span, what));
        }
    })
}

/// Two expressions as ones of the kind that they have in common.
pub(super) fn unified(a: Expr, b: Expr) -> Result<(Expr, Expr)> {
    let kind = common(&a, &b)?;
    Ok((converted(a, &kind)?, converted(b, &kind)?))
}

/// An operation on two operands of the right kinds.
pub(super) fn binary(
    operator: Operator,
    a: Expr,
    b: Expr,
    kind: Kind,
    span: &Span,
) -> Result<Expr> {
    let divides =
        matches!(operator, Operator::Divide | Operator::IntegerDivide | Operator::Remainder);
    let by_zero = divides && !matches!(b.compute, Compute::Literal(Some(number)) if number != 0);
    let nullable = a.nullable || b.nullable || by_zero;
    let compute = Compute::Binary(operator, Box::new(a), Box::new(b));
    folded(Expr { compute, kind, nullable, span: span.clone() })
}

/// Whether both hold.
pub(super) fn and(a: Expr, b: Expr) -> Result<Expr> {
    let span = a.span.clone();
    binary(Operator::And, a, b, Kind::Bit, &span)
}

/// Conditions of which all must hold, or one. Not more of them are within each other than need be.
pub(super) fn all(operator: Operator, conditions: Vec<Expr>, span: &Span) -> Result<Expr> {
    let mut rest = conditions;
    while rest.len() > 1 {
        let mut pairs = rest.into_iter();
        let mut joined = Vec::new();
        while let Some(first) = pairs.next() {
            joined.push(match pairs.next() {
                Some(second) => {
                    let span = first.span.clone();
                    binary(operator, first, second, Kind::Bit, &span)?
                }
                None => first,
            });
        }
        rest = joined;
    }
    Ok(rest.pop().unwrap_or_else(|| truth(operator == Operator::And, span.clone())))
}

/// The operands of a chain of AND, or of OR.
fn chain(operator: Operator, expr: Expr, into: &mut Vec<Expr>) {
    match expr.compute {
        Compute::Binary(own, a, b) if own == operator => {
            chain(operator, *a, into);
            chain(operator, *b, into);
        }
        _ => into.push(expr),
    }
}

/// A condition as several, all of which must hold: those that all alternatives of an OR have in common stand alone.
pub(super) fn factored(expr: Expr) -> Result<Vec<Expr>> {
    let span = expr.span.clone();
    let mut alternatives = Vec::new();
    chain(Operator::Or, expr.clone(), &mut alternatives);
    let mut alternatives: Vec<Vec<Expr>> = alternatives
        .into_iter()
        .map(|alternative| {
            let mut conditions = Vec::new();
            chain(Operator::And, alternative, &mut conditions);
            conditions
        })
        .collect();
    let (first, others) = match alternatives.as_slice() {
        [first, others @ ..] if !others.is_empty() => (first, others),
        _ => return Ok(vec![expr]),
    };
    let has = |conditions: &[Expr], wanted: &Expr| conditions.iter().any(|it| it.same(wanted));
    let in_all = |it: &&Expr| others.iter().all(|conditions| has(conditions, it));
    let mut common: Vec<Expr> = first.iter().filter(in_all).cloned().collect();
    if common.is_empty() {
        return Ok(vec![expr]);
    }
    alternatives.iter_mut().for_each(|conditions| conditions.retain(|it| !has(&common, it)));
    if alternatives.iter().all(|conditions| !conditions.is_empty()) {
        let rest = alternatives.into_iter().map(|of| all(Operator::And, of, &span));
        let rest = rest.collect::<Result<Vec<_>>>()?;
        common.push(all(Operator::Or, rest, &span)?);
    }
    Ok(common)
}

/// Whether something does not hold.
pub(super) fn not(expr: Expr) -> Result<Expr> {
    let (nullable, span) = (expr.nullable, expr.span.clone());
    folded(Expr { compute: Compute::Not(Box::new(expr)), kind: Kind::Bit, nullable, span })
}

/// A number.
pub(super) fn number(expr: Expr) -> Result<Expr> {
    match expr.kind {
        Kind::Decimal { .. } | Kind::Fixed { .. } => Ok(expr),
        _ if is_null_literal(&expr) => Ok(literal(INTEGER, None, expr.span)),
        Kind::Bit => converted(expr, &INTEGER),
        _ => {
            let what = format!("one cannot calculate with this: it is {}", expr.kind);
            Err(QueryError::new(&expr.span, what))
        }
    }
}

/// A condition.
pub(super) fn condition(expr: Expr) -> Result<Expr> {
    match expr.kind {
        Kind::Bit => Ok(expr),
        _ if is_null_literal(&expr) => Ok(literal(Kind::Bit, None, expr.span)),
        _ => {
            let what = format!(
                "a condition is needed here, and this is {}: compare it with something",
                expr.kind
            );
            Err(QueryError::new(&expr.span, what))
        }
    }
}

/// What an operation on numbers, or on dates and days, gives.
pub(super) fn arithmetic(
    operator: Operator,
    a: Expr,
    b: Expr,
    span: &Span,
    fraction: u8,
) -> Result<Expr> {
    match (operator, &a.kind, &b.kind) {
        (Operator::Add, Kind::Date, _) | (Operator::Subtract, Kind::Date, Kind::Decimal { .. }) => {
            let days = whole(number(b)?)?;
            return binary(operator, a, days, Kind::Date, span);
        }
        (Operator::Add, _, Kind::Date) => return arithmetic(operator, b, a, span, fraction),
        (Operator::Subtract, Kind::Date, Kind::Date) => {
            return binary(operator, a, b, INTEGER, span);
        }
        _ => {}
    }
    let (a, b) = (number(a)?, number(b)?);
    match operator {
        Operator::Multiply => match (&a.kind, &b.kind) {
            (Kind::Decimal { scale: x }, Kind::Decimal { scale: y }) => {
                let scale = x + y;
                if scale > MOST_DECIMALS {
                    let what = format!(
                        "this product has {scale} decimals, more than {MOST_DECIMALS}: CAST a factor to fewer first"
                    );
                    return Err(QueryError::new(span, what));
                }
                binary(operator, a, b, Kind::Decimal { scale }, span)
            }
            _ => {
                let (a, b) = unified(a, b)?;
                let kind = a.kind.clone();
                binary(operator, a, b, kind, span)
            }
        },
        Operator::Divide => {
            let fixed =
                |kind: &Kind| if let Kind::Fixed { fraction } = kind { *fraction } else { 0 };
            let kind = match fixed(&a.kind).max(fixed(&b.kind)) {
                0 => Kind::Fixed { fraction },
                fraction => Kind::Fixed { fraction },
            };
            let is_zero = |expr: &Expr| matches!(expr.compute, Compute::Literal(Some(0)));
            let zero = is_zero(&b);
            let (a, b) = (converted(a, &kind)?, converted(b, &kind)?);
            if is_zero(&b) && !zero {
                let what = "this divisor is so small that it is zero in binary fixed point: multiply both sides of the `/` by a power of ten";
                return Err(QueryError::new(&b.span, what));
            }
            binary(operator, a, b, kind, span)
        }
        Operator::IntegerDivide | Operator::Remainder => {
            let (a, b) = (whole(a)?, whole(b)?);
            binary(operator, a, b, INTEGER, span)
        }
        _ => {
            let (a, b) = unified(a, b)?;
            let kind = a.kind.clone();
            binary(operator, a, b, kind, span)
        }
    }
}

/// An integer.
fn whole(expr: Expr) -> Result<Expr> {
    match expr.kind {
        INTEGER => Ok(expr),
        _ => {
            let what =
                format!("an integer is needed here, and this is {}: CAST it to INT", expr.kind);
            Err(QueryError::new(&expr.span, what))
        }
    }
}

/// A number as written, exactly.
pub(super) fn decimal(text: &str, span: &Span) -> Result<Expr> {
    let plain = text.replace('_', "");
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let scale = decimals.len();
    let raw = format!("{whole}{decimals}")
        .parse::<i128>()
        .ok()
        .filter(|_| scale <= usize::from(MOST_DECIMALS));
    match raw {
        Some(raw) => Ok(literal(Kind::Decimal { scale: scale as u8 }, Some(raw), span.clone())),
        None => {
            let what =
                format!("numbers are written as digits with at most {MOST_DECIMALS} decimals");
            Err(QueryError::new(span, what))
        }
    }
}

/// A text as a value of a kind.
pub(super) fn text(text: &str, kind: Option<&Kind>, span: &Span) -> Result<Expr> {
    let wrong = |what: String| Err(QueryError::new(span, what));
    match kind {
        Some(Kind::Date) => match parse_date(text) {
            Some(days) => Ok(literal(Kind::Date, Some(days.into()), span.clone())),
            None => wrong(format!("`{text}` is no date: dates are written 2024-01-31")),
        },
        Some(Kind::Text) if text.trim_ascii().is_empty() => {
            wrong("no TEXT is empty: an empty one is null, which IS NULL asks for".into())
        }
        Some(Kind::Text) => {
            let code = text_code(text).into();
            Ok(literal(Kind::Text, Some(code), span.clone()))
        }
        Some(Kind::Category(domain)) => {
            let code = domain.interval();
            let code = (code.low..=code.high).find(|code| domain.label(*code).as_deref() == Some(text));
            match code {
                Some(code) => Ok(literal(Kind::Category(domain.clone()), Some(code), span.clone())),
                None => wrong(format!("`{text}` is not in the list of this column: {domain}")),
            }
        }
        Some(Kind::Decimal { .. }) if text.parse::<f64>().is_ok() => decimal(text, span),
        Some(Kind::Bit) if text == "true" || text == "false" => Ok(truth(text == "true", span.clone())),
        Some(kind) => wrong(format!("this is a text, where {kind} is needed")),
        None => wrong("a text stands here that nothing says the list of: compare it with an ENUM or a date, or write DATE before a date".into()),
    }
}
