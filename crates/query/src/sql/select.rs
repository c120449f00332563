//! SELECT.

use super::Binder;
use super::expr::Rows;
use super::from::{filtered, projected};
use super::group::Groups;
use super::query::each_once;
use super::scope::{Scope, is_called, is_named, item};
use super::typing::condition;
use super::window::Windows;
use crate::error::Result;
use crate::plan::{Compute, Expr, OrderKey, Plan};
use sqlparser::ast::{
    self, Distinct, Expr as Ast, GroupByExpr, SelectItem, SelectItemQualifiedWildcardKind,
};

/// Columns of a result, with their names.
type Columns = Vec<(Expr, String)>;

/// What a SELECT asks for.
struct Selected {
    columns: Columns,
    order: Vec<OrderKey>,
    /// The condition of QUALIFY.
    kept: Option<Expr>,
    groups: Option<Groups>,
    windows: Option<Windows>,
}

impl Binder<'_> {
    /// A SELECT, and the order of its rows.
    pub fn select(
        &mut self,
        select: &ast::Select,
        by: &[&ast::OrderByExpr],
    ) -> Result<(Plan, Vec<OrderKey>)> {
        self.refuse_parts(select)?;
        let span = self.span(select);
        let names = self.selected.len();
        let items = select.projection.iter().filter_map(item);
        let named = items.filter_map(|(of, alias)| Some((alias?.to_owned(), of.to_string())));
        self.selected.extend(named);
        let source = self.from(&select.from, select.selection.as_ref(), &span);
        self.selected.truncate(names);
        let source = source?;
        let items: Vec<&Ast> =
            select.projection.iter().filter_map(item).map(|(of, _)| of).collect();
        let source = self.with_values(source, &items)?;
        let scope = &source.scope;
        let keys = self.keys(select, scope)?;
        let windows = || Some(Windows::new(&select.named_window));
        let bound = match keys.is_empty() && select.having.is_none() {
            true => {
                let rows = Rows { windows: windows(), ..Rows::of(scope) };
                self.columns(select, by, rows).map(Some)
            }
            false => Ok(None),
        };
        // Without keys, an aggregate says that all rows are one group.
        let (plan, selected) = match bound {
            Ok(Some(selected)) => (source.plan, selected),
            Err(error) if !self.has_aggregates(select, scope) => return Err(error),
            _ => {
                let groups = Some(Groups::by(keys));
                let names = &select.projection;
                let mut rows = Rows { groups, names, ..Rows::of(scope) };
                let having = match &select.having {
                    Some(having) => Some(condition(self.expr(having, &mut rows, None)?)?),
                    None => None,
                };
                (rows.windows, rows.names) = (windows(), &[]);
                let mut selected = self.columns(select, by, rows)?;
                let groups = selected.groups.take().unwrap_or_default();
                let plan = groups.plan(source.plan, &span);
                let plan = match having {
                    Some(having) => filtered(plan, having),
                    None => plan,
                };
                (plan, selected)
            }
        };
        let Selected { columns, order, kept, windows, .. } = selected;
        let plan = match windows {
            Some(windows) if !windows.is_empty() => windows.plan(plan, columns, kept, &span),
            _ if kept.is_some() => {
                let what = "QUALIFY is about window functions: WHERE and HAVING say the rest";
                return self.error_at(&["QUALIFY"], select, what);
            }
            _ => projected(plan, columns),
        };
        let plan = match &select.distinct {
            None | Some(Distinct::All) => plan,
            Some(Distinct::Distinct) => each_once(plan),
            Some(Distinct::On(_)) => {
                let what = "DISTINCT ON is not supported: GROUP BY can say it";
                return self.error_at(&["DISTINCT"], select, what);
            }
        };
        Ok((plan, order))
    }

    pub fn refuse_parts(&self, select: &ast::Select) -> Result<()> {
        const PARTS: &str =
            "a SELECT has columns, FROM, WHERE, GROUP BY, HAVING, WINDOW and QUALIFY here";
        let from_first = select.flavor == ast::SelectFlavor::FromFirstNoSelect;
        let modified = select.value_table_mode.is_some() || select.select_modifiers.is_some();
        let refused = [
            (
                select.into.is_some(),
                "INTO",
                "SELECT INTO is not supported: GRANT SELECT ON result says who learns the result",
            ),
            (select.exclude.is_some() || modified, "EXCLUDE", PARTS),
            (from_first, "FROM", "a query says what is shown of its tables: SELECT * FROM"),
            (select.top.is_some(), "TOP", "TOP is not supported: write ORDER BY .. LIMIT"),
            (!select.lateral_views.is_empty(), "LATERAL", PARTS),
            (select.prewhere.is_some(), "PREWHERE", PARTS),
            (!select.connect_by.is_empty(), "CONNECT", PARTS),
            (!select.cluster_by.is_empty(), "CLUSTER", PARTS),
            (!select.sort_by.is_empty(), "SORT", PARTS),
            (!select.distribute_by.is_empty(), "DISTRIBUTE", PARTS),
        ];
        match refused.iter().find(|(is, ..)| *is) {
            Some((_, word, what)) => self.error_at(&[word], select, what),
            None => Ok(()),
        }
    }

    /// What rows are grouped by.
    fn keys(&mut self, select: &ast::Select, scope: &Scope) -> Result<Vec<(String, Expr)>> {
        let GroupByExpr::Expressions(by, modifiers) = &select.group_by else {
            let what = "GROUP BY ALL is not supported: name the columns";
            return self.error_at(&["GROUP"], select, what);
        };
        if !modifiers.is_empty() {
            let what = "GROUP BY has expressions here, and nothing behind them";
            return self.error_at(&["GROUP"], select, what);
        }
        let mut keys: Vec<(String, Expr)> = Vec::new();
        for ast in by {
            let ast = match self.place(ast, select.projection.len())? {
                Some(place) => match item(&select.projection[place]) {
                    Some((of, _)) => of,
                    None => return self.error(ast, "a star has no place that could be named"),
                },
                None => ast,
            };
            // A column of the tables goes before a name of the result.
            let renamed = match ast {
                Ast::Identifier(name) if scope.find(None, &name.value).is_empty() => {
                    let mut items = select.projection.iter().filter_map(item);
                    items
                        .find(|(_, alias)| {
                            alias.is_some_and(|alias| alias.eq_ignore_ascii_case(&name.value))
                        })
                        .map(|(of, _)| of)
                }
                _ => None,
            };
            let key = self.plain(renamed.unwrap_or(ast), scope)?;
            // A number or a text that is written down is the same in all rows; what turns out to be may be selected as a key.
            if !matches!(ast, Ast::Value(_)) && !keys.iter().any(|(_, known)| known.same(&key)) {
                keys.push((shown(ast), key));
            }
        }
        Ok(keys)
    }

    /// Whether something that is selected, or that groups are chosen by, is an aggregate.
    pub fn has_aggregates(&mut self, select: &ast::Select, scope: &Scope) -> bool {
        let windows = Some(Windows::new(&select.named_window));
        let mut rows = Rows { groups: Some(Groups::default()), windows, ..Rows::of(scope) };
        let items = select.projection.iter().filter_map(item).map(|(of, _)| of);
        for of in items.chain(&select.having).chain(&select.qualify) {
            // Whether it fits is told later.
            let _ = self.expr(of, &mut rows, None);
        }
        rows.groups.is_some_and(|groups| groups.asked)
    }

    /// The columns of the result, and what it is ordered by.
    fn columns<'s>(
        &mut self,
        select: &'s ast::Select,
        by: &[&ast::OrderByExpr],
        mut rows: Rows<'s>,
    ) -> Result<Selected> {
        let mut columns: Columns = Vec::new();
        for of in &select.projection {
            match of {
                SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options)
                    if !is_plain(options) =>
                {
                    return self.error(of, "a star stands alone: name the columns instead of EXCLUDE, REPLACE and the like");
                }
                SelectItem::Wildcard(_) => self.star(of, None, &rows, &mut columns)?,
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let parts = super::parts(name).unwrap_or_default();
                    let parts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
                    let table = Some(parts.join("."));
                    self.star(of, table.as_deref(), &rows, &mut columns)?;
                }
                _ => match item(of) {
                    Some((ast, alias)) => {
                        let expr = self.expr(ast, &mut rows, None)?;
                        columns.push((expr, alias.map_or_else(|| shown(ast), str::to_owned)));
                    }
                    None => {
                        return self.error(
                            of,
                            "a column is an expression, which may have a name: AS name",
                        );
                    }
                },
            }
        }
        let mut order = Vec::new();
        for key in by {
            let named = match &key.expr {
                Ast::Identifier(name) => {
                    let is = |column: &String| column.eq_ignore_ascii_case(&name.value);
                    let mut named = columns.iter().enumerate().filter(|(_, (_, it))| is(it));
                    let found = named.next();
                    let other =
                        named.find(|(_, (of, _))| found.is_some_and(|(_, (it, _))| !it.same(of)));
                    if other.is_some() {
                        let what = format!(
                            "`{}` may be several columns: give them different names",
                            name.value
                        );
                        return self.error(&key.expr, what);
                    }
                    found.map(|(column, _)| column)
                }
                _ => self.place(&key.expr, columns.len())?,
            };
            let column = match named {
                Some(column) => column,
                None => {
                    let expr = self.expr(&key.expr, &mut rows, None)?;
                    match columns.iter().position(|(column, _)| column.same(&expr)) {
                        Some(column) => column,
                        None => {
                            return self.error(
                                &key.expr,
                                "what rows are ordered by is shown: add it to SELECT",
                            );
                        }
                    }
                }
            };
            order.push(self.key(key, column)?);
        }
        rows.names = &select.projection;
        let kept = match &select.qualify {
            Some(qualify) => Some(self.qualify(qualify, &mut rows)?),
            None => None,
        };
        Ok(Selected { columns, order, kept, groups: rows.groups, windows: rows.windows })
    }

    /// All columns, or all of a table.
    fn star(
        &self,
        of: &SelectItem,
        table: Option<&str>,
        rows: &Rows<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        if rows.groups.is_some() {
            return self.error(of, "a star is not of groups: name the columns");
        }
        let before = columns.len();
        for (number, (owner, field)) in rows.scope.columns.iter().enumerate() {
            let meant = table
                .is_none_or(|table| owner.as_deref().is_some_and(|owner| is_called(owner, table)));
            if meant && is_named(field) {
                let (kind, nullable, span) = (field.kind.clone(), field.nullable, self.span(of));
                columns.push((
                    Expr { compute: Compute::Column(number), kind, nullable, span },
                    field.name.clone(),
                ));
            }
        }
        match columns.len() == before {
            true => self.error(of, "there is no such table in FROM"),
            false => Ok(()),
        }
    }
}

/// Whether a star means all columns as they are.
fn is_plain(options: &ast::WildcardAdditionalOptions) -> bool {
    let ast::WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
    } = options
    else {
        return false;
    };
    true
}

/// The name of a column that has none: of a column its own, else how it is computed.
fn shown(ast: &Ast) -> String {
    match ast {
        Ast::Identifier(name) => name.value.clone(),
        Ast::CompoundIdentifier(names) => {
            names.last().map_or_else(String::new, |name| name.value.clone())
        }
        _ => ast.to_string(),
    }
}
