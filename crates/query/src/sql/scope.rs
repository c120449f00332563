//! Names of columns.

use super::{At, Binder, instead};
use crate::error::Result;
use crate::plan::{Compute, Expr, Field, Plan};
use sqlparser::ast::{Expr as Ast, Ident, SelectItem};

/// What stands before the name of a column that USING took: no name can begin with it.
pub(super) const USING: &str = "\u{0}using ";

/// The columns that expressions may name.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Of each column the table that it is of, if that has a name, and the column.
    pub columns: Vec<(Option<String>, Field)>,
}

impl Scope {
    /// The columns of a plan, under a name.
    pub fn of(plan: &Plan, table: Option<&str>) -> Self {
        let column = |field: &Field| (table.map(str::to_owned), field.clone());
        Scope { columns: plan.fields.iter().map(column).collect() }
    }

    /// With more columns behind.
    pub fn and(mut self, other: Scope) -> Self {
        self.columns.extend(other.columns);
        self
    }

    /// The numbers of the columns that a name may mean.
    pub fn find(&self, table: Option<&str>, name: &str) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        let is = |(of, field): &(Option<String>, Field)| {
            field.name.eq_ignore_ascii_case(name)
                && table.is_none_or(|table| of.as_deref().is_some_and(|of| is_called(of, table)))
        };
        columns.filter(|(_, column)| is(column)).map(|(number, _)| number).collect()
    }
}

/// Whether a table, of which the name may begin with its party, is meant by a name, with a party or without.
pub(super) fn is_called(table: &str, name: &str) -> bool {
    let own = table.rsplit_once('.').map_or(table, |(_, own)| own);
    table.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(name)
}

impl Binder<'_> {
    /// The column of a name, such as `name` or `table.name`.
    pub fn column(&self, name: &[Ident], scope: &Scope) -> Result<Expr> {
        let Some((column, table)) = name.split_last() else {
            return self.error(&At(&Ident::new("")), "a column has a name");
        };
        let table: Vec<&str> = table.iter().map(|part| part.value.as_str()).collect();
        let table = (!table.is_empty()).then(|| table.join("."));
        match scope.find(table.as_deref(), &column.value).as_slice() {
            [number] => {
                let field = &scope.columns[*number].1;
                let (kind, nullable) = (field.kind.clone(), field.nullable);
                Ok(Expr {
                    compute: Compute::Column(*number),
                    kind,
                    nullable,
                    span: self.span(&At(&name[0])),
                })
            }
            [] => {
                let named = scope.columns.iter().map(|(_, field)| field);
                let named = named.filter(|field| is_named(field));
                let known = named.map(|field| field.name.as_str());
                let shown: Vec<&str> = name.iter().map(|part| part.value.as_str()).collect();
                let shown = shown.join(".");
                let outside =
                    |scope: &Scope| !scope.find(table.as_deref(), &column.value).is_empty();
                if self.outside.iter().any(outside) {
                    let what = format!(
                        "`{shown}` is of the rows outside of this subquery: what is about them is an equality with a column of its own, in WHERE, of [NOT] EXISTS or of a SELECT of aggregates alone"
                    );
                    return self.error(&At(&name[0]), what);
                }
                let is = |(alias, _): &&(String, String)| alias.eq_ignore_ascii_case(&shown);
                if let Some((_, of)) = self.selected.iter().rev().find(is) {
                    let way = match of.contains(" OVER ") {
                        true => "QUALIFY filters by what windows compute",
                        false => "write what it is; HAVING filters by aggregates",
                    };
                    let what = format!(
                        "`{shown}` is a name of the SELECT, which comes after WHERE: {way}"
                    );
                    return self.error(&At(&name[0]), what);
                }
                self.error(
                    &At(&name[0]),
                    format!("there is no column `{shown}` here: {}", instead(&column.value, known)),
                )
            }
            several => {
                let tables =
                    several.iter().filter_map(|number| scope.columns[*number].0.as_deref());
                let tables: Vec<String> =
                    tables.map(|table| format!("{table}.{}", column.value)).collect();
                let what = format!(
                    "`{}` may be several columns: say which one, as {}",
                    column.value,
                    tables.join(" or ")
                );
                self.error(&At(&name[0]), what)
            }
        }
    }
}

/// Whether a column has a name that a query can say.
pub(super) fn is_named(field: &Field) -> bool {
    !field.name.starts_with(USING)
}

/// The expression of a column, and its name if it has one.
pub(super) fn item(of: &SelectItem) -> Option<(&Ast, Option<&str>)> {
    match of {
        SelectItem::UnnamedExpr(of) => Some((of, None)),
        SelectItem::ExprWithAlias { expr, alias } => Some((expr, Some(&alias.value))),
        _ => None,
    }
}
