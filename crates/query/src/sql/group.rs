//! Groups, and the aggregates that expressions are of.

use crate::error::{QueryError, Result};
use crate::kind::{INTEGER, Kind};
use crate::plan::{Aggregate, Compute, Expr, Field, Function, Node, Plan, Quantile};
use tacit_program::Span;

/// Groups of rows: what they have in common, and what is computed of each. Equal keys and equal aggregates are computed once.
#[derive(Clone, Default)]
pub(super) struct Groups {
    keys: Vec<(String, Expr)>,
    arguments: Vec<Expr>,
    /// Whether an aggregate was asked for, be it right or wrong.
    pub asked: bool,
    aggregates: Vec<(Aggregate, Field)>,
}

impl Groups {
    /// Groups by some keys, with the names that they have.
    pub fn by(keys: Vec<(String, Expr)>) -> Self {
        Groups { keys, ..Groups::default() }
    }

    /// The key that an expression of rows is.
    pub fn key(&self, expr: &Expr) -> Option<Expr> {
        let at = self.keys.iter().position(|(_, key)| key.same(expr))?;
        let (compute, span) = (Compute::Column(at), expr.span.clone());
        Some(Expr { compute, span, ..self.keys[at].1.clone() })
    }

    /// An aggregate, as a column of the groups.
    pub fn aggregate(
        &mut self,
        function: Function,
        (argument, other): (Option<Expr>, Option<Expr>),
        distinct: bool,
        span: &Span,
        fraction: u8,
    ) -> Result<Expr> {
        let no_keys = self.keys.is_empty();
        // Which of several equal values is least does not matter.
        let distinct = distinct && !matches!(function, Function::Min | Function::Max);
        if distinct && function == Function::Mean {
            return Err(QueryError::new(
                span,
                "avg(DISTINCT ..) is not supported: divide sum(DISTINCT ..) by count(DISTINCT ..)",
            ));
        }
        if distinct && matches!(function, Function::Quantile(_)) {
            return Err(QueryError::new(
                span,
                "quantiles of distinct values are not supported: take them of a subquery with SELECT DISTINCT",
            ));
        }
        if distinct && !function.is_ranged() {
            return Err(QueryError::new(
                span,
                "this is not supported of distinct values: take it of a subquery with SELECT DISTINCT",
            ));
        }
        let (kind, nullable) = match (function, &argument) {
            (Function::Count, _) | (_, None) => (INTEGER, false),
            (Function::Quantile(Quantile { between: true, .. }), Some(of))
                if !of.kind.is_number() =>
            {
                let what = format!(
                    "between values that are {} there is nothing: quantile_disc(.., 0.5) takes one of them",
                    of.kind
                );
                return Err(QueryError::new(&of.span, what));
            }
            (
                Function::Mean
                | Function::Quantile(Quantile { between: true, .. })
                | Function::Spread(_)
                | Function::Together(_),
                Some(of),
            ) => {
                let fraction =
                    if let Kind::Fixed { fraction } = of.kind { fraction } else { fraction };
                (Kind::Fixed { fraction }, no_keys || of.nullable)
            }
            (_, Some(of)) => (of.kind.clone(), no_keys || of.nullable),
        };
        let nullable =
            nullable || function.may_be_null() || other.as_ref().is_some_and(|it| it.nullable);
        let argument = match (function, argument) {
            // A column that is never null is counted as rows are.
            (Function::Count, Some(of)) if !of.nullable && !distinct => None,
            (_, argument) => argument,
        };
        let column = argument.map(|argument| self.argument(argument));
        let other = other.map(|other| self.argument(other));
        let same_as = |(known, _): &(Aggregate, Field)| {
            let columns = known.column == column && known.other == other;
            known.function == function && columns && known.distinct == distinct
        };
        let at = self.aggregates.iter().position(same_as).unwrap_or_else(|| {
            let aggregate = Aggregate { function, column, other, distinct, span: span.clone() };
            let name = format!("aggregate {}", self.aggregates.len() + 1);
            self.aggregates.push((aggregate, Field { name, kind: kind.clone(), nullable }));
            self.aggregates.len() - 1
        });
        Ok(Expr {
            compute: Compute::Column(self.keys.len() + at),
            kind,
            nullable,
            span: span.clone(),
        })
    }

    /// The column of an argument, once however often it is used.
    fn argument(&mut self, argument: Expr) -> usize {
        let known = self.arguments.iter().position(|known| known.same(&argument));
        let at = known.unwrap_or_else(|| {
            self.arguments.push(argument);
            self.arguments.len() - 1
        });
        self.keys.len() + at
    }

    /// What an expression of aggregates is of no rows: null, or a raw value. None if it is of keys, too.
    pub fn of_no_rows(&self, of: &Expr) -> Option<Option<i128>> {
        let mut of = of.clone();
        self.emptied(&mut of)?;
        crate::clear::constant(&of).ok()
    }

    /// With the values of no rows in place of aggregates.
    fn emptied(&self, of: &mut Expr) -> Option<()> {
        of.nullable = true;
        match of.compute {
            Compute::Column(column) => {
                let (aggregate, _) = self.aggregates.get(column.checked_sub(self.keys.len())?)?;
                let zero = aggregate.function == Function::Count;
                of.compute = Compute::Literal(zero.then_some(0));
            }
            Compute::Scalar(_) => return None,
            _ => {}
        }
        of.operands_mut().into_iter().try_for_each(|operand| self.emptied(operand))
    }

    /// The groups of the rows of a plan.
    pub fn plan(self, input: Plan, span: &Span) -> Plan {
        let field = |(name, key): &(String, Expr)| Field {
            name: name.clone(),
            kind: key.kind.clone(),
            nullable: key.nullable,
        };
        let keys: Vec<Field> = self.keys.iter().map(field).collect();
        let of_arguments = self.arguments.iter().enumerate().map(|(number, of)| Field {
            name: format!("argument {}", number + 1),
            kind: of.kind.clone(),
            nullable: of.nullable,
        });
        let fields = keys.iter().cloned().chain(of_arguments).collect();
        let columns = self.keys.into_iter().map(|(_, key)| key).chain(self.arguments).collect();
        let rows = Plan {
            node: Node::Project { input: Box::new(input), columns },
            fields,
            span: span.clone(),
        };
        let numbers = (0..keys.len()).collect();
        let (aggregates, of_aggregates): (Vec<_>, Vec<_>) = self.aggregates.into_iter().unzip();
        let fields = keys.into_iter().chain(of_aggregates).collect();
        let node = Node::Group { input: Box::new(rows), keys: numbers, aggregates };
        Plan { node, fields, span: span.clone() }
    }
}
