//! CREATE TABLE.

use super::typing::{converted, text};
use super::{At, Binder, parts};
use crate::catalog::{Column, Table};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::Compute;
use sqlparser::ast::{
    self, BinaryOperator, CharacterLength, ColumnOption, CreateTable, CreateTableLikeKind,
    CreateTableOptions, DataType, EnumMember, ExactNumberInfo, Expr as Ast, ObjectName, SqlOption,
    TableConstraint, Value,
};
use std::ops::RangeInclusive;
use std::sync::Arc;
use tacit_program::Domain;
use tacit_program::derived::MAX_PLACE;
use tacit_program::domain::{DATE, DECIMAL, Members, TEXT, TEXTS, parse_date};

/// The column of padded tables that says which rows there are.
const THERE: &str = "there";

/// The least and the greatest number of rows, as far as they are said.
type RowBounds = (Option<u64>, Option<u64>);

/// What is known of a column so far.
struct Draft {
    column: Column,
    /// Whether its range is still to be said.
    unbounded: bool,
    /// Its range where nothing is said, if more may be said.
    usual: Option<RangeInclusive<i128>>,
}

impl Binder<'_> {
    /// The table that a statement describes; `known` are those before it.
    pub fn table_of(&self, create: &CreateTable, known: &[Table]) -> Result<Table> {
        let names = parts(&create.name).unwrap_or_default();
        let [owner, name] = names.as_slice() else {
            return self.error(
                &create.name,
                "a table has a party that gives it: CREATE TABLE alice.visits (..)",
            );
        };
        let (owner, name) = (owner.value.clone(), name.value.clone());
        if known.iter().any(|table| {
            table.owner.eq_ignore_ascii_case(&owner) && table.name.eq_ignore_ascii_case(&name)
        }) {
            return self.error(&create.name, format!("there is already a table `{owner}.{name}`"));
        }
        if create.query.is_some() || create.clone.is_some() {
            return self.error(&create.name, "a table is described here, and its rows are given when the query runs: list its columns");
        }
        // A party is spelled as it is the first time.
        let spelled = known.iter().find(|table| table.owner.eq_ignore_ascii_case(&owner));
        let owner = spelled.map_or(owner, |table| table.owner.clone());
        let (rows, padded) = self.options(&create.table_options)?;
        if padded == Some(true) && rows.0.is_some_and(|least| least > 0) {
            return self.error(
                &create.name,
                "a padded table has no min_rows: it counts as max_rows whatever it has",
            );
        }
        let enough = |rows: &RangeInclusive<u64>| match rows.is_empty() || *rows.end() == 0 {
            true => self.error(&create.name, "max_rows is at least 1, and at least min_rows"),
            false => Ok(()),
        };
        if let Some(like) = like_of(create) {
            let names = parts(like).unwrap_or_default();
            let names: Vec<&str> = names.iter().map(|name| name.value.as_str()).collect();
            let wanted = names.join(".");
            let Some(other) =
                known.iter().find(|table| table.full_name().eq_ignore_ascii_case(&wanted))
            else {
                return self.error(like, format!("there is no table `{wanted}` above"));
            };
            let rows = match rows {
                // A padded table counts as the longest one.
                (None, None) if other.there.is_none() => other.rows.clone(),
                (least, most) => least.unwrap_or(0)..=most.unwrap_or(*other.rows.end()),
            };
            enough(&rows)?;
            let mut table = Table { owner, name, rows, ..other.clone() };
            let was = table.there.take();
            was.map(|there| table.columns.remove(there));
            return match padded.unwrap_or(was.is_some()) {
                true => self.padded(table, &create.name),
                false => Ok(table),
            };
        }
        let (least, Some(most)) = rows else {
            return self.error(
                &create.name,
                format!("say how many rows `{owner}.{name}` has at most: WITH (max_rows = 100000)"),
            );
        };
        let (mut drafts, mut unique) = (Vec::<Draft>::new(), Vec::new());
        for definition in &create.columns {
            let name = definition.name.value.clone();
            if drafts.iter().any(|draft| draft.column.name.eq_ignore_ascii_case(&name)) {
                return self
                    .error(&At(&definition.name), format!("there are two columns `{name}`"));
            }
            drafts.push(self.draft(definition, known)?);
            let number = drafts.len() - 1;
            for option in &definition.options {
                match &option.option {
                    ColumnOption::Null => drafts[number].column.nullable = true,
                    ColumnOption::NotNull => drafts[number].column.nullable = false,
                    ColumnOption::Unique(_) => unique.push(vec![number]),
                    ColumnOption::PrimaryKey(_) => {
                        drafts[number].column.nullable = false;
                        unique.push(vec![number]);
                    }
                    ColumnOption::Check(check) => self.check(&check.expr, &mut drafts)?,
                    _ => {
                        return self.error(
                            &At(&definition.name),
                            format!("{} is not supported of a column", option.option),
                        );
                    }
                }
            }
        }
        for constraint in &create.constraints {
            match constraint {
                TableConstraint::Check(check) => self.check(&check.expr, &mut drafts)?,
                TableConstraint::Unique(of) => unique.push(self.columns_of(&of.columns, &drafts)?),
                TableConstraint::PrimaryKey(of) => {
                    let columns = self.columns_of(&of.columns, &drafts)?;
                    columns.iter().for_each(|column| drafts[*column].column.nullable = false);
                    unique.push(columns);
                }
                _ => {
                    return self
                        .error(constraint, "of a table there are CHECK, UNIQUE and PRIMARY KEY");
                }
            }
        }
        for (draft, definition) in drafts.iter_mut().zip(&create.columns) {
            if let (Some(usual), all) = (&draft.usual, self.draft(definition, known)?.column.range)
            {
                let range = &draft.column.range;
                // What a CHECK says counts, and what it leaves open is as usual.
                let low = if range.start() == all.start() { usual.start() } else { range.start() };
                let high = if range.end() == all.end() { usual.end() } else { range.end() };
                draft.column.range = *low..=*high;
            }
            if draft.unbounded {
                let name = &draft.column.name;
                let what = format!(
                    "say where the values of `{name}` lie: CHECK ({name} BETWEEN 0 AND 1000000). It is public, and decides what is fast"
                );
                return self.error(&At(&definition.name), what);
            }
            let fits = |raw: &i128| i64::try_from(*raw).is_ok();
            if !fits(draft.column.range.start()) || !fits(draft.column.range.end()) {
                let what = format!(
                    "values of `{}` need more than 64 bits: CHECK that they lie closer to zero",
                    draft.column.name
                );
                return self.error(&At(&definition.name), what);
            }
            if draft.column.range.is_empty() {
                return self.error(
                    &At(&definition.name),
                    format!("no value lies in the range of `{}`", draft.column.name),
                );
            }
        }
        let rows = least.unwrap_or(0)..=most;
        enough(&rows)?;
        if drafts.is_empty() {
            return self.error(&create.name, "a table has columns");
        }
        let columns = drafts.into_iter().map(|draft| draft.column).collect();
        let table = Table { owner, name, columns, rows, there: None, unique };
        if padded == Some(true) { self.padded(table, &create.name) } else { Ok(table) }
    }

    /// A table that its owner fills up.
    fn padded(&self, mut table: Table, at: &ObjectName) -> Result<Table> {
        if table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(THERE)) {
            let what = format!(
                "a padded table has a column `{THERE}` of its own, which says which rows it has: call this one otherwise"
            );
            return self.error(at, what);
        }
        table.columns.push(Column::new(THERE, Kind::Bit, 0..=1, false));
        table.there = Some(table.columns.len() - 1);
        table.rows = *table.rows.end()..=*table.rows.end();
        Ok(table)
    }

    /// The least and the greatest number of rows, and whether nobody is to see how many there are.
    fn options(&self, options: &CreateTableOptions) -> Result<(RowBounds, Option<bool>)> {
        const OPTIONS: &str = "a table has the options max_rows, min_rows and padded";
        let (mut least, mut most, mut padded) = (None, None, None);
        let options = match options {
            CreateTableOptions::With(options)
            | CreateTableOptions::Options(options)
            | CreateTableOptions::Plain(options) => options.as_slice(),
            _ => &[],
        };
        for option in options {
            let SqlOption::KeyValue { key, value } = option else {
                return self.error(option, OPTIONS);
            };
            match key.to_string().to_ascii_lowercase().as_str() {
                "max_rows" => most = Some(self.count(value)?),
                "min_rows" => least = Some(self.count(value)?),
                "padded" => match value {
                    Ast::Value(ast::ValueWithSpan { value: Value::Boolean(said), .. }) => {
                        padded = Some(*said);
                    }
                    _ => return self.error(value, "padded is true or false"),
                },
                _ => return self.error(key, OPTIONS),
            }
        }
        Ok(((least, most), padded))
    }

    /// A number of rows, or the like.
    pub fn count(&self, value: &Ast) -> Result<u64> {
        let number = match value {
            Ast::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.replace('_', "").parse().ok(),
                _ => None,
            },
            _ => None,
        };
        number.map_or_else(|| self.error(value, "a number is wanted here, such as 1000"), Ok)
    }

    /// The texts of a list are what tables can hold: not empty, without spaces around them, each once.
    fn check_members(&self, names: &[String], at: &ast::Ident) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let what = match (name.is_empty() || name.trim_ascii() != name, seen.insert(name)) {
                (true, _) => "is empty or has spaces around it",
                (_, false) => "is there twice",
                _ => continue,
            };
            return self.error(&At(at), format!("the member '{name}' of this ENUM {what}"));
        }
        if names.is_empty() {
            return self.error(&At(at), "an ENUM has members: ENUM ('a', 'b')");
        }
        Ok(())
    }

    fn draft(&self, definition: &ast::ColumnDef, known: &[Table]) -> Result<Draft> {
        let name = definition.name.value.clone();
        let kind = match &definition.data_type {
            DataType::Enum(members, _) => {
                let named = |member: &EnumMember| match member {
                    EnumMember::Name(name) => Some(name.clone()),
                    EnumMember::NamedValue(..) => None,
                };
                let names = members.iter().map(named).collect::<Option<Vec<_>>>();
                let Some(names) = names else {
                    return self.error(&At(&definition.name), "the members of an ENUM are texts");
                };
                self.check_members(&names, &definition.name)?;
                Kind::Category(domain_of(&name, names, known))
            }
            other => self.kind_of(other, &At(&definition.name))?,
        };
        let day = |text| parse_date(text).map_or(0, i128::from);
        let (range, unbounded) = match (&kind, &definition.data_type) {
            (Kind::Bit, _) => (0..=1, false),
            (Kind::Category(domain), _) => {
                let all = domain.interval();
                (all.low..=all.high, false)
            }
            (Kind::Date, _) => (day("0001-01-01")..=day("9999-12-31"), false),
            (Kind::Text, _) => (TEXTS.low..=TEXTS.high, false),
            (Kind::Fixed { .. }, _) => (i128::MIN / 4..=i128::MAX / 4, true),
            (_, data_type) => integers(data_type),
        };
        let usual = (kind == Kind::Date).then(|| day("1900-01-01")..=day("2099-12-31"));
        let longest = longest_of(&definition.data_type).filter(|_| kind == Kind::Text);
        let column = Column { longest, ..Column::new(&name, kind, range, true) };
        Ok(Draft { column, unbounded, usual })
    }

    /// The kind that a type of SQL is.
    pub fn kind_of(&self, data_type: &DataType, at: &impl sqlparser::ast::Spanned) -> Result<Kind> {
        Ok(match data_type {
            DataType::Bool | DataType::Boolean => Kind::Bit,
            DataType::Date => Kind::Date,
            DataType::Double(_) | DataType::DoublePrecision | DataType::Float(_) | DataType::Real | DataType::Float8 | DataType::Float4 => {
                Kind::Fixed { fraction: self.fraction }
            }
            DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => match info {
                ExactNumberInfo::PrecisionAndScale(_, scale) if (0..=12).contains(scale) => Kind::Decimal { scale: *scale as u8 },
                ExactNumberInfo::Precision(_) => INTEGER,
                _ => return self.error(at, "DECIMAL has digits and decimals, of which there are 12 at most: DECIMAL(9, 2)"),
            },
            DataType::TinyInt(_) | DataType::SmallInt(_) | DataType::Int(_) | DataType::Integer(_) | DataType::BigInt(_) => INTEGER,
            DataType::TinyIntUnsigned(_) | DataType::SmallIntUnsigned(_) | DataType::IntUnsigned(_) | DataType::UTinyInt | DataType::USmallInt => INTEGER,
            DataType::Int2(_) | DataType::Int4(_) | DataType::Int8(_) | DataType::UBigInt | DataType::BigIntUnsigned(_) | DataType::IntegerUnsigned(_) => INTEGER,
            DataType::Varchar(_) | DataType::Text | DataType::String(_) | DataType::Char(_) | DataType::CharVarying(_) => Kind::Text,
            other => return self.error(at, format!("the type {other} is not supported: there are BOOLEAN, INT, DECIMAL, DOUBLE, DATE, ENUM and TEXT")),
        })
    }

    /// What a CHECK says of the ranges of columns.
    fn check(&self, check: &Ast, drafts: &mut [Draft]) -> Result<()> {
        match check {
            Ast::Nested(inner) => self.check(inner, drafts),
            Ast::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.check(left, drafts)?;
                self.check(right, drafts)
            }
            Ast::Between { expr, negated: false, low, high } => {
                let number = self.draft_of(expr, drafts)?;
                let (low, high) = (
                    self.bound(low, &drafts[number], true)?,
                    self.bound(high, &drafts[number], false)?,
                );
                narrow(&mut drafts[number], Some(low), Some(high));
                Ok(())
            }
            Ast::BinaryOp { left, op, right } => {
                let (column, op, bound) = match self.draft_of(left, drafts) {
                    Ok(column) => (column, op.clone(), right),
                    Err(_) => (self.draft_of(right, drafts)?, turned(op), left),
                };
                let draft = &drafts[column];
                let (low, high) =
                    match op {
                        BinaryOperator::GtEq => (Some(self.bound(bound, draft, true)?), None),
                        BinaryOperator::LtEq => (None, Some(self.bound(bound, draft, false)?)),
                        BinaryOperator::Gt => (Some(self.bound(bound, draft, false)? + 1), None),
                        BinaryOperator::Lt => (None, Some(self.bound(bound, draft, true)? - 1)),
                        _ => return self.error(
                            check,
                            "a CHECK compares a column with numbers: CHECK (age BETWEEN 0 AND 120)",
                        ),
                    };
                narrow(&mut drafts[column], low, high);
                Ok(())
            }
            _ => self.error(
                check,
                "a CHECK compares a column with numbers: CHECK (age BETWEEN 0 AND 120)",
            ),
        }
    }

    fn draft_of(&self, ast: &Ast, drafts: &[Draft]) -> Result<usize> {
        let found = match ast {
            Ast::Identifier(name) => {
                drafts.iter().position(|draft| draft.column.name.eq_ignore_ascii_case(&name.value))
            }
            _ => None,
        };
        found.map_or_else(
            || self.error(ast, "a CHECK compares a column, which stands before it, with numbers"),
            Ok,
        )
    }

    /// A bound as a raw value: if it is not one, the next greater or the next lesser one.
    fn bound(&self, ast: &Ast, draft: &Draft, up: bool) -> Result<i128> {
        let span = self.span(ast);
        let bound = match ast {
            Ast::Value(value) if matches!(value.value, Value::SingleQuotedString(_)) => {
                let Value::SingleQuotedString(given) = &value.value else {
                    return self.error(ast, "a bound is a number or a date");
                };
                text(given, Some(&draft.column.kind), &span)?
            }
            _ => Binder::new(
                &self.file,
                self.catalog,
                &super::Settings { fraction: self.fraction, ..super::Settings::default() },
                self.words.clone(),
            )
            .plain(ast, &super::scope::Scope::default())?,
        };
        let Compute::Literal(Some(raw)) = bound.compute else {
            return self.error(ast, "a bound is a number or a date that is written down");
        };
        let (unit, wanted) = match (&bound.kind, &draft.column.kind) {
            (a, b) if a == b => return Ok(raw),
            (Kind::Decimal { scale }, Kind::Decimal { scale: wanted }) => {
                (10i128.pow((*scale).into()), 10i128.pow((*wanted).into()))
            }
            (Kind::Decimal { scale }, Kind::Fixed { fraction }) => {
                (10i128.pow((*scale).into()), 1i128 << fraction)
            }
            _ => {
                converted(bound, &draft.column.kind)?;
                return self.error(ast, "a bound is a number or a date");
            }
        };
        let product = raw
            .checked_mul(wanted)
            .ok_or_else(|| QueryError::new(&span, "this bound is too large"))?;
        Ok(if up { -(-product).div_euclid(unit) } else { product.div_euclid(unit) })
    }

    fn columns_of(&self, columns: &[ast::IndexColumn], drafts: &[Draft]) -> Result<Vec<usize>> {
        columns.iter().map(|column| self.draft_of(&column.column.expr, drafts)).collect()
    }
}

/// The table whose columns are taken over.
fn like_of(create: &CreateTable) -> Option<&ObjectName> {
    if let Some(CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like)) =
        &create.like
    {
        return Some(&like.name);
    }
    // The dialect reads (LIKE other) as a column.
    match create.columns.as_slice() {
        [column] if column.name.value.eq_ignore_ascii_case("like") => match &column.data_type {
            DataType::Custom(name, _) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// How many characters texts of a type have at most.
fn longest_of(data_type: &DataType) -> Option<u32> {
    let (DataType::Varchar(length) | DataType::Char(length) | DataType::CharVarying(length)) =
        data_type
    else {
        return None;
    };
    match length {
        Some(CharacterLength::IntegerLength { length, .. }) => {
            u32::try_from(*length).ok().filter(|length| (1..=MAX_PLACE).contains(length))
        }
        _ => None,
    }
}

/// A comparison from the other side.
fn turned(op: &BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        other => other.clone(),
    }
}

fn narrow(draft: &mut Draft, low: Option<i128>, high: Option<i128>) {
    let range = &draft.column.range;
    let low = low.map_or(*range.start(), |low| low.max(*range.start()));
    let high = high.map_or(*range.end(), |high| high.min(*range.end()));
    draft.column.range = low..=high;
    // Both ends must be said.
    let far = i128::MAX / 8;
    draft.unbounded = draft.unbounded && (low < -far || high > far);
}

/// The range of a type of integers or decimals, and whether a CHECK must say a narrower one.
fn integers(data_type: &DataType) -> (RangeInclusive<i128>, bool) {
    let signed = |bits: u32| (-(1i128 << (bits - 1))..=(1 << (bits - 1)) - 1, false);
    let unsigned = |bits: u32| (0..=(1i128 << bits) - 1, false);
    match data_type {
        DataType::TinyInt(_) => signed(8),
        DataType::SmallInt(_) | DataType::Int2(_) => signed(16),
        DataType::Int(_) | DataType::Integer(_) | DataType::Int4(_) => signed(32),
        DataType::TinyIntUnsigned(_) | DataType::UTinyInt => unsigned(8),
        DataType::SmallIntUnsigned(_) | DataType::USmallInt => unsigned(16),
        DataType::IntUnsigned(_) | DataType::IntegerUnsigned(_) => unsigned(32),
        DataType::Decimal(
            ExactNumberInfo::PrecisionAndScale(digits, _) | ExactNumberInfo::Precision(digits),
        )
        | DataType::Numeric(
            ExactNumberInfo::PrecisionAndScale(digits, _) | ExactNumberInfo::Precision(digits),
        )
        | DataType::Dec(
            ExactNumberInfo::PrecisionAndScale(digits, _) | ExactNumberInfo::Precision(digits),
        ) if *digits <= 18 => {
            let most = 10i128.pow(*digits as u32) - 1;
            (-most..=most, false)
        }
        _ => (i128::MIN / 4..=i128::MAX / 4, true),
    }
}

/// A list of texts: one that is known already, or a new one, which no other is called like.
fn domain_of(name: &str, names: Vec<String>, known: &[Table]) -> Arc<Domain> {
    let members = Members::Names(names);
    let all: Vec<&Arc<Domain>> = known
        .iter()
        .flat_map(|table| &table.columns)
        .filter_map(|column| match &column.kind {
            Kind::Category(domain) => Some(domain),
            _ => None,
        })
        .collect();
    if let Some(same) = all.iter().find(|domain| domain.members == members) {
        return (*same).clone();
    }
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = |name: &String| {
        all.iter().all(|domain| domain.name != *name)
            && ![DATE, DECIMAL, TEXT].contains(&name.as_str())
    };
    let name = std::iter::once(name.to_owned()).chain(numbered).find(free).unwrap_or_default();
    Arc::new(Domain { name, members })
}
