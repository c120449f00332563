//! Window functions: `f(..) OVER (..)`.
//!
//! Windows are of what `FROM`, `WHERE` and `GROUP BY` give. While expressions are bound, what windows compute has column numbers of its
//! own, from [`MADE`] on; when it is known what there is, columns that are used, and what windows are of, become the columns of one
//! table, on which one operator stands for each different `OVER`.

use super::expr::Rows;
use super::from::{filtered, projected};
use super::function::{Asked, aggregate_of};
use super::typing::condition;
use super::{At, Binder};
use crate::error::Result;
use crate::kind::{INTEGER, Kind};
use crate::plan::{Call, Compute, Expr, Field, Frame, Function, Node, OrderKey, Plan, Ranged};
use sqlparser::ast::{
    self, Expr as Ast, NamedWindowDefinition, NamedWindowExpr, Value, WindowFrameBound,
    WindowFrameUnits, WindowSpec, WindowType,
};
use tacit_program::Span;

/// The number of the first column that windows compute, while it is not known how many others there are.
const MADE: usize = 1 << 32;
/// How far `lag`, `lead` and frames may reach.
const FARTHEST: u64 = 1_000_000;

const FUNCTIONS: &str = "row_number, rank, dense_rank, lag, lead, first_value, last_value, count, sum, avg, min and max";
const FAR: &str = "how far lag and lead look is a number that is written out, from 0 on: of a negative one, the other function says the same";
const FRAMES: &str = "of frames there are ROWS or RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, \
     BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, and ROWS BETWEEN n PRECEDING AND CURRENT ROW";

/// The windows of a SELECT.
#[derive(Clone, Default)]
pub(super) struct Windows {
    /// Those that WINDOW names.
    named: Vec<NamedWindowDefinition>,
    sorted: Vec<Sorted>,
    /// Of each column that is computed the window, and its number there.
    made: Vec<(usize, usize)>,
}

/// Rows in partitions, and in an order.
#[derive(Clone)]
struct Over {
    partition: Vec<Expr>,
    by: Vec<(Expr, OrderKey)>,
}

/// Such rows, and what is computed of them.
#[derive(Clone)]
struct Sorted {
    over: Over,
    calls: Vec<(Ranged, Option<Expr>, Field, Span)>,
}

impl Over {
    /// Whether rows of other partitions, in another order, are in these. Whole partitions need no order; all rows together need no sort
    /// then, and stand alone.
    fn serves(&self, other: &Over) -> bool {
        let mut partitions = self.partition.iter().zip(&other.partition);
        let mut orders = self.by.iter().zip(&other.by);
        let unordered = self.by.is_empty() || other.by.is_empty();
        self.partition.len() == other.partition.len()
            && partitions.all(|(a, b)| a.same(b))
            && (unordered && !self.partition.is_empty()
                || self.by.len() == other.by.len()
                    && orders.all(|((a, x), (b, y))| a.same(b) && x == y))
    }
}

impl Windows {
    /// No windows yet, some of which may be named.
    pub fn new(named: &[NamedWindowDefinition]) -> Self {
        Windows { named: named.to_vec(), ..Windows::default() }
    }

    /// Whether there are some.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// The column of what is computed, once however often it is asked for.
    fn column(
        &mut self,
        over: &Over,
        (function, argument): (Ranged, Option<Expr>),
        (kind, nullable): (Kind, bool),
        span: &Span,
    ) -> Expr {
        let known = self.sorted.iter().position(|sorted| sorted.over.serves(over));
        let at = known.unwrap_or_else(|| {
            self.sorted.push(Sorted { over: over.clone(), calls: Vec::new() });
            self.sorted.len() - 1
        });
        if self.sorted[at].over.by.is_empty() {
            self.sorted[at].over.by.clone_from(&over.by);
        }
        let calls = &mut self.sorted[at].calls;
        let known = calls.iter().position(|(known, of, ..)| {
            *known == function
                && match (of, &argument) {
                    (Some(a), Some(b)) => a.same(b),
                    (a, b) => a.is_none() && b.is_none(),
                }
        });
        let number = known.unwrap_or_else(|| {
            let name = format!("window {}", self.made.len() + 1);
            let field = Field { name, kind: kind.clone(), nullable };
            calls.push((function, argument, field, span.clone()));
            calls.len() - 1
        });
        let made = self.made.iter().position(|made| *made == (at, number));
        let made = made.unwrap_or_else(|| {
            self.made.push((at, number));
            self.made.len() - 1
        });
        Expr { compute: Compute::Column(MADE + made), kind, nullable, span: span.clone() }
    }

    /// The plan of some columns, of rows for which a condition holds.
    pub fn plan(
        self,
        input: Plan,
        mut columns: Vec<(Expr, String)>,
        mut kept: Option<Expr>,
        span: &Span,
    ) -> Plan {
        let mut used = vec![false; input.fields.len()];
        for expr in columns.iter().map(|(expr, _)| expr).chain(&kept) {
            expr.mark_columns(&mut used);
        }
        let mut base: Vec<(Expr, String)> = Vec::new();
        let mut places = vec![0; used.len()];
        for (number, field) in input.fields.iter().enumerate().filter(|(number, _)| used[*number]) {
            places[number] = base.len();
            let (compute, kind) = (Compute::Column(number), field.kind.clone());
            let (nullable, span) = (field.nullable, span.clone());
            base.push((Expr { compute, kind, nullable, span }, field.name.clone()));
        }
        let mut place = |expr: &Expr| {
            let known = base.iter().position(|(known, _)| known.same(expr));
            known.unwrap_or_else(|| {
                let name = match expr.compute {
                    Compute::Column(column) => input.fields.get(column).map(|it| it.name.clone()),
                    _ => None,
                };
                let name = name.unwrap_or_else(|| format!("term {}", base.len() + 1));
                base.push((expr.clone(), name));
                base.len() - 1
            })
        };
        let mut nodes = Vec::new();
        for sorted in &self.sorted {
            let partition: Vec<usize> = sorted.over.partition.iter().map(&mut place).collect();
            let mut by = Vec::new();
            for (expr, key) in &sorted.over.by {
                by.push(OrderKey { column: place(expr), ..*key });
            }
            let (mut calls, mut fields) = (Vec::new(), Vec::new());
            for (function, argument, field, span) in &sorted.calls {
                let column = argument.as_ref().map(&mut place);
                calls.push(Call { function: *function, column, span: span.clone() });
                fields.push(field.clone());
            }
            nodes.push((partition, by, calls, fields));
        }
        let mut plan = projected(input, base);
        let mut firsts = Vec::new();
        for (partition, by, calls, made) in nodes {
            firsts.push(plan.fields.len());
            let fields = plan.fields.iter().cloned().chain(made).collect();
            let node = Node::Window { input: Box::new(plan), partition, by, calls };
            plan = Plan { node, fields, span: span.clone() };
        }
        let mut moved = |column: usize| match column.checked_sub(MADE) {
            Some(made) => self.made.get(made).map_or(0, |(at, number)| firsts[*at] + number),
            None => places.get(column).copied().unwrap_or(column),
        };
        let all = columns.iter_mut().map(|(expr, _)| expr);
        all.chain(kept.as_mut()).for_each(|expr| expr.move_columns(&mut moved));
        let plan = match kept {
            Some(kept) => filtered(plan, kept),
            None => plan,
        };
        projected(plan, columns)
    }
}

impl Binder<'_> {
    /// A window function.
    pub fn window(
        &mut self,
        function: &ast::Function,
        over: &WindowType,
        ast: &Ast,
        rows: &mut Rows<'_>,
    ) -> Result<Expr> {
        let Some(mut windows) = rows.windows.take() else {
            return self.error(ast, "a window function stands in SELECT, QUALIFY or ORDER BY, and not in another one: write it as a column of a subquery in FROM");
        };
        let bound = self.in_window(function, over, ast, rows, &mut windows);
        rows.windows = Some(windows);
        bound
    }

    fn in_window(
        &mut self,
        function: &ast::Function,
        over: &WindowType,
        ast: &Ast,
        rows: &mut Rows<'_>,
        windows: &mut Windows,
    ) -> Result<Expr> {
        let spec = self.spec(over, &windows.named, ast)?;
        let asked = self.asked(function, ast)?;
        if asked.distinct {
            return self.error(
                ast,
                "DISTINCT is not supported in a window: GROUP BY can count or sum distinct values",
            );
        }
        let window = self.over(&spec, rows)?;
        let frame = self.frame(&spec, ast)?;
        if let Some(of) = aggregate_of(&asked.name).filter(|of| of.is_ranged()) {
            let argument = self.argument(of, &asked, function, ast, rows)?;
            return self.ranged((of, argument), frame, (&window, windows), ast);
        }
        if function.filter.is_some() || asked.all {
            return self
                .error(ast, "only aggregates have FILTER or a star: count, sum, avg, min and max");
        }
        let names = [
            "row_number",
            "rank",
            "dense_rank",
            "lag",
            "lead",
            "first_value",
            "first",
            "last_value",
            "last",
        ];
        if !names.contains(&asked.name.as_str()) {
            let what =
                format!("there is no window function `{}` here: there are {FUNCTIONS}", asked.name);
            return self.error(ast, what);
        }
        if window.by.is_empty() {
            let what = format!(
                "{} needs an order: add ORDER BY to the window, or rows would be told apart by chance",
                asked.name
            );
            return self.error(ast, what);
        }
        self.of_ordered(&asked, frame, (rows, &window, windows), ast)
    }

    /// Partitions, and the order in them.
    fn over(&mut self, spec: &WindowSpec, rows: &mut Rows<'_>) -> Result<Over> {
        let mut partition = Vec::new();
        for of in &spec.partition_by {
            let key = self.expr(of, rows, None)?;
            if !matches!(key.compute, Compute::Literal(_)) {
                partition.push(key);
            }
        }
        let mut by = Vec::new();
        for of in &spec.order_by {
            let key = self.key(of, 0)?;
            by.push((self.expr(&of.expr, rows, None)?, key));
        }
        Ok(Over { partition, by })
    }

    /// A function of rows in an order.
    fn of_ordered(
        &mut self,
        asked: &Asked<'_>,
        frame: Frame,
        (rows, window, windows): (&mut Rows<'_>, &Over, &mut Windows),
        ast: &Ast,
    ) -> Result<Expr> {
        let span = self.span(ast);
        let name = asked.name.as_str();
        let ranked = match name {
            "row_number" => Some(Ranged::Number),
            "rank" => Some(Ranged::Rank),
            "dense_rank" => Some(Ranged::DenseRank),
            _ => None,
        };
        match (ranked, asked.arguments.as_slice()) {
            (Some(function), []) => {
                Ok(windows.column(window, (function, None), (INTEGER, false), &span))
            }
            (Some(_), _) => self.error(ast, format!("{name} has no arguments")),
            (None, arguments) if matches!(name, "lag" | "lead") => {
                let (of, by, other) = match arguments {
                    [of] => (*of, 1, None),
                    [of, by] => (*of, self.small(by, FAR)?, None),
                    [of, by, other] => (*of, self.small(by, FAR)?, Some(*other)),
                    _ => {
                        return self.error(ast, format!("{name} has an argument, then perhaps how many rows, and what stands where there is none"));
                    }
                };
                self.shifted((of, by, other), name == "lag", (rows, window, windows), ast)
            }
            (None, [of]) => {
                let of = self.expr(of, rows, None)?;
                let made = (of.kind.clone(), of.nullable);
                let function = match (name, frame) {
                    (_, Frame::Last(_)) => {
                        return self.error(ast, "first_value and last_value have frames that begin with the partition here: lag and lead can look back some rows");
                    }
                    ("first_value" | "first", _) => Ranged::First,
                    (_, frame) => Ranged::Last(frame),
                };
                Ok(windows.column(window, (function, Some(of)), made, &span))
            }
            (None, _) => self.error(ast, format!("{name} has one argument")),
        }
    }

    /// An aggregate of a frame.
    fn ranged(
        &self,
        (of, argument): (Function, Option<Expr>),
        frame: Frame,
        (window, windows): (&Over, &mut Windows),
        ast: &Ast,
    ) -> Result<Expr> {
        if matches!((of, frame), (Function::Min | Function::Max, Frame::Last(_))) {
            return self.error(ast, "min and max have frames that begin with the partition here: LEAST and GREATEST of lag(..) can look back some rows");
        }
        let fraction = match &argument {
            Some(Expr { kind: Kind::Fixed { fraction }, .. }) => *fraction,
            _ => self.fraction,
        };
        let (kind, nullable) = match (of, &argument) {
            (Function::Count, _) | (_, None) => (INTEGER, false),
            (Function::Mean, Some(of)) => (Kind::Fixed { fraction }, of.nullable),
            (_, Some(of)) => (of.kind.clone(), of.nullable),
        };
        let argument = match (of, argument) {
            (Function::Count, Some(of)) if !of.nullable => None,
            (_, argument) => argument,
        };
        let call = (Ranged::Aggregate(of, frame), argument);
        Ok(windows.column(window, call, (kind, nullable), &self.span(ast)))
    }

    /// `lag` and `lead`.
    fn shifted(
        &mut self,
        (of, by, other): (&Ast, u64, Option<&Ast>),
        back: bool,
        (rows, window, windows): (&mut Rows<'_>, &Over, &mut Windows),
        ast: &Ast,
    ) -> Result<Expr> {
        let span = self.span(ast);
        let mut of = vec![of];
        of.extend(other);
        let mut all = super::expr::alike(self.all(&of, rows, None)?)?.into_iter();
        let (Some(of), other) = (all.next(), all.next()) else {
            return self.error(ast, "lag and lead have an argument");
        };
        let by = i64::try_from(by).unwrap_or(i64::MAX);
        let function = Ranged::Shift(if back { -by } else { by });
        let (kind, nullable) = (of.kind.clone(), of.nullable);
        let value = windows.column(window, (function, Some(of)), (kind.clone(), true), &span);
        let Some(other) = other else { return Ok(value) };
        if !nullable {
            let nullable = other.nullable;
            let compute = Compute::Coalesce(vec![value, other]);
            return Ok(Expr { compute, kind, nullable, span });
        }
        let there = windows.column(window, (function, None), (Kind::Bit, false), &span);
        let compute = Compute::Case(vec![(there, value)], Box::new(other));
        Ok(Expr { compute, kind, nullable: true, span })
    }

    /// What an aggregate in a window is of: none if it counts rows.
    fn argument(
        &mut self,
        of: Function,
        asked: &Asked<'_>,
        function: &ast::Function,
        ast: &Ast,
        rows: &mut Rows<'_>,
    ) -> Result<Option<Expr>> {
        let mut bind = |binder: &mut Self, ast: &Ast| binder.expr(ast, rows, None);
        Ok(self.counted((of, asked, function), ast, &mut bind)?.0)
    }

    /// What OVER says, be it by name.
    fn spec(
        &self,
        over: &WindowType,
        named: &[NamedWindowDefinition],
        ast: &Ast,
    ) -> Result<WindowSpec> {
        let spec = match over {
            WindowType::WindowSpec(spec) => spec,
            WindowType::NamedWindow(name) => {
                let is = |of: &&NamedWindowDefinition| of.0.value.eq_ignore_ascii_case(&name.value);
                match named.iter().find(is).map(|of| &of.1) {
                    Some(NamedWindowExpr::WindowSpec(spec)) => spec,
                    Some(NamedWindowExpr::NamedWindow(_)) => {
                        return self.error(ast, "a window that only names another one is not supported: use the other's name");
                    }
                    None => {
                        let what =
                            format!("there is no window `{}`: name it behind WINDOW", name.value);
                        return self.error(&At(name), what);
                    }
                }
            }
        };
        match spec.window_name {
            None => Ok(spec.clone()),
            Some(_) => self.error(
                ast,
                "a window that continues another one is not supported: write out what it is",
            ),
        }
    }

    /// The rows that a function of a window is of. Without an order all rows are peers.
    fn frame(&self, spec: &WindowSpec, ast: &Ast) -> Result<Frame> {
        let whole = if spec.order_by.is_empty() { Frame::Whole } else { Frame::Peers };
        let Some(frame) = &spec.window_frame else { return Ok(whole) };
        let unsupported = || self.error(ast, FRAMES);
        let end = frame.end_bound.as_ref().unwrap_or(&WindowFrameBound::CurrentRow);
        let frame = match (frame.units, &frame.start_bound, end) {
            (WindowFrameUnits::Groups, ..) => return unsupported(),
            (_, WindowFrameBound::Preceding(None), WindowFrameBound::Following(None)) => {
                Frame::Whole
            }
            (units, WindowFrameBound::Preceding(None), WindowFrameBound::CurrentRow) => match units
            {
                WindowFrameUnits::Rows => Frame::Rows,
                _ => whole,
            },
            (
                WindowFrameUnits::Rows,
                WindowFrameBound::Preceding(Some(rows)),
                WindowFrameBound::CurrentRow,
            ) => Frame::Last(self.small(rows, FRAMES)?),
            _ => return unsupported(),
        };
        if matches!(frame, Frame::Rows | Frame::Last(_)) && spec.order_by.is_empty() {
            return self.error(ast, "a frame of ROWS needs an order: add ORDER BY to the window");
        }
        Ok(frame)
    }

    /// A number of rows, as it is written.
    fn small(&self, ast: &Ast, wanted: &str) -> Result<u64> {
        let digits = match ast {
            Ast::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse::<u64>().ok(),
                _ => None,
            },
            _ => None,
        };
        match digits.filter(|rows| *rows <= FARTHEST) {
            Some(rows) => Ok(rows),
            None => self.error(ast, wanted),
        }
    }

    /// What QUALIFY says.
    pub fn qualify(&mut self, ast: &Ast, rows: &mut Rows<'_>) -> Result<Expr> {
        condition(self.expr(ast, rows, Some(&Kind::Bit))?)
    }
}
