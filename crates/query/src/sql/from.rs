//! FROM and WHERE: which tables are joined how.
//!
//! Conditions of inner joins and of WHERE are taken together. One that is about a single table filters it before it is joined;
//! equalities between two are what they are joined on; the others filter what has been joined.

use super::scope::{Scope, USING};
use super::typing::{all, condition, factored, unified};
use super::{At, Binder, DEEPEST, instead, parts};
use crate::catalog::Column;
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use crate::plan::{Compute, Expr, Field, Node, Operator, Plan};
use sqlparser::ast::{
    self, BinaryOperator, Expr as Ast, JoinConstraint, JoinOperator, TableFactor, UnaryOperator,
};
use tacit_program::Span;

/// Rows, and the names of their columns.
#[derive(Clone)]
pub(super) struct Source {
    pub plan: Plan,
    pub scope: Scope,
}

/// The most tables that a query reads, as often as it does.
const MOST_TABLES: usize = 2000;

/// Conditions, all of which must hold.
pub(super) type Conditions<'a> = Vec<&'a Ast>;

/// The parts of a condition that AND joins.
pub(super) fn split<'a>(ast: &'a Ast, into: &mut Conditions<'a>) {
    match ast {
        Ast::Nested(inner) => split(inner, into),
        Ast::BinaryOp { left, op: BinaryOperator::And, right } => {
            split(left, into);
            split(right, into);
        }
        _ => into.push(ast),
    }
}

/// A condition that looks rows up in a subquery.
enum Lookup<'a> {
    In { expr: &'a Ast, query: &'a ast::Query, not: bool },
    Exists { query: &'a ast::Query, not: bool },
}

fn lookup(ast: &Ast) -> Option<Lookup<'_>> {
    match ast {
        Ast::In { expr, target: ast::InTarget::Subquery(query), negated, .. } => {
            Some(Lookup::In { expr, query, not: *negated })
        }
        Ast::Exists { subquery, negated } => {
            Some(Lookup::Exists { query: subquery, not: *negated })
        }
        Ast::Nested(inner) => lookup(inner),
        Ast::UnaryOp { op: UnaryOperator::Not, expr } => match lookup(expr)? {
            Lookup::In { expr, query, not } => Some(Lookup::In { expr, query, not: !not }),
            Lookup::Exists { query, not } => Some(Lookup::Exists { query, not: !not }),
        },
        _ => None,
    }
}

impl Binder<'_> {
    /// What a SELECT is from, with its WHERE.
    pub fn from(
        &mut self,
        from: &[ast::TableWithJoins],
        condition: Option<&Ast>,
        span: &Span,
    ) -> Result<Source> {
        let mut conditions = Vec::new();
        if let Some(condition) = condition {
            split(condition, &mut conditions);
        }
        let (lookups, conditions): (Conditions<'_>, Conditions<'_>) =
            conditions.into_iter().partition(|condition| lookup(condition).is_some());
        let (later, mut conditions): (Conditions<'_>, Conditions<'_>) =
            conditions.into_iter().partition(|condition| self.has_values(condition));
        let mut sources = Vec::new();
        for tables in from {
            self.joined(tables, &mut sources, &mut conditions)?;
        }
        if sources.is_empty() {
            return Err(QueryError::new(span, "a query is of tables: add FROM"));
        }
        let mut source = self.inner(sources, &conditions, span)?;
        let width = source.plan.fields.len();
        for ast in later {
            source = self.with_values(source, &[ast])?;
            let holds = super::typing::condition(self.plain(ast, &source.scope)?)?;
            source.plan = narrowed(filtered(source.plan, holds), width, span);
        }
        for condition in lookups {
            source = match lookup(condition) {
                Some(Lookup::In { expr, query, not }) => {
                    self.looked_up(source, expr, query, not, condition)?
                }
                Some(Lookup::Exists { query, not }) => {
                    self.exists(source, query, not, condition)?
                }
                None => source,
            };
        }
        Ok(source)
    }

    /// The tables of one part of FROM: those that inner joins are of are added to others, with their conditions.
    fn joined<'a>(
        &mut self,
        tables: &'a ast::TableWithJoins,
        all: &mut Vec<Source>,
        conditions: &mut Conditions<'a>,
    ) -> Result<()> {
        let mut sources = vec![self.factor(&tables.relation)?];
        let mut own = Vec::new();
        for join in &tables.joins {
            let right = self.factor(&join.relation)?;
            let span = self.span(&join.relation);
            let (constraint, outer) = match &join.join_operator {
                JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::CrossJoin(on) => {
                    let right = self.using(on, &sources, right)?;
                    if let JoinConstraint::On(on) = on {
                        split(on, &mut own);
                    }
                    sources.push(right);
                    continue;
                }
                JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => (on, Some(true)),
                JoinOperator::Semi(on) | JoinOperator::LeftSemi(on) => (on, None),
                JoinOperator::Anti(on) | JoinOperator::LeftAnti(on) => (on, Some(false)),
                JoinOperator::Right(_) | JoinOperator::RightOuter(_) => {
                    return Err(QueryError::new(
                        &span,
                        "a right join is not supported: exchange the tables, and write LEFT JOIN",
                    ));
                }
                JoinOperator::FullOuter(_) => {
                    return Err(QueryError::new(
                        &span,
                        "a full join is not supported; LEFT JOIN and UNION ALL can say it",
                    ));
                }
                _ => {
                    return Err(QueryError::new(
                        &span,
                        "there are JOIN, LEFT JOIN, SEMI JOIN and ANTI JOIN",
                    ));
                }
            };
            // What is on the left of such a join is one table.
            let left =
                self.inner(std::mem::take(&mut sources), &std::mem::take(&mut own), &span)?;
            let mut on = Vec::new();
            if let JoinConstraint::On(condition) = constraint {
                split(condition, &mut on);
            }
            let hidden = self.using(constraint, std::slice::from_ref(&left), right)?;
            sources.push(self.one_sided(left, hidden, &on, outer, &span)?);
        }
        all.append(&mut sources);
        conditions.extend(own);
        Ok(())
    }

    /// What USING says, as columns of equal names: noted in the scope of the right side, whose columns lose their names.
    fn using(&mut self, on: &JoinConstraint, left: &[Source], mut right: Source) -> Result<Source> {
        let JoinConstraint::Using(columns) = on else {
            if let JoinConstraint::Natural | JoinConstraint::UsingAlias(..) = on {
                return Err(QueryError::new(
                    &right.plan.span,
                    "a natural join is not supported: write ON, with the columns",
                ));
            }
            return Ok(right);
        };
        for name in columns {
            let name = parts(name)
                .and_then(|parts| parts.last().map(|part| part.value.clone()))
                .unwrap_or_default();
            let there = left.iter().any(|source| source.scope.find(None, &name).len() == 1);
            match right.scope.find(None, &name).as_slice() {
                [column] if there => right.scope.columns[*column].1.name = format!("{USING}{name}"),
                _ => {
                    return Err(QueryError::new(
                        &right.plan.span,
                        format!("USING needs a column `{name}` on both sides"),
                    ));
                }
            }
        }
        Ok(right)
    }

    /// A table, or a query in its place.
    fn factor(&mut self, factor: &TableFactor) -> Result<Source> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_directives,
                inheritance: None,
            } if with_hints.is_empty() && partitions.is_empty() && index_directives.is_empty() => {
                let Some(names) = parts(name) else {
                    return self.error(name, "a table is named as table, or as party.table");
                };
                let (owner, table) = match names.as_slice() {
                    [table] => (None, *table),
                    [owner, table] => (Some(*owner), *table),
                    _ => return self.error(name, "a table is named as table, or as party.table"),
                };
                let named = self.named.iter().rev().find(|(known, ..)| {
                    owner.is_none() && known.eq_ignore_ascii_case(&table.value)
                });
                let (named, tables) = match named {
                    Some((_, plan, tables)) => (Some(plan.clone()), *tables),
                    None => (None, 1),
                };
                self.tables += tables;
                if self.tables > MOST_TABLES {
                    return self.error(name, "this query reads tables more than 2000 times: what WITH names is computed anew wherever it is used");
                }
                let owner = owner.map(|owner| owner.value.as_str());
                let (plan, usual) = match named {
                    Some(plan) => (plan, table.value.clone()),
                    None => self.table(owner, &table.value, &self.span(name))?,
                };
                let called = alias.as_ref().map_or(usual, |alias| alias.name.value.clone());
                self.called(plan, Some(&called), alias.as_ref())
            }
            TableFactor::Derived { lateral: false, subquery, alias, sample: None } => {
                let plan = self.query(subquery)?;
                let called = alias.as_ref().map(|alias| alias.name.value.as_str());
                self.called(plan, called, alias.as_ref())
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                let (mut sources, mut conditions) = (Vec::new(), Vec::new());
                self.joined(table_with_joins, &mut sources, &mut conditions)?;
                self.inner(sources, &conditions, &self.span(factor))
            }
            _ => self.error(factor, "FROM has tables, and queries between parentheses, each with a name behind it or none"),
        }
    }

    /// A plan under a name, whose columns may be renamed.
    fn called(
        &self,
        mut plan: Plan,
        name: Option<&str>,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Source> {
        if let Some(alias) = alias.filter(|alias| !alias.columns.is_empty()) {
            if alias.columns.len() != plan.fields.len() {
                return self.error(
                    &At(&alias.name),
                    format!("`{}` has {} columns", alias.name.value, plan.fields.len()),
                );
            }
            let names = alias.columns.iter().map(|column| column.name.value.clone());
            plan.fields.iter_mut().zip(names).for_each(|(field, name)| field.name = name);
        }
        let scope = Scope::of(&plan, name);
        Ok(Source { plan, scope })
    }

    /// The table of a name, of a party, or of all parties that give one, and what it is called: with its party, so that tables of one name can be
    /// told apart.
    fn table(&self, owner: Option<&str>, name: &str, span: &Span) -> Result<(Plan, String)> {
        let numbers = self.catalog.parts(owner, name);
        let tables = &self.catalog.tables;
        let scan = |number: usize| {
            let field = |column: &Column| Field {
                name: column.name.clone(),
                kind: column.kind.clone(),
                nullable: column.nullable,
            };
            let fields = tables[number].columns.iter().map(field).collect();
            let plan = Plan { node: Node::Scan(number), fields, span: span.clone() };
            tables[number].there.map_or_else(|| plan.clone(), |there| filled(plan.clone(), there))
        };
        let Some((first, others)) = numbers.split_first() else {
            let known: Vec<String> =
                tables.iter().flat_map(|table| [table.full_name(), table.name.clone()]).collect();
            let shown = owner.map_or(name.to_owned(), |owner| format!("{owner}.{name}"));
            let what = format!(
                "there is no table `{shown}`: {}",
                instead(&shown, known.iter().map(String::as_str))
            );
            return Err(QueryError::new(span, what));
        };
        for other in others {
            let (a, b) = (&tables[*first], &tables[*other]);
            // How long texts are is the matter of each party.
            let same = |a: &Column, b: &Column| *a == Column { longest: a.longest, ..b.clone() };
            let differs = a.own_columns().zip(b.own_columns()).find(|(a, b)| !same(a, b));
            let differs = differs
                .map(|(a, _)| a.name.as_str())
                .or((a.own_columns().count() != b.own_columns().count())
                    .then_some("how many there are"));
            if let Some(differs) = differs {
                let what = format!(
                    "`{name}` means the tables of several parties, whose columns are not equal: {} and {} differ in {differs}. \
                     Name one party's: {}",
                    a.full_name(),
                    b.full_name(),
                    a.full_name()
                );
                return Err(QueryError::new(span, what));
            }
        }
        if others.is_empty() {
            return Ok((scan(*first), tables[*first].full_name()));
        }
        let parts: Vec<Plan> = numbers.iter().map(|number| scan(*number)).collect();
        let fields = parts[0].fields.clone();
        let plan = Plan { node: Node::Union(parts), fields, span: span.clone() };
        Ok((plan, name.to_owned()))
    }

    /// Tables joined on the equalities among conditions.
    pub fn inner(
        &mut self,
        sources: Vec<Source>,
        conditions: &[&Ast],
        span: &Span,
    ) -> Result<Source> {
        let scope =
            sources.iter().fold(Scope::default(), |scope, source| scope.and(source.scope.clone()));
        let mut owners = Vec::new();
        for (number, source) in sources.iter().enumerate() {
            owners.extend(source.scope.columns.iter().map(|_| number));
        }
        let mut pool = Pool::new(sources);
        let mut bound = Vec::new();
        for ast in conditions {
            bound.extend(factored(condition(self.plain(ast, &scope)?)?)?);
        }
        bound.extend(using_equalities(&scope, &owners)?);
        let mut filters = vec![Vec::new(); pool.plans.len()];
        bound.retain(|expr| match tables_of(expr, &owners).as_slice() {
            [one] => {
                filters[*one].push(expr.clone());
                false
            }
            _ => true,
        });
        for (table, filters) in filters.into_iter().enumerate() {
            if !filters.is_empty() {
                pool.filter(table, &all(Operator::And, filters, span)?);
            }
        }
        let mut rest = Vec::new();
        for expr in bound {
            match (tables_of(&expr, &owners).as_slice(), &expr.compute) {
                ([_, _], Compute::Binary(Operator::Equal, a, b)) if between(a, b, &owners) => {
                    pool.link(a, b, &owners)
                }
                ([_, _], Compute::Binary(Operator::Less | Operator::LessOrEqual, ..)) => {
                    pool.compared = true;
                    rest.push(expr);
                }
                _ => rest.push(expr),
            }
        }
        let (mut plan, place) = pool.join((self.catalog, self.matches), span)?;
        if !rest.is_empty() {
            let rest = rest.iter().map(|expr| renumbered(expr, &place)).collect();
            plan = filtered(plan, all(Operator::And, rest, span)?);
        }
        // Columns in the order in which they are named.
        let columns = scope
            .columns
            .iter()
            .enumerate()
            .map(|(number, (_, field))| column_of(&plan, place[number], field, span));
        let plan = projected(plan.clone(), columns.collect());
        Ok(Source { scope: rescoped(scope, &plan), plan })
    }

    /// A left, semi or anti join: `outer` says yes, nothing, or no.
    fn one_sided(
        &mut self,
        left: Source,
        right: Source,
        on: &[&Ast],
        outer: Option<bool>,
        span: &Span,
    ) -> Result<Source> {
        let scope = left.scope.clone().and(right.scope.clone());
        let width = left.plan.fields.len();
        let owners: Vec<usize> =
            (0..scope.columns.len()).map(|column| usize::from(column >= width)).collect();
        let mut bound = Vec::new();
        for ast in on {
            bound.push(condition(self.plain(ast, &scope)?)?);
        }
        bound.extend(using_equalities(&scope, &owners)?);
        let mut pool = Pool::new(vec![left.clone(), right.clone()]);
        for expr in bound {
            match (tables_of(&expr, &owners).as_slice(), &expr.compute) {
                ([1], _) => pool.filter(1, &expr),
                ([_, _], Compute::Binary(Operator::Equal, a, b)) if between(a, b, &owners) => {
                    pool.link(a, b, &owners)
                }
                _ => {
                    let what = "ON of such a join has equalities between its two sides, and conditions on the right one; others belong into WHERE";
                    return Err(QueryError::new(&expr.span, what));
                }
            }
        }
        let links = pool.keys();
        let [left_plan, right_plan] = pool.plans();
        if links.is_empty() {
            return Err(QueryError::new(
                span,
                "a join needs an equality between its two sides: ON a.id = b.id",
            ));
        }
        if outer == Some(true) {
            let keys: Vec<usize> = links.iter().map(|(_, column)| *column).collect();
            let matches = match (unique(&right_plan, &keys, Some(self.catalog)), self.matches) {
                (true, _) => 1,
                (false, Some(matches)) => matches,
                (false, None) => return Err(not_unique(span)),
            };
            let fields = left_plan.fields.iter().cloned();
            let of_right =
                right_plan.fields.iter().cloned().map(|field| Field { nullable: true, ..field });
            let fields = fields.chain(of_right).collect();
            let (extra, right_width) = (left_plan.fields.len(), right.plan.fields.len());
            let node = Node::Join {
                left: Box::new(left_plan),
                right: Box::new(right_plan),
                on: links,
                outer: true,
                matches,
            };
            let plan = Plan { node, fields, span: span.clone() };
            let places = (0..width).chain(extra..extra + right_width);
            let columns = places
                .zip(&scope.columns)
                .map(|(place, (_, field))| column_of(&plan, place, field, span));
            let plan = projected(plan.clone(), columns.collect());
            return Ok(Source { scope: rescoped(scope, &plan), plan });
        }
        let plan = matched(left_plan, right_plan, links, outer == Some(false), span);
        let columns =
            (0..width).map(|place| column_of(&plan, place, &left.plan.fields[place], span));
        let plan = projected(plan.clone(), columns.collect());
        Ok(Source { plan, scope: left.scope })
    }

    /// Rows for which an expression is, or is not, among the values of a subquery.
    fn looked_up(
        &mut self,
        source: Source,
        expr: &Ast,
        query: &ast::Query,
        not: bool,
        at: &Ast,
    ) -> Result<Source> {
        let span = self.span(at);
        let inner = self.query(query)?;
        let [field] = inner.fields.as_slice() else {
            return self.error(at, "the subquery of IN has one column");
        };
        let value = self.plain(expr, &source.scope)?;
        if not && (value.nullable || field.nullable) {
            return self.error(at, "NOT IN of values that may be null is true of none, which is rarely meant: write NOT EXISTS");
        }
        let column = Expr {
            compute: Compute::Column(0),
            kind: field.kind.clone(),
            nullable: field.nullable,
            span: span.clone(),
        };
        let (value, column) = unified(value, column)?;
        let width = source.plan.fields.len();
        let (left, a) = with_column(source.plan, value);
        let (right, b) = with_column(inner, column);
        let plan = matched(left, right, vec![(a, b)], not, &span);
        Ok(Source { plan: narrowed(plan, width, &span), scope: source.scope })
    }

    /// Rows for which a subquery that is about them has rows, or has none.
    fn exists(
        &mut self,
        source: Source,
        query: &ast::Query,
        not: bool,
        at: &Ast,
    ) -> Result<Source> {
        let span = self.span(at);
        let ast::SetExpr::Select(select) = query.body.as_ref() else {
            return self.error(at, "EXISTS is of a plain SELECT");
        };
        let grouped =
            !matches!(&select.group_by, ast::GroupByExpr::Expressions(by, _) if by.is_empty());
        if grouped
            || select.having.is_some()
            || query.with.is_some()
            || query.limit_clause.is_some()
        {
            return self.error(
                at,
                "EXISTS is of a SELECT with FROM and WHERE alone; name what it is of by WITH",
            );
        }
        if self.depth >= DEEPEST {
            return self.error(at, "this is nested too deep: name its parts by WITH");
        }
        self.refuse_parts(select)?;
        let mut all = Vec::new();
        if let Some(condition) = &select.selection {
            split(condition, &mut all);
        }
        self.depth += 1;
        let tables = self.from(&select.from, None, &span);
        self.depth -= 1;
        let mut tables = tables?;
        if self.has_aggregates(select, &tables.scope) {
            return self.error(at, "EXISTS of an aggregate without GROUP BY is always true, since it has one row: select columns");
        }
        let width = source.plan.fields.len();
        let (mut left, mut on) = (source.plan, Vec::new());
        for condition_of in all {
            if let Ok(own) = self.plain(condition_of, &tables.scope) {
                tables.plan = filtered(tables.plan, condition(own)?);
                continue;
            }
            // A condition that is about the row outside, too.
            let Ast::BinaryOp { left: a, op: BinaryOperator::Eq, right: b } = condition_of else {
                return self.error(condition_of, "a condition about the rows outside of EXISTS is an equality with a column of its own");
            };
            let (outside, own) = self.sides([a, b], &source.scope, &tables.scope)?;
            let (with_key, a) = with_column(left, outside);
            left = with_key;
            let (with_key, b) = with_column(tables.plan, own);
            tables.plan = with_key;
            on.push((a, b));
        }
        if on.is_empty() {
            return self.error(at, "EXISTS of a subquery that is not about the rows outside is not supported: join its count");
        }
        let plan = matched(left, tables.plan, on, not, &span);
        Ok(Source { plan: narrowed(plan, width, &span), scope: source.scope })
    }
}

impl Binder<'_> {
    /// The sides of an equality in a subquery, as values of one kind: that of the rows outside, and its own.
    pub(super) fn sides(
        &mut self,
        [a, b]: [&Ast; 2],
        outside: &Scope,
        own: &Scope,
    ) -> Result<(Expr, Expr)> {
        let (own, outside) = match self.plain(a, own) {
            Ok(found) => (found, self.plain(b, outside)?),
            Err(_) => (self.plain(b, own)?, self.plain(a, outside)?),
        };
        unified(outside, own)
    }
}

/// The equalities that USING stands for.
fn using_equalities(scope: &Scope, owners: &[usize]) -> Result<Vec<Expr>> {
    let mut all = Vec::new();
    for (number, (_, field)) in scope.columns.iter().enumerate() {
        let Some(name) = field.name.strip_prefix(USING) else { continue };
        let others = scope.find(None, name);
        let Some(other) = others.into_iter().find(|other| owners[*other] != owners[number]) else {
            continue;
        };
        let column = |number: usize| {
            let field = &scope.columns[number].1;
            Expr {
                compute: Compute::Column(number),
                kind: field.kind.clone(),
                nullable: field.nullable,
                span: Span::default(),
            }
        };
        let (a, b) = unified(column(other), column(number))?;
        all.push(super::typing::binary(Operator::Equal, a, b, Kind::Bit, &Span::default())?);
    }
    Ok(all)
}

/// Tables to be joined.
struct Pool {
    plans: Vec<Plan>,
    /// The number of the first column of each table among all columns.
    first: Vec<usize>,
    widths: Vec<usize>,
    /// Where each table is named.
    spans: Vec<Span>,
    /// Whether there is another comparison of two tables.
    compared: bool,
    /// Equalities: columns of tables, as they are in their plans.
    links: Vec<[(usize, usize); 2]>,
}

impl Pool {
    fn new(sources: Vec<Source>) -> Self {
        let widths: Vec<usize> = sources.iter().map(|source| source.scope.columns.len()).collect();
        let first = (0..widths.len()).map(|table| widths[..table].iter().sum()).collect();
        let spans = sources.iter().map(|source| source.plan.span.clone()).collect();
        Pool {
            spans,
            compared: false,
            plans: sources.into_iter().map(|source| source.plan).collect(),
            first,
            widths,
            links: Vec::new(),
        }
    }

    fn own(&self, table: usize, expr: &Expr) -> Expr {
        let first = self.first[table];
        renumbered(
            expr,
            &(0..first + self.widths[table])
                .map(|column| column.saturating_sub(first))
                .collect::<Vec<_>>(),
        )
    }

    fn filter(&mut self, table: usize, expr: &Expr) {
        let own = self.own(table, expr);
        let plan = std::mem::replace(&mut self.plans[table], Plan::nothing());
        self.plans[table] = filtered(plan, own);
    }

    fn link(&mut self, a: &Expr, b: &Expr, owners: &[usize]) {
        let sides = [a, b].map(|expr| {
            let table = tables_of(expr, owners)[0];
            let own = self.own(table, expr);
            let plan = std::mem::replace(&mut self.plans[table], Plan::nothing());
            let (plan, column) = with_column(plan, own);
            self.plans[table] = plan;
            (table, column)
        });
        self.links.push(sides);
    }

    /// The equalities between the first two tables.
    fn keys(&self) -> Vec<(usize, usize)> {
        let key = |[a, b]: &[(usize, usize); 2]| if a.0 == 0 { (a.1, b.1) } else { (b.1, a.1) };
        self.links.iter().map(key).collect()
    }

    /// The first two tables.
    fn plans(self) -> [Plan; 2] {
        let mut plans = self.plans.into_iter();
        [plans.next().unwrap_or_else(Plan::nothing), plans.next().unwrap_or_else(Plan::nothing)]
    }

    /// All joined: the plan, and where it has each column.
    fn join(
        mut self,
        (catalog, most): (&crate::catalog::Catalog, Option<u64>),
        span: &Span,
    ) -> Result<(Plan, Vec<usize>)> {
        let tables = self.plans.len();
        let mut joined = vec![false; tables];
        joined[0] = true;
        let mut plan = std::mem::replace(&mut self.plans[0], Plan::nothing());
        // Where the columns of each table begin in the plan.
        let mut begins = vec![0; tables];
        for _ in 1..tables {
            let linked = |table: usize| -> Vec<(usize, usize)> {
                let pair = |[a, b]: &[(usize, usize); 2]| match (joined[a.0], joined[b.0]) {
                    (true, false) if b.0 == table => Some((begins[a.0] + a.1, b.1)),
                    (false, true) if a.0 == table => Some((begins[b.0] + b.1, a.1)),
                    _ => None,
                };
                self.links.iter().filter_map(pair).collect()
            };
            let candidates: Vec<(usize, Vec<(usize, usize)>)> = (0..tables)
                .filter(|table| !joined[*table])
                .map(|table| (table, linked(table)))
                .filter(|(_, on)| !on.is_empty())
                .collect();
            let sided = |of_plan: bool| {
                candidates.iter().find(|(table, on)| match of_plan {
                    true => unique(
                        &plan,
                        &on.iter().map(|(a, _)| *a).collect::<Vec<_>>(),
                        Some(catalog),
                    ),
                    false => unique(
                        &self.plans[*table],
                        &on.iter().map(|(_, b)| *b).collect::<Vec<_>>(),
                        Some(catalog),
                    ),
                })
            };
            let (found, swapped, matches) = match (sided(false), sided(true)) {
                (Some(found), _) => (found.clone(), false, 1),
                (None, Some(found)) => (found.clone(), true, 1),
                (None, None) if candidates.is_empty() => {
                    let other = (0..tables).find(|table| !joined[*table]).unwrap_or_default();
                    return Err(not_joined(&self.spans[other], self.compared));
                }
                (None, None) => match most {
                    Some(most) => (candidates[0].clone(), false, most),
                    None => return Err(not_unique(&self.plans[candidates[0].0].span)),
                },
            };
            let ((table, on), other) =
                (found.clone(), std::mem::replace(&mut self.plans[found.0], Plan::nothing()));
            joined[table] = true;
            if swapped {
                let width = other.fields.len();
                begins
                    .iter_mut()
                    .zip(&joined)
                    .filter(|(_, joined)| **joined)
                    .for_each(|(begin, _)| *begin += width);
                begins[table] = 0;
                let on = on.into_iter().map(|(a, b)| (b, a)).collect();
                plan = join_of([other, plan], on, matches, span);
            } else {
                begins[table] = plan.fields.len();
                plan = join_of([plan, other], on, matches, span);
            }
        }
        let places = (0..tables)
            .flat_map(|table| (0..self.widths[table]).map(move |column| (table, column)));
        let places = places.map(|(table, column)| begins[table] + column).collect();
        Ok((plan, places))
    }
}

fn join_of([left, right]: [Plan; 2], on: Vec<(usize, usize)>, matches: u64, span: &Span) -> Plan {
    let fields = left.fields.iter().chain(&right.fields).cloned().collect();
    let (left, right) = (Box::new(left), Box::new(right));
    let node = Node::Join { left, right, on, outer: false, matches };
    Plan { node, fields, span: span.clone() }
}

fn matched(left: Plan, right: Plan, on: Vec<(usize, usize)>, anti: bool, span: &Span) -> Plan {
    let fields = left.fields.clone();
    Plan {
        node: Node::Match { left: Box::new(left), right: Box::new(right), on, anti },
        fields,
        span: span.clone(),
    }
}

/// The error of a table that no equality joins with those before it.
fn not_joined(span: &Span, compared: bool) -> QueryError {
    let what = match compared {
        true => {
            "a join by `<` or `>` alone is not supported, since a row may match all others: join by an equality too, of a key or of width_bucket(..) of both sides. \
             One value is compared as a subquery: x > (SELECT avg(y) FROM u)"
        }
        false => {
            "this table is not joined with those before it: a join needs an equality between two tables, by ON or in WHERE"
        }
    };
    QueryError::new(span, what)
}

fn not_unique(span: &Span) -> QueryError {
    let what = "neither side of this join is known to have each key once: declare the key UNIQUE in a table, or GROUP one side BY it first. \
                A LEFT JOIN needs it on the right side. Or SET max_matches = 4, if no more than 4 rows behind JOIN have the same key: the run checks that";
    QueryError::new(span, what)
}

/// Rows for which a condition holds.
pub(super) fn filtered(plan: Plan, condition: Expr) -> Plan {
    let (fields, span) = (plan.fields.clone(), condition.span.clone());
    Plan { node: Node::Filter { input: Box::new(plan), condition }, fields, span }
}

/// The rows of a padded table that are there, without the column that says so.
fn filled(scan: Plan, there: usize) -> Plan {
    let (fields, span) = (scan.fields.clone(), scan.span.clone());
    let condition = Expr::column(there, &fields, &span);
    let node = Node::Filter { input: Box::new(scan), condition };
    let all = (0..fields.len()).filter(|column| *column != there);
    let columns = all
        .map(|column| (Expr::column(column, &fields, &span), fields[column].name.clone()))
        .collect();
    projected(Plan { node, fields, span }, columns)
}

/// Columns of a plan.
pub(super) fn projected(plan: Plan, columns: Vec<(Expr, String)>) -> Plan {
    let field = |(expr, name): &(Expr, String)| Field {
        name: name.clone(),
        kind: expr.kind.clone(),
        nullable: expr.nullable,
    };
    let fields = columns.iter().map(field).collect();
    let span = plan.span.clone();
    let columns = columns.into_iter().map(|(expr, _)| expr).collect();
    Plan { node: Node::Project { input: Box::new(plan), columns }, fields, span }
}

fn column_of(plan: &Plan, place: usize, named: &Field, span: &Span) -> (Expr, String) {
    let field = &plan.fields[place];
    let (kind, nullable, span) = (field.kind.clone(), field.nullable, span.clone());
    let name = named.name.strip_prefix(USING).unwrap_or(&named.name);
    (Expr { compute: Compute::Column(place), kind, nullable, span }, name.to_owned())
}

/// A scope whose columns are as a plan has them.
fn rescoped(mut scope: Scope, plan: &Plan) -> Scope {
    scope
        .columns
        .iter_mut()
        .zip(&plan.fields)
        .for_each(|((_, column), field)| column.nullable = field.nullable);
    scope
}

/// The first columns of a plan.
fn narrowed(plan: Plan, width: usize, span: &Span) -> Plan {
    if plan.fields.len() == width {
        return plan;
    }
    let columns =
        (0..width).map(|place| column_of(&plan, place, &plan.fields[place], span)).collect();
    projected(plan, columns)
}

/// A plan with one more column, and its number; a column that it has is not added again.
pub(super) fn with_column(plan: Plan, expr: Expr) -> (Plan, usize) {
    if let Compute::Column(column) = expr.compute {
        return (plan, column);
    }
    let at = plan.fields.len();
    let columns = (0..at).map(|place| column_of(&plan, place, &plan.fields[place], &expr.span));
    let mut columns: Vec<_> = columns.collect();
    columns.push((expr, String::new()));
    (projected(plan, columns), at)
}

/// The tables that an expression is about, each once.
fn tables_of(expr: &Expr, owners: &[usize]) -> Vec<usize> {
    let mut used = vec![false; owners.len()];
    expr.mark_columns(&mut used);
    let mut tables: Vec<usize> =
        used.iter().zip(owners).filter(|(used, _)| **used).map(|(_, owner)| *owner).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// Whether each side is about one table.
fn between(a: &Expr, b: &Expr, owners: &[usize]) -> bool {
    tables_of(a, owners).len() == 1 && tables_of(b, owners).len() == 1
}

/// An expression of other columns.
fn renumbered(expr: &Expr, places: &[usize]) -> Expr {
    let mut expr = expr.clone();
    expr.renumber(places);
    expr
}

/// Whether no two rows of a plan have equal values in some columns.
fn unique(plan: &Plan, columns: &[usize], catalog: Option<&crate::catalog::Catalog>) -> bool {
    plan.has_key(columns, catalog)
}
