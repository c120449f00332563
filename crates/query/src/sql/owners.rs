//! What owners compute: functions of columns of texts become columns of the tables that the texts come from.

use super::from::projected;
use crate::catalog::{Catalog, Column};
use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Compute, Expr, Field, Node, Plan};
use std::sync::Arc;
use tacit_program::Span;
use tacit_program::derived::{Asks, TextFunction};
use tacit_program::domain::TEXTS;

/// A function of a column of texts that somebody needs.
#[derive(Clone)]
struct Wanted {
    column: usize,
    function: Arc<TextFunction>,
    span: Span,
}

impl Wanted {
    fn is(&self, other: &Wanted) -> bool {
        self.column == other.column && self.function == other.function
    }
}

/// A plan in which no expression is of the letters of texts: what it needs of them is in columns of the tables, which are added to the catalog.
///
/// # Errors
/// Where the texts are not those of a table, or it is not known how long they may be; with the place.
pub(super) fn computed(plan: Plan, catalog: &mut Catalog) -> Result<Plan> {
    if !asks(&plan) {
        return Ok(plan);
    }
    let plan = Owners { catalog }.with(plan, &[])?;
    Ok(widened(plan, catalog))
}

/// Whether there is something for owners to compute.
fn asks(plan: &Plan) -> bool {
    fn of(expr: &Expr) -> bool {
        match &expr.compute {
            Compute::OfText(..) => true,
            Compute::Scalar(plan) => asks(plan),
            _ => expr.operands().into_iter().any(of),
        }
    }
    plan.exprs().into_iter().any(of) || plan.inputs().into_iter().any(asks)
}

struct Owners<'c> {
    catalog: &'c mut Catalog,
}

impl Owners<'_> {
    /// A plan with the same columns, and behind them one for each function that is wanted.
    fn with(&mut self, plan: Plan, wanted: &[Wanted]) -> Result<Plan> {
        let Plan { node, fields, span } = plan;
        let width = fields.len();
        let (node, inner) = match node {
            Node::Scan(table) => return self.scan(table, fields, span, wanted),
            Node::Union(inputs) => {
                let inputs = inputs.into_iter().map(|input| self.with(input, wanted));
                let inputs = inputs.collect::<Result<Vec<_>>>()?;
                let mut all = fields;
                all.extend((width..width + wanted.len()).map(|place| {
                    let nullable = inputs.iter().any(|input| input.fields[place].nullable);
                    Field { nullable, ..inputs[0].fields[place].clone() }
                }));
                return Ok(Plan { node: Node::Union(inputs), fields: all, span });
            }
            Node::Project { input, columns } => {
                return self.project(*input, columns, fields, span, wanted);
            }
            Node::Filter { input, mut condition } => {
                let mut all = wanted.to_vec();
                collect(&condition, &mut all);
                let input = self.with(*input, &all)?;
                self.settle(&mut condition, width, &all, &input.fields)?;
                let inner = kept(&fields, &input.fields[width..]);
                (Node::Filter { input: Box::new(input), condition }, inner)
            }
            Node::Group { input, keys, aggregates } => {
                return self.group(*input, (keys, aggregates), fields, span, wanted);
            }
            Node::Join { left, right, on, outer, matches } => {
                let first = left.fields.len();
                let (of_left, of_right): (Vec<_>, Vec<_>) =
                    wanted.iter().cloned().partition(|it| it.column < first);
                let of_right = of_right.into_iter();
                let of_right: Vec<Wanted> =
                    of_right.map(|it| Wanted { column: it.column - first, ..it }).collect();
                let left = self.with(*left, &of_left)?;
                let right = self.with(*right, &of_right)?;
                let more = right.fields[width - first..].iter().cloned();
                let more = more.map(|it| Field { nullable: it.nullable || outer, ..it });
                let inner: Vec<Field> = kept(&fields[..first], &left.fields[first..])
                    .into_iter()
                    .chain(fields[first..].iter().cloned())
                    .chain(more)
                    .collect();
                let (now, behind) = (left.fields.len(), left.fields.len() + width - first);
                let (mut next_left, mut next_right) = (first..now, behind..inner.len());
                let places = (0..first).chain(now..behind);
                let new = wanted.iter().filter_map(|it| match it.column < first {
                    true => next_left.next(),
                    false => next_right.next(),
                });
                let places: Vec<usize> = places.chain(new).collect();
                let (left, right) = (Box::new(left), Box::new(right));
                let node = Node::Join { left, right, on, outer, matches };
                return Ok(chosen(Plan { node, fields: inner, span }, &places));
            }
            Node::Match { left, right, on, anti } => {
                let left = Box::new(self.with(*left, wanted)?);
                let right = Box::new(self.with(*right, &[])?);
                let inner = kept(&fields, &left.fields[width..]);
                (Node::Match { left, right, on, anti }, inner)
            }
            Node::First { input, by, rows } => {
                let input = Box::new(self.with(*input, wanted)?);
                let inner = kept(&fields, &input.fields[width..]);
                (Node::First { input, by, rows }, inner)
            }
            Node::Window { input, partition, by, calls } => {
                let first = input.fields.len();
                if let Some(wrong) = wanted.iter().find(|it| it.column >= first) {
                    return Err(not_of_a_table(&wrong.span));
                }
                let input = Box::new(self.with(*input, wanted)?);
                let mut inner = kept(&fields[..first], &input.fields[first..]);
                inner.extend(fields[first..].iter().cloned());
                let behind = first + wanted.len();
                let places: Vec<usize> =
                    (0..first).chain(behind..inner.len()).chain(first..behind).collect();
                let node = Node::Window { input, partition, by, calls };
                return Ok(chosen(Plan { node, fields: inner, span }, &places));
            }
        };
        let places: Vec<usize> = (0..width + wanted.len()).collect();
        Ok(chosen(Plan { node, fields: inner, span }, &places))
    }

    /// A table, with what its owner computes.
    fn scan(
        &mut self,
        table: usize,
        fields: Vec<Field>,
        span: Span,
        wanted: &[Wanted],
    ) -> Result<Plan> {
        let width = fields.len();
        let mut places: Vec<usize> = (0..width).collect();
        for it in wanted {
            places.push(self.column(table, it)?);
        }
        let mut plan = Plan { node: Node::Scan(table), fields, span };
        if wanted.is_empty() {
            return Ok(plan);
        }
        plan.fields.extend(self.catalog.tables[table].columns[width..].iter().map(field));
        Ok(chosen(plan, &places))
    }

    /// The number of the column of a table that holds what is wanted of another one.
    fn column(&mut self, table: usize, wanted: &Wanted) -> Result<usize> {
        let of = &mut self.catalog.tables[table];
        let is = |column: &Column| {
            column.derived.as_ref().is_some_and(|(source, function)| {
                *source == wanted.column && *function == *wanted.function
            })
        };
        if let Some(known) = of.columns.iter().position(is) {
            return Ok(known);
        }
        let source = &of.columns[wanted.column];
        let function = wanted.function.as_ref().clone();
        let (kind, range) = match &function.asks {
            Asks::Text => (Kind::Text, TEXTS.low..=TEXTS.high),
            Asks::Like(_) => (Kind::Bit, 0..=1),
            Asks::Length => match function.longest(source.longest) {
                Some(longest) => (INTEGER, 0..=i128::from(longest)),
                None => return Err(no_length(&source.name, &wanted.span)),
            },
        };
        let name = function.of(&source.name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free =
            |name: &String| !of.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        let name = std::iter::once(name.clone()).chain(numbered).find(free).unwrap_or_default();
        let nullable = source.nullable || function.may_be_null();
        let derived = Some((wanted.column, function));
        of.columns.push(Column { derived, ..Column::new(&name, kind, range, nullable) });
        Ok(of.columns.len() - 1)
    }

    fn project(
        &mut self,
        input: Plan,
        mut columns: Vec<Expr>,
        mut fields: Vec<Field>,
        span: Span,
        wanted: &[Wanted],
    ) -> Result<Plan> {
        let mut all = Vec::new();
        columns.iter().for_each(|column| collect(column, &mut all));
        let mut new = Vec::new();
        for it in wanted {
            let function = &it.function;
            let (column, function) = match &columns[it.column].compute {
                Compute::Literal(None) => {
                    new.push(None);
                    continue;
                }
                Compute::Column(column) => (*column, function.clone()),
                Compute::OfText(inner, of) => match of.compute {
                    Compute::Column(column) => (column, Arc::new(inner.then(function))),
                    _ => return Err(not_of_a_table(&it.span)),
                },
                _ => return Err(not_of_a_table(&it.span)),
            };
            function.check().map_err(|what| QueryError::new(&it.span, what))?;
            let inner = Wanted { column, function, span: it.span.clone() };
            new.push(Some(place_of(inner, &mut all)));
        }
        let width = input.fields.len();
        let input = self.with(input, &all)?;
        for (column, field) in columns.iter_mut().zip(&mut fields) {
            self.settle(column, width, &all, &input.fields)?;
            // Keys of joins are called as what they are.
            if let (Compute::Column(place), true) = (&column.compute, field.name.is_empty()) {
                field.name.clone_from(&input.fields[*place].name);
            }
        }
        for (it, place) in wanted.iter().zip(new) {
            let column = match place {
                Some(place) => Expr::column(width + place, &input.fields, &it.span),
                None => {
                    let (compute, kind) = (Compute::Literal(None), kind_of(&it.function));
                    Expr { compute, kind, nullable: true, span: it.span.clone() }
                }
            };
            let (kind, nullable) = (column.kind.clone(), column.nullable);
            let name = it.function.of(&fields[it.column].name);
            fields.push(Field { name, kind, nullable });
            columns.push(column);
        }
        Ok(Plan { node: Node::Project { input: Box::new(input), columns }, fields, span })
    }

    /// Groups: what follows from a key is one, too, and makes no more groups.
    fn group(
        &mut self,
        input: Plan,
        (mut keys, aggregates): (Vec<usize>, Vec<crate::plan::Aggregate>),
        fields: Vec<Field>,
        span: Span,
        wanted: &[Wanted],
    ) -> Result<Plan> {
        let (width, first) = (input.fields.len(), keys.len());
        let mut inner = Vec::new();
        for it in wanted {
            let Some(key) = keys.get(it.column) else { return Err(not_of_a_table(&it.span)) };
            inner.push(Wanted { column: *key, ..it.clone() });
        }
        let input = self.with(input, &inner)?;
        keys.extend(width..input.fields.len());
        let mut all = kept(&fields[..first], &input.fields[width..]);
        all.extend(fields[first..].iter().cloned());
        let behind = keys.len();
        let places: Vec<usize> = (0..first).chain(behind..all.len()).chain(first..behind).collect();
        let node = Node::Group { input: Box::new(input), keys, aggregates };
        Ok(chosen(Plan { node, fields: all, span }, &places))
    }

    /// An expression with columns in place of functions of texts: of the `width` columns that there were, and behind them those that were wanted.
    fn settle(
        &mut self,
        expr: &mut Expr,
        width: usize,
        wanted: &[Wanted],
        fields: &[Field],
    ) -> Result<()> {
        if let Compute::Scalar(plan) = &mut expr.compute {
            let inner = std::mem::replace(plan.as_mut(), Plan::nothing());
            **plan = self.with(inner, &[])?;
        }
        if let Some(it) = wanted_by(expr) {
            let Some(place) = wanted.iter().position(|known| known.is(&it)) else {
                return Err(not_of_a_table(&expr.span));
            };
            *expr = Expr::column(width + place, fields, &expr.span);
        }
        let operands = expr.operands_mut();
        operands.into_iter().try_for_each(|operand| self.settle(operand, width, wanted, fields))
    }
}

/// What an expression is of texts, if it is.
fn wanted_by(expr: &Expr) -> Option<Wanted> {
    let Compute::OfText(function, of) = &expr.compute else { return None };
    let Compute::Column(column) = of.compute else { return None };
    Some(Wanted { column, function: function.clone(), span: expr.span.clone() })
}

/// Adds what an expression needs of texts.
fn collect(expr: &Expr, all: &mut Vec<Wanted>) {
    if let Some(it) = wanted_by(expr) {
        place_of(it, all);
    }
    expr.operands().into_iter().for_each(|operand| collect(operand, all));
}

/// Where it is among those that are wanted; it is added if it is not.
fn place_of(it: Wanted, all: &mut Vec<Wanted>) -> usize {
    let known = all.iter().position(|known| known.is(&it));
    known.unwrap_or_else(|| {
        all.push(it);
        all.len() - 1
    })
}

/// The kind of what a function computes.
fn kind_of(function: &TextFunction) -> Kind {
    match function.asks {
        Asks::Text => Kind::Text,
        Asks::Like(_) => Kind::Bit,
        Asks::Length => INTEGER,
    }
}

fn kept(fields: &[Field], more: &[Field]) -> Vec<Field> {
    fields.iter().chain(more).cloned().collect()
}

/// Some columns of a plan, or itself if these are all in their order.
fn chosen(plan: Plan, places: &[usize]) -> Plan {
    if places.iter().copied().eq(0..plan.fields.len()) {
        return plan;
    }
    let span = plan.span.clone();
    let column = |place: &usize| {
        (Expr::column(*place, &plan.fields, &span), plan.fields[*place].name.clone())
    };
    let columns = places.iter().map(column).collect();
    projected(plan, columns)
}

fn field(column: &Column) -> Field {
    let Column { name, kind, nullable, .. } = column.clone();
    Field { name, kind, nullable }
}

/// A plan whose tables have all columns of the catalog, as far as it reads them.
fn widened(mut plan: Plan, catalog: &Catalog) -> Plan {
    for input in plan.inputs_mut() {
        *input = widened(std::mem::replace(input, Plan::nothing()), catalog);
    }
    plan.exprs_mut().into_iter().for_each(|expr| widen(expr, catalog));
    if let Node::Scan(table) = plan.node {
        let width = plan.fields.len();
        plan.fields.extend(catalog.tables[table].columns[width..].iter().map(field));
        return chosen(plan, &(0..width).collect::<Vec<_>>());
    }
    plan
}

fn widen(expr: &mut Expr, catalog: &Catalog) {
    if let Compute::Scalar(plan) = &mut expr.compute {
        **plan = widened(std::mem::replace(plan.as_mut(), Plan::nothing()), catalog);
    }
    expr.operands_mut().into_iter().for_each(|operand| widen(operand, catalog));
}

fn not_of_a_table(span: &Span) -> QueryError {
    let what = "functions of texts are of columns of tables, whose owners compute them, and nobody has this text: \
                write the function of the column itself, where the rows come from";
    QueryError::new(span, what)
}

fn no_length(column: &str, span: &Span) -> QueryError {
    let what = format!(
        "say how long the texts of `{column}` are at most: VARCHAR(200) in place of TEXT. Their length is a number in a range that is public. \
         length(left(x, 200)) has one, too, and x IS NOT NULL says that a text is not empty"
    );
    QueryError::new(span, what)
}
