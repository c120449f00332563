//! Names of what is computed, for people: those that it is selected under, or what it is.

use crate::plan::{Compute, Field, Node, Plan};
use crate::show;

/// A plan whose columns say what they are.
pub(super) fn named(mut plan: Plan) -> Plan {
    let own: Vec<Option<String>> =
        plan.fields.iter().map(|field| Some(field.name.clone())).collect();
    name(&mut plan, &own);
    plan
}

/// Names what is computed in a plan: `wanted` are the names that it has where it is used.
fn name(plan: &mut Plan, wanted: &[Option<String>]) {
    let shown: Vec<String> = match &plan.node {
        Node::Group { input, keys, aggregates } => {
            let keys = keys.iter().map(|_| String::new());
            keys.chain(aggregates.iter().map(|it| show::aggregate(it, input))).collect()
        }
        Node::Window { input, calls, .. } => {
            let others = input.fields.iter().map(|_| String::new());
            others.chain(calls.iter().map(|it| show::call(it, &input.fields))).collect()
        }
        _ => Vec::new(),
    };
    for (number, field) in plan.fields.iter_mut().enumerate() {
        if is_made_up(field) {
            let shown = shown.get(number).cloned().filter(|name| !name.is_empty());
            let given = wanted[number].clone().filter(|name| !is_a_number(name));
            if let Some(name) = given.or(shown) {
                field.name = name;
            }
        }
    }
    let own: Vec<Option<String>> =
        plan.fields.iter().map(|field| Some(field.name.clone())).collect();
    match &mut plan.node {
        Node::Filter { input, .. } => {
            name(input, &own);
            plan.fields.iter_mut().zip(&input.fields).for_each(rename);
        }
        Node::First { input, .. } => name(input, &own),
        Node::Window { input, .. } => name(input, &own[..input.fields.len()]),
        Node::Project { input, columns } => {
            let mut names = vec![None; input.fields.len()];
            for (column, name) in columns.iter().zip(own) {
                if let Compute::Column(number) = column.compute {
                    names[number] = name;
                }
            }
            name(input, &names);
        }
        _ => {
            for input in plan.inputs_mut() {
                let none = vec![None; input.fields.len()];
                name(input, &none);
            }
            let found: Vec<Field> =
                plan.inputs().into_iter().flat_map(|input| input.fields.clone()).collect();
            if let Node::Join { .. } | Node::Match { .. } = plan.node {
                plan.fields.iter_mut().zip(&found).for_each(rename);
            }
        }
    }
}

fn rename((field, of): (&mut Field, &Field)) {
    if is_made_up(field) {
        field.name.clone_from(&of.name);
    }
}

/// Whether a column has a name that nobody gave it.
fn is_made_up(field: &Field) -> bool {
    is_a_number(&field.name)
}

fn is_a_number(name: &str) -> bool {
    let parts = ["aggregate ", "argument ", "window ", "term ", "key "];
    let number = parts.iter().find_map(|part| name.strip_prefix(part));
    name.is_empty() || number.is_some_and(|number| number.parse::<usize>().is_ok())
}
