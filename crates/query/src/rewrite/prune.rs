//! Plans without columns that nobody uses.

use crate::plan::{Expr, Node, Plan};

/// A plan of the same columns, whose inputs have no others than they need, as far as that changes nothing.
pub(super) fn pruned(plan: Plan) -> Plan {
    let all = vec![true; plan.fields.len()];
    used(plan, &all).0
}

/// At least those columns of a plan that are wanted, in their order, and where all that are left have gone.
fn used(plan: Plan, wanted: &[bool]) -> (Plan, Vec<usize>) {
    let Plan { node, fields, span } = plan;
    let all: Vec<usize> = (0..fields.len()).collect();
    match node {
        Node::Scan(_) => (Plan { node, fields, span }, all),
        Node::Union(inputs) => {
            let node = Node::Union(inputs.into_iter().map(pruned).collect());
            (Plan { node, fields, span }, all)
        }
        Node::Filter { input, mut condition } => {
            let mut needed = wanted.to_vec();
            condition.mark_columns(&mut needed);
            let (input, places) = used(*input, &needed);
            condition.renumber(&places);
            let fields = kept(&fields, &places, input.fields.len());
            let node = Node::Filter { input: Box::new(input), condition };
            (Plan { node, fields, span }, places)
        }
        Node::Project { input, columns } => {
            // One column stays, so that there is a row.
            let none = !wanted.contains(&true);
            let stays = |place: usize| wanted[place] || none && place == 0;
            let mut needed = vec![false; input.fields.len()];
            let numbered = columns.into_iter().enumerate().filter(|(place, _)| stays(*place));
            let mut columns: Vec<Expr> = numbered.map(|(_, column)| column).collect();
            columns.iter().for_each(|column| column.mark_columns(&mut needed));
            let (input, inner) = used(*input, &needed);
            columns.iter_mut().for_each(|column| column.renumber(&inner));
            let places = places(&all.iter().map(|place| stays(*place)).collect::<Vec<_>>());
            let fields = kept(&fields, &places, columns.len());
            (Plan { node: Node::Project { input: Box::new(input), columns }, fields, span }, places)
        }
        Node::Group { input, keys, aggregates } => {
            let width = keys.len();
            // One aggregate stays, so that these are not rows that are each shown once: see `Plan::shown_groups`.
            let none = !wanted[width..].contains(&true);
            let stays = |place: usize| place < width || wanted[place] || none && place == width;
            let stays: Vec<bool> = all.iter().map(|place| stays(*place)).collect();
            let mut needed = vec![false; input.fields.len()];
            keys.iter().for_each(|key| needed[*key] = true);
            let numbered = aggregates.into_iter().zip(&stays[width..]).filter(|(_, stays)| **stays);
            let mut aggregates: Vec<_> = numbered.map(|(aggregate, _)| aggregate).collect();
            aggregates.iter().flat_map(|it| it.columns()).for_each(|it| needed[it] = true);
            let (input, inner) = used(*input, &needed);
            let keys = keys.iter().map(|key| inner[*key]).collect();
            aggregates.iter_mut().for_each(|it| it.renumber(&inner));
            let places = places(&stays);
            let fields = kept(&fields, &places, width + aggregates.len());
            let node = Node::Group { input: Box::new(input), keys, aggregates };
            (Plan { node, fields, span }, places)
        }
        Node::Join { left, right, on, outer, matches } => {
            let width = left.fields.len();
            let (mut of_left, mut of_right) = (wanted[..width].to_vec(), wanted[width..].to_vec());
            for (a, b) in &on {
                (of_left[*a], of_right[*b]) = (true, true);
            }
            let (left, first) = used(*left, &of_left);
            let (right, second) = used(*right, &of_right);
            let on = on.iter().map(|(a, b)| (first[*a], second[*b])).collect();
            let (now, all) = (left.fields.len(), left.fields.len() + right.fields.len());
            // Of what is gone the number is too large.
            let second = second.into_iter().map(|it| it.saturating_add(now));
            let places: Vec<usize> = first.into_iter().chain(second).collect();
            let fields = kept(&fields, &places, all);
            let (left, right) = (Box::new(left), Box::new(right));
            let node = Node::Join { left, right, on, outer, matches };
            (Plan { node, fields, span }, places)
        }
        Node::Match { left, right, on, anti } => {
            let mut of_left = wanted.to_vec();
            let mut of_right = vec![false; right.fields.len()];
            for (a, b) in &on {
                (of_left[*a], of_right[*b]) = (true, true);
            }
            let (left, places) = used(*left, &of_left);
            let (right, second) = used(*right, &of_right);
            let on = on.iter().map(|(a, b)| (places[*a], second[*b])).collect();
            let fields = kept(&fields, &places, left.fields.len());
            let (left, right) = (Box::new(left), Box::new(right));
            (Plan { node: Node::Match { left, right, on, anti }, fields, span }, places)
        }
        // Where rows are put in an order, all columns of their input decide which of equal rows comes first.
        Node::Window { input, partition, by, calls } => {
            let input = Box::new(pruned(*input));
            (Plan { node: Node::Window { input, partition, by, calls }, fields, span }, all)
        }
        Node::First { input, by, rows } => {
            let input = Box::new(pruned(*input));
            (Plan { node: Node::First { input, by, rows }, fields, span }, all)
        }
    }
}

/// Where those that stay have gone; what is gone has a number that is too large.
fn places(stays: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let mut place = |stays: bool| {
        if !stays {
            return usize::MAX;
        }
        next += 1;
        next - 1
    };
    stays.iter().map(|stays| place(*stays)).collect()
}

/// The fields that are left.
fn kept<F: Clone>(fields: &[F], places: &[usize], width: usize) -> Vec<F> {
    let left = fields.iter().zip(places).filter(|(_, place)| **place < width);
    left.map(|(field, _)| field.clone()).collect()
}
