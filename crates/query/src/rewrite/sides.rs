//! What is about one side of a join, computed before it: of fewer rows, and where it is about one party's columns by that party alone.

use super::nulls::{if_known, unsettled};
use super::with_inputs;
use crate::plan::{Compute, Expr, Field, Node, Operator, Plan};
use crate::show;

/// A plan in which joins carry what is computed of one of their sides, and not what it is computed from.
pub(super) fn on_their_sides(plan: Plan) -> Plan {
    with_inputs(moved(plan), on_their_sides)
}

/// The join under some filters.
fn join_below(plan: &Plan) -> Option<&Plan> {
    match &plan.node {
        Node::Join { .. } => Some(plan),
        Node::Filter { input, .. } => join_below(input),
        _ => None,
    }
}

/// A projection or filters of a join, with what is about one side computed there.
fn moved(plan: Plan) -> Plan {
    let join = match &plan.node {
        Node::Project { input, .. } => join_below(input),
        Node::Filter { input, .. } => join_below(input),
        _ => None,
    };
    let Some(Plan { node: Node::Join { left, right, outer, .. }, .. }) = join else { return plan };
    let sides = Sides { widths: [left.fields.len(), right.fields.len()], outer: *outer };
    let mut found = [Vec::new(), Vec::new()];
    sides.collect_all(&plan, &mut found);
    if found.iter().all(Vec::is_empty) {
        return plan;
    }
    let mut plan = match plan.node {
        Node::Project { .. } => plan,
        // What is added for a filter ends with it.
        _ => {
            let all = 0..plan.fields.len();
            let columns =
                all.map(|column| Expr::column(column, &plan.fields, &plan.span)).collect();
            let (fields, span) = (plan.fields.clone(), plan.span.clone());
            Plan { node: Node::Project { input: Box::new(plan), columns }, fields, span }
        }
    };
    sides.replace(&mut plan, &found);
    plan
}

/// The sides of a join.
struct Sides {
    widths: [usize; 2],
    outer: bool,
}

impl Sides {
    /// Finds what is computed of one side, in all that stands above a join.
    fn collect_all(&self, plan: &Plan, found: &mut [Vec<Expr>; 2]) {
        plan.exprs().into_iter().for_each(|expr| self.collect(expr, found));
        if let Node::Project { input, .. } | Node::Filter { input, .. } = &plan.node {
            self.collect_all(input, found);
        }
    }

    fn collect(&self, expr: &Expr, found: &mut [Vec<Expr>; 2]) {
        match self.side(expr) {
            Some(side) => {
                if !found[side].iter().any(|known| known.same(expr)) {
                    found[side].push(expr.clone());
                }
            }
            None => expr.operands().into_iter().for_each(|operand| self.collect(operand, found)),
        }
    }

    /// The side that an expression is better computed on.
    fn side(&self, expr: &Expr) -> Option<usize> {
        if is_free(expr) || has_subquery(expr) {
            return None;
        }
        let mut used = vec![false; self.widths[0] + self.widths[1]];
        expr.mark_columns(&mut used);
        let (left, right) = used.split_at(self.widths[0]);
        match [left, right].map(|side| side.contains(&true)) {
            [true, false] => Some(0),
            // Where a row has no match, all is null there: what is computed must be, too.
            [false, true] if !self.outer || !if_known(expr).is_empty() => Some(1),
            _ => None,
        }
    }

    /// Adds columns to the sides of the join below, and has them stand for what they are.
    fn replace(&self, plan: &mut Plan, found: &[Vec<Expr>; 2]) {
        for expr in plan.exprs_mut() {
            self.replace_in(expr, found);
        }
        match &mut plan.node {
            Node::Project { input, .. } => self.replace(input, found),
            Node::Filter { input, .. } => {
                self.replace(input, found);
                plan.fields.clone_from(&input.fields);
            }
            Node::Join { left, right, outer, .. } => {
                extend(left, &found[0], 0);
                extend(right, &found[1], self.widths[0]);
                let others = right.fields.iter().cloned();
                let others = others.map(|it| Field { nullable: it.nullable || *outer, ..it });
                let fields = left.fields.iter().cloned().chain(others).collect();
                plan.fields = fields;
            }
            _ => {}
        }
    }

    fn replace_in(&self, expr: &mut Expr, found: &[Vec<Expr>; 2]) {
        let [left, right] = self.widths;
        let added = found[0].len();
        let place = |side: usize, number: usize| match side {
            0 => left + number,
            _ => left + added + right + number,
        };
        for (side, all) in found.iter().enumerate() {
            if let Some(number) = all.iter().position(|known| known.same(expr)) {
                expr.compute = Compute::Column(place(side, number));
                expr.nullable |= side == 1 && self.outer;
                return;
            }
        }
        match &mut expr.compute {
            Compute::Column(column) if *column >= left => *column += added,
            _ => expr.operands_mut().into_iter().for_each(|it| self.replace_in(it, found)),
        }
    }
}

/// A side of a join with further columns, which are computed of its own ones, from the number `first` on.
fn extend(side: &mut Plan, with: &[Expr], first: usize) {
    if with.is_empty() {
        return;
    }
    let input = std::mem::replace(side, Plan::nothing());
    let (mut fields, span) = (input.fields.clone(), input.span.clone());
    let mut columns: Vec<Expr> =
        (0..fields.len()).map(|column| Expr::column(column, &fields, &span)).collect();
    for expr in with {
        let mut own = expr.clone();
        own.move_columns(&mut |column| column - first);
        // What conditions above the join say of it does not hold here yet.
        unsettled(&mut own, &fields);
        let (kind, nullable) = (own.kind.clone(), own.nullable);
        fields.push(Field { name: show::expr(&own, &fields), kind, nullable });
        columns.push(own);
    }
    *side = Plan { node: Node::Project { input: Box::new(input), columns }, fields, span };
}

/// Whether an expression costs next to nothing wherever it is computed.
fn is_free(expr: &Expr) -> bool {
    let literal = |of: &Expr| matches!(of.compute, Compute::Literal(_));
    let free = match &expr.compute {
        Compute::Column(_)
        | Compute::Literal(_)
        | Compute::Negate(_)
        | Compute::Not(_)
        | Compute::IsNull(_)
        | Compute::Binary(Operator::Add | Operator::Subtract, ..) => true,
        Compute::Convert(of) => expr.kind.is_finer(&of.kind),
        Compute::Binary(Operator::Multiply, a, b) => {
            !matches!(expr.kind, crate::kind::Kind::Fixed { .. }) && (literal(a) || literal(b))
        }
        _ => false,
    };
    free && expr.operands().into_iter().all(is_free)
}

fn has_subquery(expr: &Expr) -> bool {
    matches!(expr.compute, Compute::Scalar(_)) || expr.operands().into_iter().any(has_subquery)
}
