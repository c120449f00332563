//! Functions, dates, and aggregates.

use super::Binder;
use super::expr::{Rows, alike};
use super::scope::Scope;
use super::typing::{binary, condition, folded, literal, number};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, DatePart, Expr, Function, Operator, Quantile};
use chrono::{Months, NaiveDate};
use sqlparser::ast::{
    self, DuplicateTreatment, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, Value,
};
use tacit_program::Span;

/// The part of a date that a word means.
pub(super) fn date_part(word: &str) -> Option<DatePart> {
    Some(match word.to_ascii_lowercase().as_str() {
        "year" => DatePart::Year,
        "quarter" => DatePart::Quarter,
        "month" => DatePart::Month,
        "day" | "dayofmonth" => DatePart::Day,
        "dayofweek" | "dow" | "weekday" => DatePart::Weekday,
        _ => return None,
    })
}

/// A part of a date.
pub(super) fn part_of(part: DatePart, date: Expr, span: Span) -> Result<Expr> {
    if date.kind != Kind::Date {
        return Err(QueryError::new(
            &date.span,
            format!("a date is needed here, and this is {}", date.kind),
        ));
    }
    let nullable = date.nullable;
    folded(Expr { compute: Compute::DatePart(part, Box::new(date)), kind: INTEGER, nullable, span })
}

/// What is called, with what.
pub(super) struct Asked<'a> {
    pub name: String,
    pub arguments: Vec<&'a Ast>,
    pub distinct: bool,
    /// Whether it is called with a star.
    pub all: bool,
}

impl Binder<'_> {
    /// A function.
    pub fn function(
        &mut self,
        function: &ast::Function,
        ast: &Ast,
        rows: &mut Rows<'_>,
        wanted: Option<&Kind>,
    ) -> Result<Expr> {
        let span = self.span(ast);
        if let Some(over) = &function.over {
            return self.window(function, over, ast, rows);
        }
        let mut call = self.asked(function, ast)?;
        let quantile = self.quantile(&mut call, ast)?;
        if let Some(aggregate) = quantile.or_else(|| aggregate_of(&call.name)) {
            return self.aggregate(aggregate, &call, function, ast, rows);
        }
        if function.filter.is_some() || call.distinct || call.all {
            return self.error(
                ast,
                "only aggregates have DISTINCT, FILTER or a star: count, sum, avg, min and max",
            );
        }
        if let (Some(part), [date]) = (date_part(&call.name), call.arguments.as_slice()) {
            let date = self.expr(date, rows, Some(&Kind::Date))?;
            return part_of(part, date, span);
        }
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("abs", [of]) => {
                let of = number(self.expr(of, rows, None)?)?;
                let (kind, nullable) = (of.kind.clone(), of.nullable);
                folded(Expr { compute: Compute::Absolute(Box::new(of)), kind, nullable, span })
            }
            ("coalesce" | "ifnull", [_, ..]) => {
                let of = alike(self.all(&call.arguments, rows, wanted)?)?;
                let (kind, nullable) = (of[0].kind.clone(), of.iter().all(|of| of.nullable));
                folded(Expr { compute: Compute::Coalesce(of), kind, nullable, span })
            }
            ("greatest" | "least", [_, ..]) => {
                let of = alike(self.all(&call.arguments, rows, wanted)?)?;
                let (kind, nullable) = (of[0].kind.clone(), of.iter().all(|of| of.nullable));
                let greatest = call.name == "greatest";
                folded(Expr { compute: Compute::Extreme { greatest, of }, kind, nullable, span })
            }
            ("nullif", [a, b]) => {
                let (a, b) = self.both(a, b, rows)?;
                let kept = a.clone();
                let (a, b) = super::typing::unified(a, b)?;
                let equal = binary(Operator::Equal, a, b, Kind::Bit, &span)?;
                let none = literal(kept.kind.clone(), None, span.clone());
                let kind = kept.kind.clone();
                Ok(Expr {
                    compute: Compute::Case(vec![(equal, none)], Box::new(kept)),
                    kind,
                    nullable: true,
                    span,
                })
            }
            ("if", [when, then, other]) => {
                let when = condition(self.expr(when, rows, Some(&Kind::Bit))?)?;
                let mut both = alike(self.all(&[then, other], rows, wanted)?)?.into_iter();
                let (Some(then), Some(other)) = (both.next(), both.next()) else {
                    return self.error(ast, "if has three arguments");
                };
                let (kind, nullable) = (then.kind.clone(), then.nullable || other.nullable);
                Ok(Expr {
                    compute: Compute::Case(vec![(when, then)], Box::new(other)),
                    kind,
                    nullable,
                    span,
                })
            }
            _ => {
                let what = format!(
                    "there is no function `{}` of {} arguments: there are count, sum, avg, min, max, median, quantile_disc, quantile_cont, abs, coalesce, nullif, least, greatest, year, \
                     quarter, month, day and dayofweek",
                    call.name,
                    call.arguments.len()
                );
                self.error(ast, what)
            }
        }
    }

    /// Several expressions: texts are of the kind that is wanted, or that the first other one has.
    pub fn all(
        &mut self,
        of: &[&Ast],
        rows: &mut Rows<'_>,
        wanted: Option<&Kind>,
    ) -> Result<Vec<Expr>> {
        let mut kind = wanted.cloned();
        for ast in of {
            if kind.is_none()
                && let Ok(expr) = self.expr(ast, rows, None)
                && !super::typing::is_null_literal(&expr)
            {
                kind = Some(expr.kind);
            }
        }
        of.iter().map(|ast| self.expr(ast, rows, kind.as_ref())).collect()
    }

    pub fn asked<'a>(&self, function: &'a ast::Function, ast: &Ast) -> Result<Asked<'a>> {
        let name = function.name.to_string().to_ascii_lowercase();
        let mut call = Asked { name, arguments: Vec::new(), distinct: false, all: false };
        let FunctionArguments::List(list) = &function.args else { return Ok(call) };
        call.distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        if let [of] = function.within_group.as_slice()
            && matches!(call.name.as_str(), "percentile_disc" | "percentile_cont")
        {
            if self.key(of, 0)?.descending {
                let what = "quantiles go through ascending values: without DESC, percentile_cont of 1 less the fraction says the same";
                return self.error(&of.expr, what);
            }
            call.arguments.push(&of.expr);
        } else if !function.within_group.is_empty() {
            return self.error(
                ast,
                "only percentile_disc and percentile_cont have WITHIN GROUP, with one column",
            );
        }
        if !list.clauses.is_empty()
            || function.null_treatment.is_some()
            || !matches!(function.parameters, FunctionArguments::None)
        {
            return self.error(ast, "a function is called with arguments alone here");
        }
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => call.arguments.push(expr),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => call.all = true,
                _ => return self.error(ast, "arguments of functions have no names here"),
            }
        }
        Ok(call)
    }

    /// The quantile that is called; its fraction is taken out of the arguments.
    fn quantile(&mut self, call: &mut Asked<'_>, ast: &Ast) -> Result<Option<Function>> {
        let between = match call.name.as_str() {
            "median" => {
                let half = Quantile { numerator: 1, denominator: 2, between: true };
                return Ok(Some(Function::Quantile(half)));
            }
            "quantile_disc" | "quantile" | "percentile_disc" => false,
            "quantile_cont" | "percentile_cont" => true,
            _ => return Ok(None),
        };
        if call.arguments.len() != 2 {
            let what = format!(
                "{} has a column and a fraction: quantile_cont(x, 0.9), or percentile_cont(0.9) WITHIN GROUP (ORDER BY x)",
                call.name
            );
            return self.error(ast, what);
        }
        let wrong = format!(
            "the fraction of a quantile is a number from 0 to 1, as 0.9, in lowest terms at most of {}ths",
            Quantile::FINEST
        );
        let fraction = call.arguments.remove(1);
        let known = match self.plain(fraction, &Scope::default()) {
            Ok(Expr {
                compute: Compute::Literal(Some(raw)),
                kind: Kind::Decimal { scale },
                ..
            }) => u128::try_from(raw).ok().zip(10u128.checked_pow(scale.into())),
            _ => None,
        };
        match known.and_then(|(raw, unit)| Quantile::new(raw, unit, between)) {
            Some(quantile) => Ok(Some(Function::Quantile(quantile))),
            None => self.error(fraction, wrong),
        }
    }

    /// An aggregate, of groups.
    fn aggregate(
        &mut self,
        of: Function,
        call: &Asked<'_>,
        function: &ast::Function,
        ast: &Ast,
        rows: &mut Rows<'_>,
    ) -> Result<Expr> {
        let span = self.span(ast);
        let Some(mut groups) = rows.groups.take() else {
            return self.error(ast, "an aggregate cannot stand here: it is of groups of rows, in SELECT, HAVING or ORDER BY");
        };
        groups.asked = true;
        let scope = rows.scope;
        let mut plain = |binder: &mut Self, ast: &Ast| binder.plain(ast, scope);
        let argument = self.counted((of, call, function), ast, &mut plain);
        let bound = argument.and_then(|argument| {
            groups.aggregate(of, argument, call.distinct, &span, self.fraction)
        });
        rows.groups = Some(groups);
        bound
    }

    /// What an aggregate is of, with what it is told to count: none if it counts rows.
    pub fn counted(
        &mut self,
        (of, call, function): (Function, &Asked<'_>, &ast::Function),
        ast: &Ast,
        bind: &mut impl FnMut(&mut Self, &Ast) -> Result<Expr>,
    ) -> Result<Option<Expr>> {
        let span = self.span(ast);
        let argument = match (call.arguments.as_slice(), call.all || call.arguments.is_empty()) {
            ([], true) if of == Function::Count && call.name == "count" && !call.distinct => None,
            ([argument], false) => Some(bind(self, argument)?),
            _ => return self.error(ast, format!("{} has one argument", call.name)),
        };
        // Rows that do not count are null.
        let counts = match &function.filter {
            Some(filter) => Some(condition(bind(self, filter)?)?),
            None => None,
        };
        let argument = match (call.name.as_str(), argument) {
            ("count_if" | "countif", Some(argument)) => {
                let when = condition(argument)?;
                Some(when_true(when, literal(Kind::Bit, Some(1), span.clone()), &span))
            }
            (_, Some(argument)) if matches!(of, Function::Sum | Function::Mean) => {
                Some(number(argument)?)
            }
            (_, argument) => argument,
        };
        Ok(match (counts, argument) {
            (None, argument) => argument,
            (Some(counts), Some(argument)) => Some(when_true(counts, argument, &span)),
            (Some(counts), None) => {
                Some(when_true(counts, literal(Kind::Bit, Some(1), span.clone()), &span))
            }
        })
    }

    /// A date that many days, months or years later, or earlier.
    pub fn later(
        &mut self,
        date: Expr,
        interval: &ast::Interval,
        earlier: bool,
        span: &Span,
    ) -> Result<Expr> {
        let wrong = |what: &str| Err(QueryError::new(span, what.to_owned()));
        if date.kind != Kind::Date {
            return wrong("an INTERVAL is added to a date");
        }
        let written = match interval.value.as_ref() {
            Ast::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.clone(),
                Value::SingleQuotedString(text) => text.clone(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let mut words = written.split_whitespace();
        let count: Option<i64> = words.next().and_then(|count| count.parse().ok());
        let unit = interval
            .leading_field
            .as_ref()
            .map(ToString::to_string)
            .or_else(|| words.next().map(str::to_owned));
        let whole = interval.last_field.is_none() && words.next().is_none();
        let (Some(count), Some(unit), true) = (count, unit, whole) else {
            return wrong(
                "an INTERVAL is a number of days, weeks, months or years: INTERVAL '3' MONTH",
            );
        };
        let count = if earlier { -count } else { count };
        let unit = unit.to_ascii_lowercase();
        let days = match unit.trim_end_matches('s') {
            "day" => count,
            "week" => 7 * count,
            unit @ ("month" | "quarter" | "year") => {
                let months = count
                    * match unit {
                        "month" => 1,
                        "quarter" => 3,
                        _ => 12,
                    };
                let Compute::Literal(Some(raw)) = date.compute else {
                    return wrong(
                        "months and years are added to dates that are written down; to a column, days and weeks are",
                    );
                };
                let moved = moved_by_months(raw, months);
                return match moved {
                    Some(days) => Ok(literal(Kind::Date, Some(days), span.clone())),
                    None => wrong("this date is too far from today"),
                };
            }
            _ => {
                return wrong(
                    "an INTERVAL is a number of days, weeks, months or years: INTERVAL '3' MONTH",
                );
            }
        };
        let days = literal(INTEGER, Some(days.into()), span.clone());
        binary(Operator::Add, date, days, Kind::Date, span)
    }
}

/// The date that many months later; the last day of the month where it has not as many days.
fn moved_by_months(days: i128, months: i64) -> Option<i128> {
    let epoch = NaiveDate::from_ymd_opt(1970, 1, 1)?;
    let date = epoch.checked_add_signed(chrono::TimeDelta::try_days(i64::try_from(days).ok()?)?)?;
    let size = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    let moved =
        if months < 0 { date.checked_sub_months(size) } else { date.checked_add_months(size) }?;
    Some(moved.signed_duration_since(epoch).num_days().into())
}

/// A value where a condition is true, else null.
pub(super) fn when_true(condition: Expr, value: Expr, span: &Span) -> Expr {
    let none = literal(value.kind.clone(), None, span.clone());
    let kind = value.kind.clone();
    let compute = Compute::Case(vec![(condition, value)], Box::new(none));
    Expr { compute, kind, nullable: true, span: span.clone() }
}

pub(super) fn aggregate_of(name: &str) -> Option<Function> {
    Some(match name {
        "count" | "count_if" | "countif" => Function::Count,
        "sum" => Function::Sum,
        "avg" | "mean" => Function::Mean,
        "min" => Function::Min,
        "max" => Function::Max,
        _ => return None,
    })
}
