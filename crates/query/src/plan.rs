//! Plans: what a query computes, operator by operator.
//!
//! A plan is a tree. Every operator knows the [`Field`]s of its result, and refers to those of its input by number. Everything is
//! typed: operands of an operation are of the kinds that it says, converted by [`Compute::Convert`] where the user did not.
//!
//! Rows of a plan have no order, and those that a filter drops stay where they are: nobody sees which those are.

use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::kind::Kind;
use std::sync::Arc;
use tacit_program::{Span, TextFunction};

/// A query: a plan, and what of its result is shown to whom.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name of the program, and of its result.
    pub name: String,
    /// What is computed.
    pub plan: Plan,
    /// What the receivers sort the rows by.
    pub order: Vec<OrderKey>,
    /// Names of the parties that learn the result.
    pub to: Vec<String>,
    /// The most rows that are shown. The receivers learn whether there were more.
    pub max_rows: Option<u64>,
    /// Groups of fewer rows are not shown.
    pub min_rows: Option<u64>,
}

/// A column of an operator's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; not always unique.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Whether values may be null.
    pub nullable: bool,
}

/// An operator with its inputs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The operator.
    pub node: Node,
    /// The columns of its result.
    pub fields: Vec<Field>,
    /// Where the user asked for it.
    pub span: Span,
}

/// The operators.
#[derive(Clone, Debug)]
pub enum Node {
    /// One party's table, by number in the catalog.
    Scan(usize),
    /// All rows of several inputs with the same kinds of columns.
    Union(Vec<Plan>),
    /// The rows for which a condition holds: it is true, not null.
    Filter {
        /// The rows.
        input: Box<Plan>,
        /// A [`Kind::Bit`].
        condition: Expr,
    },
    /// Columns that are computed row by row.
    Project {
        /// The rows.
        input: Box<Plan>,
        /// One for each field.
        columns: Vec<Expr>,
    },
    /// One row for each combination of values of the keys that occurs: fields are the keys, then the aggregates. Null is a value
    /// like others here. Without keys: one row, also where there are none. Without aggregates: distinct rows.
    Group {
        /// The rows.
        input: Box<Plan>,
        /// Columns of the input.
        keys: Vec<usize>,
        /// What is computed of each group.
        aggregates: Vec<Aggregate>,
    },
    /// Each row of `left`, with each row of `right` that has equal keys: fields are those of both. Null is equal to nothing. Of
    /// `right` at most `matches` rows have the same keys, which the run checks where it does not follow from the plan.
    Join {
        /// Rows, any number of which may have keys in common.
        left: Box<Plan>,
        /// Rows of which at most `matches` have keys in common.
        right: Box<Plan>,
        /// Pairs of columns of `left` and `right`, of one kind.
        on: Vec<(usize, usize)>,
        /// Whether rows of `left` without a match stay, with nulls for the columns of `right`: a left join.
        outer: bool,
        /// The most rows of `right` that may have the same keys, one or more.
        matches: u64,
    },
    /// The rows of `left` for which `right` has a row with equal keys: a semi join. Or those for which it has none: an anti join.
    Match {
        /// The rows.
        left: Box<Plan>,
        /// What they are looked up in.
        right: Box<Plan>,
        /// Pairs of columns of `left` and `right`, of one kind.
        on: Vec<(usize, usize)>,
        /// Whether it is an anti join.
        anti: bool,
    },
    /// All rows, each with what is computed of those of its partition: fields are those of the input, then those of the calls.
    Window {
        /// The rows.
        input: Box<Plan>,
        /// Columns in which the rows of a partition are equal. Null is a value like others.
        partition: Vec<usize>,
        /// The order of the rows of a partition. Rows that are equal by it are peers. Where one of them must come first, it is the one that
        /// is less by all columns of the input, from the first one on, nulls last.
        by: Vec<OrderKey>,
        /// What is computed.
        calls: Vec<Call>,
    },
    /// The first rows in an order; among equal rows, those that are less by all columns, from the first one on.
    First {
        /// The rows.
        input: Box<Plan>,
        /// The order.
        by: Vec<OrderKey>,
        /// How many there are at most.
        rows: u64,
    },
}

/// A column that rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The column.
    pub column: usize,
    /// Greatest first.
    pub descending: bool,
    /// Whether nulls come first.
    pub nulls_first: bool,
}

/// What is computed of the rows of a group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// The column that it is of; rows where that is null do not count. None to count all rows.
    pub column: Option<usize>,
    /// The other column of [`Function::Together`] and [`Function::Best`]; rows where it is null do not count either.
    pub other: Option<usize>,
    /// Whether equal values count once. Of counts and sums only.
    pub distinct: bool,
    /// Where the user asked for it.
    pub span: Span,
}

/// What is computed of the rows of a partition, for each of them.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: Ranged,
    /// The column that it is of.
    pub column: Option<usize>,
    /// Where the user asked for it.
    pub span: Span,
}

/// The functions of partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranged {
    /// The number of the row in the order, from one on.
    Number,
    /// The number of the first of its peers.
    Rank,
    /// The number of its peers among all sets of peers.
    DenseRank,
    /// The column's value in the row so many places further on, or back if that is negative; null where there is no such row. Without a
    /// column: whether there is one, a bit.
    Shift(i64),
    /// The column's value in the first row of a frame that begins where the partition does.
    First,
    /// The column's value in the last row of a frame.
    Last(Frame),
    /// An aggregate of the rows of a frame.
    Aggregate(Function, Frame),
}

/// The rows of a partition that a function is of: the row itself is among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// All.
    Whole,
    /// Those up to the row, with all of its peers.
    Peers,
    /// Those up to the row.
    Rows,
    /// The row, and so many before it. Of counts, sums and means only.
    Last(u64),
}

impl Ranged {
    /// Whether it depends on which of several peers comes first.
    #[must_use]
    pub fn tells_peers_apart(self) -> bool {
        match self {
            Ranged::Number | Ranged::Shift(_) | Ranged::First | Ranged::Last(_) => true,
            Ranged::Rank | Ranged::DenseRank => false,
            Ranged::Aggregate(_, frame) => matches!(frame, Frame::Rows | Frame::Last(_)),
        }
    }
}

/// The functions of groups. But for counts they are null where no value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The number of rows, an integer.
    Count,
    /// The sum of numbers, of their kind.
    Sum,
    /// The mean of numbers, a [`Kind::Fixed`]: the sum divided by the count, rounded down to the kind's fraction.
    Mean,
    /// The least value, of the column's kind.
    Min,
    /// The greatest value, of the column's kind.
    Max,
    /// A quantile of the values. Not of windows.
    Quantile(Quantile),
    /// How far numbers lie from their mean. Not of windows.
    Spread(Spread),
    /// How two numbers go together. Not of windows.
    Together(Together),
    /// The value of the column in the row in which the other one is greatest, or least: the least such value. Of the column's kind. Not of
    /// windows.
    Best {
        /// Whether it is the row in which the other column is greatest.
        greatest: bool,
    },
}

/// How far numbers lie from their mean, a [`Kind::Fixed`].
///
/// Of `n` raw values `x`, let `q` be their mean, rounded down to an integer; of numbers in fixed point, zero. The variance is the sum of
/// `(x - q)^2` divided by `n`, less the product of the sum of `x - q` divided by `n` and once more the same, each rounded down to the kind's
/// fraction; not less than zero. Squares of fixed point are rounded down to its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The numbers are a sample: the first and the third divisor is one less, and of one number it is null.
    pub sample: bool,
    /// The root of the variance, rounded down.
    pub root: bool,
}

/// How two numbers go together, a [`Kind::Fixed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// The covariance: as the variance in [`Spread`], with the second number in place of the second factor, and perhaps less than zero.
    Covariance {
        /// The numbers are a sample.
        sample: bool,
    },
    /// The covariance divided by the product of both deviations, from -1 to 1, each rounded down; null where that product is zero.
    Correlation,
}

/// A part `q` of the way through values in ascending order: an exact fraction from 0 to 1, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile {
    /// Its numerator.
    pub numerator: u32,
    /// Its denominator.
    pub denominator: u32,
    /// Of `c` values: `false` takes the one of number `ceil(c q)`, or the first, of the column's kind. `true` goes to `(c - 1) q`,
    /// counted from zero, between two numbers in proportion: a [`Kind::Fixed`], rounded down to the kind's fraction.
    pub between: bool,
}

impl Quantile {
    /// The greatest denominator.
    pub const FINEST: u32 = 1_000_000;

    /// `numerator / denominator`; none unless it is from 0 to 1 and, in lowest terms, the denominator is at most [`Quantile::FINEST`].
    #[must_use]
    pub fn new(numerator: u128, denominator: u128, between: bool) -> Option<Self> {
        let (mut by, mut rest) = (denominator, numerator);
        while rest > 0 {
            (by, rest) = (rest, by % rest);
        }
        let numerator = u32::try_from(numerator.checked_div(by)?).ok()?;
        let denominator = u32::try_from(denominator.checked_div(by)?).ok()?;
        let fits = numerator <= denominator && (1..=Self::FINEST).contains(&denominator);
        fits.then_some(Quantile { numerator, denominator, between })
    }
}

/// A value that is computed for each row.
#[derive(Clone, Debug)]
pub struct Expr {
    /// How.
    pub compute: Compute,
    /// What it is.
    pub kind: Kind,
    /// Whether it may be null.
    pub nullable: bool,
    /// Where the user wrote it.
    pub span: Span,
}

/// Operations on the values of a row. Where nothing else is said, the result is null where an operand is.
#[derive(Clone, Debug)]
pub enum Compute {
    /// A column of the input.
    Column(usize),
    /// A raw value, or null.
    Literal(Option<i128>),
    /// The only value of a plan with one column and one row that does not depend on this row: a scalar subquery. Null where the plan
    /// has no row.
    Scalar(Box<Plan>),
    /// The operand as the expression's kind. Decimals get more digits exactly; fewer digits, and decimals from fixed point, by rounding to
    /// the nearest, half away from zero. Fixed point from decimals, and to fewer bits, is rounded down. Bits become 0 and 1.
    Convert(Box<Expr>),
    /// The negative of a number, of its kind.
    Negate(Box<Expr>),
    /// The absolute value of a number, of its kind.
    Absolute(Box<Expr>),
    /// An operation on two operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// Whether a bit is zero.
    Not(Box<Expr>),
    /// Whether the operand is null. Never null.
    IsNull(Box<Expr>),
    /// The value behind the first condition that is true, else the last: conditions are bits, values of the expression's kind.
    Case(Vec<(Expr, Expr)>, Box<Expr>),
    /// The first operand that is not null: all of the expression's kind.
    Coalesce(Vec<Expr>),
    /// The least of the operands, or the greatest, that are not null: all of the expression's kind.
    Extreme {
        /// Greatest.
        greatest: bool,
        /// The operands.
        of: Vec<Expr>,
    },
    /// The root of a number in fixed point, rounded down to its fraction; null where that is less than zero.
    Root(Box<Expr>),
    /// How many of some raw values, which are in ascending order, are at most the operand: an integer.
    Bucket(Box<Expr>, Vec<i128>),
    /// A part of a date, an integer.
    DatePart(DatePart, Box<Expr>),
    /// A function of a text, for its owner to compute: SQL is bound with it, and no whole query has it, but columns of tables.
    OfText(Arc<TextFunction>, Box<Expr>),
}

/// What is wrong with a function of a text where its owner is to have computed it.
pub(crate) const LETTERS: &str = "nobody but their owner knows the letters of texts";

/// Operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum of numbers of one kind, which is the result's. Or a date that many days, an integer, later.
    Add,
    /// The difference of numbers of one kind. Or a date that many days earlier. Or the days between two dates.
    Subtract,
    /// The product of decimals: the scales of the operands add to that of the result. Or of two numbers in fixed point with one
    /// fraction, rounded down to it.
    Multiply,
    /// The quotient of numbers in fixed point with one fraction, rounded down to it; null where the divisor is zero.
    Divide,
    /// The quotient of integers, rounded towards zero; null where the divisor is zero.
    IntegerDivide,
    /// What remains of the first integer after [`Operator::IntegerDivide`]: it has its sign. Null where the divisor is zero.
    Remainder,
    /// Whether values of one kind are equal: a bit.
    Equal,
    /// Whether the first value of one kind is less: a bit. Categories are ordered as their list is.
    Less,
    /// Whether the first value of one kind is at most the second: a bit.
    LessOrEqual,
    /// Whether both bits are one; zero where one of them is zero, even if the other is null.
    And,
    /// Whether a bit is one; one where one of them is one, even if the other is null.
    Or,
}

/// Parts of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatePart {
    /// The year.
    Year,
    /// 1 to 4.
    Quarter,
    /// 1 to 12.
    Month,
    /// The day of the month, from 1.
    Day,
    /// The day of the week: Sunday is 0, as in DuckDB's `dayofweek`.
    Weekday,
}

impl Plan {
    /// The plans that it reads.
    #[must_use]
    pub fn inputs(&self) -> Vec<&Plan> {
        match &self.node {
            Node::Scan(_) => Vec::new(),
            Node::Union(inputs) => inputs.iter().collect(),
            Node::Filter { input, .. }
            | Node::Project { input, .. }
            | Node::Group { input, .. }
            | Node::Window { input, .. }
            | Node::First { input, .. } => vec![input],
            Node::Join { left, right, .. } | Node::Match { left, right, .. } => vec![left, right],
        }
    }

    pub(crate) fn inputs_mut(&mut self) -> Vec<&mut Plan> {
        match &mut self.node {
            Node::Scan(_) => Vec::new(),
            Node::Union(inputs) => inputs.iter_mut().collect(),
            Node::Filter { input, .. }
            | Node::Project { input, .. }
            | Node::Group { input, .. }
            | Node::Window { input, .. }
            | Node::First { input, .. } => vec![input],
            Node::Join { left, right, .. } | Node::Match { left, right, .. } => vec![left, right],
        }
    }

    /// The expressions of its operator.
    #[must_use]
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.node {
            Node::Filter { condition, .. } => vec![condition],
            Node::Project { columns, .. } => columns.iter().collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.node {
            Node::Filter { condition, .. } => vec![condition],
            Node::Project { columns, .. } => columns.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// A plan without rows and columns, which stands where one has been taken.
    pub(crate) fn nothing() -> Self {
        Plan { node: Node::Union(Vec::new()), fields: Vec::new(), span: Span::default() }
    }

    /// The groups that [`Query::min_rows`] is about: on each way down from what is shown, the first ones; of groups that are alike and
    /// of those that both sides have, or one alone, these. Rows that a group counts are those of its input.
    ///
    /// # Errors
    /// If rows are shown that are not of groups, or values of subqueries that may be of few rows; with the place and what to do.
    pub fn shown_groups(&self) -> Result<Vec<&Plan>> {
        self.check_subqueries()?;
        self.first_groups()
    }

    fn first_groups(&self) -> Result<Vec<&Plan>> {
        match &self.node {
            Node::Filter { input, .. }
            | Node::Project { input, .. }
            | Node::Window { input, .. }
            | Node::First { input, .. } => input.first_groups(),
            Node::Group { keys, .. } if keys.is_empty() => {
                let what = "min_rows leaves out groups of few rows, and this is one row of all rows, from which what is left out may follow: add GROUP BY, or leave out min_rows or this row";
                Err(QueryError::new(&self.span, what))
            }
            Node::Group { input, aggregates, .. }
                if aggregates.is_empty() || self.compares_sides() =>
            {
                match input.first_groups() {
                    // Of groups that are alike, each once.
                    Ok(groups) => Ok(groups),
                    // Beside groups there are rows of tables.
                    Err(error) if input.is_partly_groups() => Err(error),
                    Err(_) => Ok(vec![self]),
                }
            }
            Node::Group { .. } => Ok(vec![self]),
            Node::Union(inputs) => {
                let groups = inputs.iter().map(Plan::first_groups);
                Ok(groups.collect::<Result<Vec<_>>>()?.concat())
            }
            Node::Join { left, right, .. } => {
                Ok([left.first_groups()?, right.first_groups()?].concat())
            }
            Node::Match { left, .. } => left.first_groups(),
            Node::Scan(_) => {
                let what = "min_rows leaves out groups of few rows, and here rows of a table are shown as they are: add GROUP BY, join tables before it, or leave min_rows out";
                Err(QueryError::new(&self.span, what))
            }
        }
    }

    /// Whether it is what INTERSECT and EXCEPT are bound as: groups of equal rows of which it is asked which sides they are of.
    fn compares_sides(&self) -> bool {
        let Node::Group { input, aggregates, .. } = &self.node else { return false };
        let Node::Union(sides) = &input.node else { return false };
        let of_side = |it: &Aggregate| {
            let column = it.column.filter(|_| it.function == Function::Max);
            column.is_some_and(|column| sides.iter().all(|side| side.has_literal(column)))
        };
        aggregates.len() == 2 && aggregates.iter().all(of_side)
    }

    /// Whether a column is a bit that is written down.
    fn has_literal(&self, column: usize) -> bool {
        match &self.node {
            Node::Project { columns, .. } => matches!(
                columns.get(column),
                Some(Expr { compute: Compute::Literal(Some(_)), kind: Kind::Bit, .. })
            ),
            _ => false,
        }
    }

    /// Whether some of its rows are groups, as in a union.
    fn is_partly_groups(&self) -> bool {
        match &self.node {
            Node::Filter { input, .. }
            | Node::Project { input, .. }
            | Node::Window { input, .. }
            | Node::First { input, .. } => input.is_partly_groups(),
            Node::Union(inputs) => inputs.iter().any(Plan::is_partly_groups),
            _ => self.first_groups().is_ok(),
        }
    }

    /// Refuses subqueries that stand for a value, wherever they are, unless they are aggregates of all rows of tables.
    fn check_subqueries(&self) -> Result<()> {
        self.exprs().into_iter().try_for_each(Expr::check_subqueries)?;
        self.inputs().into_iter().try_for_each(Plan::check_subqueries)
    }

    /// Whether it is one row of aggregates of columns of all rows of tables.
    fn is_of_whole_tables(&self) -> bool {
        match &self.node {
            Node::Project { input, .. } => input.is_of_whole_tables(),
            Node::Group { input, keys, .. } => keys.is_empty() && input.is_whole_tables(),
            _ => false,
        }
    }

    /// Whether it has all rows of tables, with columns as they are.
    fn is_whole_tables(&self) -> bool {
        match &self.node {
            Node::Scan(_) => true,
            Node::Union(inputs) => inputs.iter().all(Plan::is_whole_tables),
            Node::Project { input, columns } => {
                columns.iter().all(Expr::is_as_it_is) && input.is_whole_tables()
            }
            _ => false,
        }
    }

    /// Whether no two of its rows have equal values in some columns, rows with nulls in these aside. It follows from the plan, or from
    /// what a catalog says, if there is one, of its tables.
    #[must_use]
    pub fn has_key(&self, columns: &[usize], catalog: Option<&Catalog>) -> bool {
        match &self.node {
            Node::Scan(table) => {
                let unique = catalog
                    .and_then(|catalog| catalog.tables.get(*table))
                    .map(|table| &table.unique);
                unique.is_some_and(|sets| {
                    sets.iter().any(|set| set.iter().all(|column| columns.contains(column)))
                })
            }
            Node::Union(_) => false,
            Node::Group { keys, .. } => (0..keys.len()).all(|key| columns.contains(&key)),
            Node::Filter { input, condition } => {
                // What is the same in all rows tells none of them apart.
                let mut columns = columns.to_vec();
                condition.mark_fixed(&mut columns);
                input.has_key(&columns, catalog)
            }
            Node::First { input, .. } => input.has_key(columns, catalog),
            Node::Window { input, partition, calls, .. } => {
                let width = input.fields.len();
                let number = calls.iter().position(|call| call.function == Ranged::Number);
                let numbered = number.is_some_and(|number| {
                    partition.iter().chain([&(width + number)]).all(|it| columns.contains(it))
                });
                let own = columns.iter().copied().filter(|column| *column < width);
                numbered || input.has_key(&own.collect::<Vec<_>>(), catalog)
            }
            Node::Match { left, .. } => left.has_key(columns, catalog),
            Node::Join { left, right, on, .. } => {
                let of_left: Vec<usize> =
                    columns.iter().copied().filter(|column| *column < left.fields.len()).collect();
                let of_right =
                    columns.iter().filter_map(|column| column.checked_sub(left.fields.len()));
                let keys: Vec<usize> =
                    on.iter().map(|(_, column)| *column).chain(of_right).collect();
                left.has_key(&of_left, catalog) && right.has_key(&keys, catalog)
            }
            Node::Project { input, columns: made } => {
                let columns =
                    columns.iter().filter_map(|column| match made.get(*column)?.compute {
                        Compute::Column(column) => Some(column),
                        _ => None,
                    });
                input.has_key(&columns.collect::<Vec<_>>(), catalog)
            }
        }
    }
}

impl Aggregate {
    /// The columns that it is of.
    #[must_use]
    pub fn columns(&self) -> Vec<usize> {
        self.column.into_iter().chain(self.other).collect()
    }

    /// Makes it one of other columns: of each, the number that it has now.
    pub(crate) fn renumber(&mut self, places: &[usize]) {
        for column in self.column.iter_mut().chain(&mut self.other) {
            *column = places[*column];
        }
    }
}

impl Function {
    /// Whether it may be null of a group in which values count.
    #[must_use]
    pub fn may_be_null(self) -> bool {
        match self {
            Function::Spread(spread) => spread.sample,
            Function::Together(together) => together != Together::Covariance { sample: false },
            _ => false,
        }
    }

    /// Whether it is computed of sums.
    #[must_use]
    pub fn is_additive(self) -> bool {
        match self {
            Function::Count | Function::Sum | Function::Mean => true,
            Function::Spread(_) | Function::Together(_) => true,
            Function::Min | Function::Max | Function::Quantile(_) | Function::Best { .. } => false,
        }
    }

    /// Whether there is one of windows.
    #[must_use]
    pub fn is_ranged(self) -> bool {
        use Function::{Count, Max, Mean, Min, Sum};
        matches!(self, Count | Sum | Mean | Min | Max)
    }
}

impl Expr {
    /// See [`Plan::shown_groups`].
    fn check_subqueries(&self) -> Result<()> {
        if let Compute::Scalar(plan) = &self.compute
            && !plan.is_of_whole_tables()
        {
            let what = "min_rows leaves out groups of few rows, and the value of this subquery may be of few rows, too: with min_rows such a value is an aggregate of columns of whole tables, without \
                        conditions, joins and groups";
            return Err(QueryError::new(&plan.span, what));
        }
        self.operands().into_iter().try_for_each(Expr::check_subqueries)
    }

    /// Whether it is a column, perhaps of another kind of number, or written down.
    fn is_as_it_is(&self) -> bool {
        match &self.compute {
            Compute::Column(_) | Compute::Literal(_) => true,
            Compute::Convert(of) => of.is_as_it_is(),
            _ => false,
        }
    }

    /// Whether it has more parts than people write, as some have that stand for others several times.
    pub(crate) fn is_larger_than(&self, parts: usize) -> bool {
        fn left(expr: &Expr, parts: usize) -> Option<usize> {
            let left_over = parts.checked_sub(1)?;
            expr.operands().into_iter().try_fold(left_over, |parts, operand| left(operand, parts))
        }
        left(self, parts).is_none()
    }

    /// A column of some fields.
    pub(crate) fn column(number: usize, fields: &[Field], span: &Span) -> Self {
        let Field { kind, nullable, .. } = fields[number].clone();
        Expr { compute: Compute::Column(number), kind, nullable, span: span.clone() }
    }

    /// What stands where an expression has been taken.
    pub(crate) fn nothing() -> Self {
        let (compute, kind, span) = (Compute::Literal(None), Kind::Bit, Span::default());
        Expr { compute, kind, nullable: true, span }
    }

    /// Whether it computes the same as another one.
    #[must_use]
    pub fn same(&self, other: &Expr) -> bool {
        same(self, other)
    }

    /// The expressions that it is made of.
    #[must_use]
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.compute {
            Compute::Column(_) | Compute::Literal(_) | Compute::Scalar(_) => Vec::new(),
            Compute::Convert(a)
            | Compute::Negate(a)
            | Compute::Absolute(a)
            | Compute::Not(a)
            | Compute::IsNull(a)
            | Compute::Root(a)
            | Compute::Bucket(a, _)
            | Compute::DatePart(_, a)
            | Compute::OfText(_, a) => vec![a],
            Compute::Binary(_, a, b) => vec![a, b],
            Compute::Case(branches, last) => {
                let branches = branches.iter().flat_map(|(condition, value)| [condition, value]);
                branches.chain([last.as_ref()]).collect()
            }
            Compute::Coalesce(of) | Compute::Extreme { of, .. } => of.iter().collect(),
        }
    }

    pub(crate) fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.compute {
            Compute::Column(_) | Compute::Literal(_) | Compute::Scalar(_) => Vec::new(),
            Compute::Convert(a)
            | Compute::Negate(a)
            | Compute::Absolute(a)
            | Compute::Not(a)
            | Compute::IsNull(a)
            | Compute::Root(a)
            | Compute::Bucket(a, _)
            | Compute::DatePart(_, a)
            | Compute::OfText(_, a) => vec![a],
            Compute::Binary(_, a, b) => vec![a, b],
            Compute::Case(branches, last) => {
                let branches =
                    branches.iter_mut().flat_map(|(condition, value)| [condition, value]);
                branches.chain([last.as_mut()]).collect()
            }
            Compute::Coalesce(of) | Compute::Extreme { of, .. } => of.iter_mut().collect(),
        }
    }

    /// Marks the columns that it is of.
    pub fn mark_columns(&self, used: &mut [bool]) {
        if let Compute::Column(column) = self.compute
            && let Some(used) = used.get_mut(column)
        {
            *used = true;
        }
        self.operands().into_iter().for_each(|operand| operand.mark_columns(used));
    }

    /// Adds the columns that have one value in all rows for which this condition holds.
    fn mark_fixed(&self, columns: &mut Vec<usize>) {
        match &self.compute {
            Compute::Binary(Operator::And, a, b) => {
                a.mark_fixed(columns);
                b.mark_fixed(columns);
            }
            Compute::Binary(Operator::Equal, a, b) => match (&a.compute, &b.compute) {
                (Compute::Column(column), Compute::Literal(_))
                | (Compute::Literal(_), Compute::Column(column)) => columns.push(*column),
                _ => {}
            },
            _ => {}
        }
    }

    /// Makes it one of other columns: of each, the number that it has now.
    pub fn renumber(&mut self, places: &[usize]) {
        self.move_columns(&mut |column| places.get(column).copied().unwrap_or(column));
    }

    /// Makes it one of other columns, whose numbers follow from those of its own.
    pub fn move_columns(&mut self, place: &mut impl FnMut(usize) -> usize) {
        if let Compute::Column(column) = &mut self.compute {
            *column = place(*column);
        }
        self.operands_mut().into_iter().for_each(|operand| operand.move_columns(place));
    }
}

/// Whether two expressions compute the same.
fn same(a: &Expr, b: &Expr) -> bool {
    let pairs =
        |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    a.kind == b.kind
        && match (&a.compute, &b.compute) {
            (Compute::Column(a), Compute::Column(b)) => a == b,
            (Compute::Literal(a), Compute::Literal(b)) => a == b,
            (Compute::Convert(a), Compute::Convert(b))
            | (Compute::Negate(a), Compute::Negate(b))
            | (Compute::Absolute(a), Compute::Absolute(b))
            | (Compute::Not(a), Compute::Not(b))
            | (Compute::IsNull(a), Compute::IsNull(b))
            | (Compute::Root(a), Compute::Root(b)) => same(a, b),
            (Compute::Binary(f, a, b), Compute::Binary(g, c, d)) => {
                f == g && same(a, c) && same(b, d)
            }
            (Compute::Coalesce(a), Compute::Coalesce(b)) => pairs(a, b),
            (Compute::Extreme { greatest: f, of: a }, Compute::Extreme { greatest: g, of: b }) => {
                f == g && pairs(a, b)
            }
            (Compute::DatePart(f, a), Compute::DatePart(g, b)) => f == g && same(a, b),
            (Compute::OfText(f, a), Compute::OfText(g, b)) => f == g && same(a, b),
            (Compute::Bucket(a, f), Compute::Bucket(b, g)) => f == g && same(a, b),
            (Compute::Case(f, a), Compute::Case(g, b)) => {
                f.len() == g.len()
                    && same(a, b)
                    && f.iter().zip(g).all(|((a, b), (c, d))| same(a, c) && same(b, d))
            }
            _ => false,
        }
}
