//! Functions, dates, and aggregates.

use super::expr::{Rows, alike};
use super::scope::Scope;
use super::typing::{arithmetic, binary, condition, converted, folded, literal, number};
use super::{Binder, MOST_PARTS, TOO_LARGE};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, DatePart, Expr, Function, Operator, Quantile, Spread, Together};
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
        if let Some(why) = refused(&call.name) {
            return self.error(ast, why);
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
                if a.is_larger_than(MOST_PARTS) {
                    return self.error(ast, TOO_LARGE);
                }
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
            ("sqrt", [of]) => {
                let of = number(self.expr(of, rows, None)?)?;
                let kind = match of.kind {
                    Kind::Fixed { .. } => of.kind.clone(),
                    _ => Kind::Fixed { fraction: self.fraction },
                };
                let compute = Compute::Root(Box::new(converted(of, &kind)?));
                folded(Expr { compute, kind, nullable: true, span })
            }
            ("sign", [of]) => {
                let of = number(self.expr(of, rows, None)?)?;
                if of.is_larger_than(MOST_PARTS) {
                    return self.error(ast, TOO_LARGE);
                }
                let zero = literal(of.kind.clone(), Some(0), span.clone());
                let [above, below] = [(zero.clone(), of.clone()), (of, zero)].map(|(a, b)| {
                    let less = binary(Operator::Less, a, b, Kind::Bit, &span);
                    less.and_then(|less| converted(less, &INTEGER))
                });
                binary(Operator::Subtract, above?, below?, INTEGER, &span)
            }
            ("mod", [a, b]) => {
                let (a, b) = self.both(a, b, rows)?;
                arithmetic(Operator::Remainder, a, b, &span, self.fraction)
            }
            ("round", [of, ..]) if call.arguments.len() <= 2 => {
                let decimals = match call.arguments.get(1) {
                    Some(decimals) => self.decimals(decimals)?,
                    None => 0,
                };
                let of = number(self.expr(of, rows, None)?)?;
                match of.kind {
                    Kind::Decimal { scale } if scale <= decimals => Ok(of),
                    _ => converted(of, &Kind::Decimal { scale: decimals }),
                }
            }
            ("width_bucket", [of, others @ ..]) => {
                let of = self.expr(of, rows, None)?;
                let edges = self.edges(&of, others, ast)?;
                let (nullable, compute) = (of.nullable, Compute::Bucket(Box::new(of), edges));
                folded(Expr { compute, kind: INTEGER, nullable, span })
            }
            _ => self.error(ast, unknown(&call.name, call.arguments.len())),
        }
    }

    /// A number of decimals, as it is written.
    fn decimals(&mut self, ast: &Ast) -> Result<u8> {
        let known = match self.plain(ast, &Scope::default()) {
            Ok(Expr { compute: Compute::Literal(Some(raw)), kind: INTEGER, .. }) => {
                u8::try_from(raw).ok().filter(|decimals| *decimals <= MOST_DECIMALS)
            }
            _ => None,
        };
        match known {
            Some(decimals) => Ok(decimals),
            None => {
                self.error(ast, format!("decimals are a number from 0 to {MOST_DECIMALS} here"))
            }
        }
    }

    /// The raw values at which buckets begin: they are listed, or some of equal width between two numbers.
    fn edges(&mut self, of: &Expr, others: &[&Ast], at: &Ast) -> Result<Vec<i128>> {
        const WRONG: &str = "width_bucket has a number, and where buckets begin, in ascending order: width_bucket(age, [18, 40, 65]); \
             or the least, the greatest and how many of equal width: width_bucket(age, 0, 100, 5)";
        let edges = match others {
            [Ast::Array(list)] => {
                let mut edges = Vec::new();
                for edge in &list.elem {
                    let edge = self.expr(edge, &mut Rows::of(&Scope::default()), Some(&of.kind))?;
                    // Numbers of more decimals are reached where the next greater one is.
                    edges.push(self.edge(edge, &of.kind, 1));
                }
                edges
            }
            [low, high, count] => {
                let mut ends = Vec::new();
                for end in [low, high] {
                    ends.push(self.expr(end, &mut Rows::of(&Scope::default()), Some(&of.kind))?);
                }
                let count = match self.plain(count, &Scope::default())?.compute {
                    Compute::Literal(Some(count)) if (1..=MOST_BUCKETS).contains(&count) => count,
                    _ => return self.error(at, WRONG),
                };
                let [low, high] = ends.as_slice() else { return self.error(at, WRONG) };
                let (a, b) = super::typing::unified(low.clone(), high.clone())?;
                let (Some(low), Some(high)) = (raw(&a), raw(&b)) else {
                    return self.error(at, WRONG);
                };
                let edge = |number: i128| {
                    let parts = [low.checked_mul(count - number)?, high.checked_mul(number)?];
                    let both = Compute::Literal(Some(parts[0].checked_add(parts[1])?));
                    self.edge(Expr { compute: both, ..a.clone() }, &of.kind, count)
                };
                (0..=count).map(edge).collect()
            }
            _ => return self.error(at, WRONG),
        };
        let edges: Option<Vec<[i128; 2]>> = edges.into_iter().collect();
        let ascend = |pair: &[[i128; 2]]| {
            let [[a, of_a], [b, of_b]] = [pair[0], pair[1]];
            a.checked_mul(of_b).zip(b.checked_mul(of_a)).is_some_and(|(a, b)| a < b)
        };
        match edges {
            Some(edges)
                if of.kind != Kind::Text
                    && edges.windows(2).all(ascend)
                    && (1..=MOST_BUCKETS as usize + 1).contains(&edges.len()) =>
            {
                // Several may be reached by the same value.
                Ok(edges.into_iter().map(|[above, below]| -(-above).div_euclid(below)).collect())
            }
            _ => self.error(at, WRONG),
        }
    }

    /// A number that is written down, divided by another one, in units of a kind: a quotient.
    fn edge(&self, edge: Expr, kind: &Kind, divisor: i128) -> Option<[i128; 2]> {
        let raw = raw(&edge)?;
        let unit = |kind: &Kind| match kind {
            Kind::Decimal { scale } => 10i128.checked_pow(u32::from(*scale)),
            Kind::Fixed { fraction } => Some(1i128 << fraction),
            _ => Some(1),
        };
        if edge.kind != *kind && !(edge.kind.is_number() && kind.is_number()) {
            return None;
        }
        let below = unit(&edge.kind)?.checked_mul(divisor)?;
        Some([raw.checked_mul(unit(kind)?)?, below])
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
        let arguments = self.counted((of, call, function), ast, &mut plain);
        let bound = arguments.and_then(|arguments| {
            groups.aggregate(of, arguments, call.distinct, &span, self.fraction)
        });
        rows.groups = Some(groups);
        bound
    }

    /// What an aggregate is of, with what it is told to count: none if it counts rows; of some functions also the other argument.
    pub fn counted(
        &mut self,
        (of, call, function): (Function, &Asked<'_>, &ast::Function),
        ast: &Ast,
        bind: &mut impl FnMut(&mut Self, &Ast) -> Result<Expr>,
    ) -> Result<(Option<Expr>, Option<Expr>)> {
        let span = self.span(ast);
        let two = matches!(of, Function::Together(_) | Function::Best { .. });
        let mut other = None;
        let argument = match (call.arguments.as_slice(), call.all || call.arguments.is_empty()) {
            ([], true) if of == Function::Count && call.name == "count" && !call.distinct => None,
            ([argument], false) if !two => Some(bind(self, argument)?),
            ([argument, by], false) if two => {
                other = Some(bind(self, by)?);
                Some(bind(self, argument)?)
            }
            _ => {
                let many = if two { "two arguments" } else { "one argument" };
                return self.error(ast, format!("{} has {many}", call.name));
            }
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
            ("bool_and" | "bool_or" | "every", Some(argument)) => Some(condition(argument)?),
            (_, Some(argument)) => match of {
                Function::Sum | Function::Mean | Function::Spread(_) | Function::Together(_) => {
                    Some(number(argument)?)
                }
                _ => Some(argument),
            },
            (_, None) => None,
        };
        let (argument, other) = match (of, argument, other) {
            (Function::Together(_), Some(a), Some(b)) => {
                let (a, b) = alike_if_fixed(a, number(b)?)?;
                (Some(a), Some(b))
            }
            (_, argument, other) => (argument, other),
        };
        let argument = match (counts, argument) {
            (None, argument) => argument,
            (Some(counts), Some(argument)) => Some(when_true(counts, argument, &span)),
            (Some(counts), None) => {
                Some(when_true(counts, literal(Kind::Bit, Some(1), span.clone()), &span))
            }
        };
        Ok((argument, other))
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
        const FAR: &str = "this date is too far from today";
        let unit = unit.to_ascii_lowercase();
        let unit = unit.trim_end_matches('s');
        let times = match unit {
            "week" => 7,
            "quarter" => 3,
            "year" => 12,
            _ => 1,
        };
        let Some(count) = count.checked_mul(if earlier { -times } else { times }) else {
            return wrong(FAR);
        };
        let days = match unit {
            "day" | "week" => count,
            "month" | "quarter" | "year" => {
                let Compute::Literal(Some(raw)) = date.compute else {
                    return wrong(
                        "months and years are added to dates that are written down; to a column, days and weeks are",
                    );
                };
                return match moved_by_months(raw, count) {
                    Some(days) => Ok(literal(Kind::Date, Some(days), span.clone())),
                    None => wrong(FAR),
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

/// Two numbers of one kind if one of them is in fixed point.
fn alike_if_fixed(a: Expr, b: Expr) -> Result<(Expr, Expr)> {
    let fixed = |expr: &Expr| matches!(expr.kind, Kind::Fixed { .. });
    if fixed(&a) || fixed(&b) { super::typing::unified(a, b) } else { Ok((a, b)) }
}

/// The raw value of what is written down.
fn raw(expr: &Expr) -> Option<i128> {
    if let Compute::Literal(raw) = expr.compute { raw } else { None }
}

pub(super) fn aggregate_of(name: &str) -> Option<Function> {
    let spread = |sample, root| Function::Spread(Spread { sample, root });
    Some(match name {
        "count" | "count_if" | "countif" => Function::Count,
        "sum" => Function::Sum,
        "avg" | "mean" => Function::Mean,
        "min" | "any_value" | "bool_and" | "every" => Function::Min,
        "max" | "bool_or" => Function::Max,
        "stddev" | "stddev_samp" => spread(true, true),
        "stddev_pop" => spread(false, true),
        "variance" | "var_samp" => spread(true, false),
        "var_pop" => spread(false, false),
        "covar_samp" => Function::Together(Together::Covariance { sample: true }),
        "covar_pop" => Function::Together(Together::Covariance { sample: false }),
        "corr" => Function::Together(Together::Correlation),
        "arg_max" | "argmax" | "max_by" => Function::Best { greatest: true },
        "arg_min" | "argmin" | "min_by" => Function::Best { greatest: false },
        _ => return None,
    })
}

/// The most decimals that `round` leaves.
const MOST_DECIMALS: u8 = 12;
/// The most buckets of `width_bucket`.
const MOST_BUCKETS: i128 = 1000;

/// All functions that there are, but for those of windows.
const FUNCTIONS: &[&str] = &[
    "count",
    "count_if",
    "sum",
    "avg",
    "mean",
    "min",
    "max",
    "any_value",
    "bool_and",
    "bool_or",
    "median",
    "quantile",
    "quantile_disc",
    "quantile_cont",
    "percentile_disc",
    "percentile_cont",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "var_samp",
    "var_pop",
    "corr",
    "covar_samp",
    "covar_pop",
    "arg_max",
    "arg_min",
    "max_by",
    "min_by",
    "abs",
    "sign",
    "mod",
    "round",
    "sqrt",
    "width_bucket",
    "coalesce",
    "ifnull",
    "nullif",
    "if",
    "least",
    "greatest",
    "year",
    "quarter",
    "month",
    "day",
    "dayofweek",
];

/// What to say of a function that is not there, or not of so many arguments.
fn unknown(name: &str, arguments: usize) -> String {
    let all = || FUNCTIONS.iter().chain(super::letters::TEXT_FUNCTIONS);
    if FUNCTIONS.contains(&name) {
        return format!("there is no `{name}` of {arguments} arguments here");
    }
    let near = all().map(|known| (strsim::jaro_winkler(known, name), known));
    let near = near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(near, _)| *near > 0.85);
    let meant = near.map_or(String::new(), |(_, meant)| format!(" Did you mean `{meant}`?"));
    let all: Vec<&str> = all().copied().collect();
    format!("there is no function `{name}`.{meant} There are {}", all.join(", "))
}

/// Why a function is not there that others have.
fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "first" | "last" | "arbitrary" | "array_agg" | "list" | "string_agg" | "group_concat" => {
            "rows have no order, and which of them is the first would be chance: arg_min(x, by) takes the value of the row in which another column is \
             least, min and max the least and greatest values, and first_value(x) OVER (.. ORDER BY ..) stands beside each row"
        }
        "row_number" | "rank" | "dense_rank" | "lag" | "lead" | "first_value" | "last_value" => {
            "this is a function of windows: write OVER (PARTITION BY .. ORDER BY ..) behind it"
        }
        "concat" | "concat_ws" | "strpos" | "instr" | "position" | "regexp_matches"
        | "regexp_replace" | "regexp_extract" | "ltrim" | "rtrim" | "lpad" | "rpad" | "reverse"
        | "split_part" | "ascii" | "md5" | "printf" | "format" => super::letters::NO_SUCH_FUNCTION,
        "now" | "today" | "current_date" | "random" => {
            "all parties compute the same, whenever it is: write a value, such as DATE '2024-01-31'"
        }
        _ => return None,
    })
}
