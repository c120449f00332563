//! Checks of whole programs.

use super::whole::describe;
use super::{infer, shape};
use crate::derived::MAX_DERIVED;
use crate::domain::{Domain, MAX_DECIMALS, Meaning, by_axis};
use crate::error::ProgramError;
use crate::ir::{Block, Dim, Node, NodeId, Op, Program, Reveal, Span, ValueId};
use crate::types::{Element, Type, Visibility};
use std::collections::HashSet;
use std::sync::Arc;

/// Whether a program is sound: every node's types are what [`infer`] says, operands come
/// before their uses, names are unique, parties and row counts exist.
///
/// # Errors
/// The first mistake, with the place of its node where that is known.
pub fn check(program: &Program) -> Result<(), ProgramError> {
    check_names(program)?;
    check_domains(program)?;
    check_block(&program.body, program, None)?;
    if !program.body.results.is_empty() {
        return Err(ProgramError::nowhere("the outermost block gives back no values: reveal them"));
    }
    check_reveals(program)
}

/// Most parties and most row counts of a program.
const MAX_PARTIES: usize = 255;
const MAX_DIMS: usize = 1 << 16;

fn check_names(program: &Program) -> Result<(), ProgramError> {
    if program.parties.len() > MAX_PARTIES || program.dims.len() > MAX_DIMS {
        return Err(ProgramError::nowhere(
            "a program has at most 255 parties and 65536 row counts",
        ));
    }
    if let Some(dim) = program.dims.iter().find(|dim| dim.min > dim.max) {
        let Dim { name, min, max } = dim;
        let message = format!("row count `{name}` is from {min} to {max}: an empty range");
        return Err(ProgramError::nowhere(message));
    }
    let dims: Vec<&str> = program.dims.iter().map(|d| d.name.as_str()).collect();
    let parties: Vec<&str> = program.parties.iter().map(String::as_str).collect();
    let inputs: Vec<&str> = program.inputs().map(|(_, name, _)| name).collect();
    let reveals: Vec<&str> = program.reveals.iter().map(|r| r.name.as_str()).collect();
    for (what, names) in
        [("row count", dims), ("party", parties), ("input", inputs), ("result", reveals)]
    {
        let mut seen = HashSet::new();
        for name in names {
            if name.is_empty() {
                return Err(ProgramError::nowhere(format!("a {what} without a name: name it")));
            }
            if !seen.insert(name) {
                let message = format!("two of the same name, {what} `{name}`: rename one");
                return Err(ProgramError::nowhere(message));
            }
        }
    }
    Ok(())
}

fn check_domains(program: &Program) -> Result<(), ProgramError> {
    let mut names = HashSet::new();
    for domain in &program.domains {
        domain.check().map_err(ProgramError::nowhere)?;
        if !names.insert(&domain.name) {
            let message = format!("two of the same name, domain `{}`: rename one", domain.name);
            return Err(ProgramError::nowhere(message));
        }
    }
    let mut derived = 0;
    for (id, name, _) in program.inputs() {
        let located = |message| ProgramError::new(&program.body.nodes[id as usize].span, message);
        declared(program, program.meaning(id))
            .map_err(|what| located(format!("input `{name}`: {what}")))?;
        derived += usize::from(program.meaning(id).derived().is_some());
        if derived > MAX_DERIVED {
            let what = "inputs of a program are computed of texts at most: ask for fewer things";
            return Err(located(format!("{MAX_DERIVED} {what}")));
        }
    }
    Ok(())
}

/// Whether the program has the domain of a meaning.
fn declared(program: &Program, meaning: &Meaning) -> Result<(), String> {
    match meaning {
        Meaning::Domain(domain) if program.domain(&domain.name) != Some(domain) => {
            Err(format!("the program does not declare the domain `{}`", domain.name))
        }
        Meaning::Decimal(digits) if !(1..=MAX_DECIMALS).contains(digits) => {
            Err(format!("decimals have 1 to {MAX_DECIMALS} digits behind the point"))
        }
        Meaning::Derived(derived) => derived.check(),
        _ => Ok(()),
    }
}

/// Whether the labels of a result fit it. `body` is the program's outermost block.
pub(crate) fn check_labels(program: &Program, body: &Block, reveal: &Reveal) -> Result<(), String> {
    let ty = body.type_of(reveal.value);
    declared(program, &reveal.meaning)?;
    if reveal.meaning == Meaning::Padding {
        return Err("padding is of inputs: it says which rows a table has".into());
    }
    if reveal.meaning.is_of_texts() {
        return Err("texts go in as numbers that nobody can read: reveal something else".into());
    }
    if reveal.meaning != Meaning::Number && matches!(ty.element, Element::Fixed { .. }) {
        return Err(format!("{} cannot stand for anything: cast it to integers", ty.element));
    }
    if reveal.meaning.decimals() > 0 && ty.element == Element::Bit {
        return Err("bits cannot stand for decimals: cast them to integers".into());
    }
    let mut names = HashSet::new();
    for domain in &reveal.by {
        declared(program, &Meaning::Domain(domain.clone()))?;
        if !names.insert(&domain.name) {
            return Err(format!("domain `{}` labels this result twice", domain.name));
        }
        let mut results = program.reveals.iter().chain([reveal]);
        if results.any(|result| result.name == domain.name) {
            let name = &domain.name;
            return Err(format!(
                "domain `{name}` labels it, but a result has that name: rename one"
            ));
        }
    }
    if by_axis(&reveal.by, &ty.shape).is_some() {
        return Ok(());
    }
    let size = |domain: &Arc<Domain>| format!("{} ({})", domain.name, domain.len());
    let by: Vec<String> = reveal.by.iter().map(size).collect();
    Err(format!(
        "the domains {} do not label the axes of {}: their sizes, outermost first, must multiply \
         to the length of each axis",
        by.join(", "),
        shape::describe(&ty.shape, &program.dims)
    ))
}

/// `parameters` is how many the body of a loop has; `None` for the outermost block.
fn check_block(
    block: &Block,
    program: &Program,
    parameters: Option<usize>,
) -> Result<(), ProgramError> {
    for (id, node) in (0..).zip(&block.nodes) {
        let located = |message: String| ProgramError::new(&node.span, message);
        check_place(node, id, program, parameters).map_err(located)?;
        let operands = operands(block, node, id).map_err(located)?;
        if let Op::Loop(inner) = &node.op {
            check_block(&inner.body, program, Some(node.operands.len() + 1))?;
        }
        let types =
            infer(&node.op, &operands, &program.dims, Some(&node.types)).map_err(located)?;
        if types != node.types {
            let show = |types: &[Type]| {
                types.iter().map(|t| describe(t, &program.dims)).collect::<Vec<_>>().join("; ")
            };
            let message = format!("stored as {}, but it is {}", show(&node.types), show(&types));
            return Err(located(message));
        }
    }
    match block.results.iter().find(|value| !exists(block, **value)) {
        Some(_) => Err(ProgramError::nowhere("a loop's body gives back a value it does not have")),
        None => Ok(()),
    }
}

/// Whether an input or parameter stands where it may.
fn check_place(
    node: &Node,
    id: NodeId,
    program: &Program,
    parameters: Option<usize>,
) -> Result<(), String> {
    match &node.op {
        Op::Input { .. } if parameters.is_some() => {
            Err("an input within a loop: declare it outside".into())
        }
        Op::Input { party: Some(party), .. } if party.0 as usize >= program.parties.len() => {
            Err(format!("an input of party {}, which the program does not name", party.0))
        }
        Op::Parameter(number)
            if *number != id || parameters.is_none_or(|count| id as usize >= count) =>
        {
            Err(format!("parameter {number} stands where the block has none"))
        }
        Op::Parameter(_) => Ok(()),
        _ if parameters.is_some_and(|count| (id as usize) < count) => {
            Err(format!("node {id} of a loop's body must be parameter {id}"))
        }
        _ => Ok(()),
    }
}

fn operands<'a>(block: &'a Block, node: &Node, id: NodeId) -> Result<Vec<&'a Type>, String> {
    let earlier = |value: &ValueId| match value.node < id && exists(block, *value) {
        true => Ok(block.type_of(*value)),
        false => Err(format!(
            "node {id} uses value {}.{}, which does not come before it",
            value.node, value.index
        )),
    };
    node.operands.iter().map(earlier).collect()
}

fn exists(block: &Block, value: ValueId) -> bool {
    let node = block.nodes.get(value.node as usize);
    node.is_some_and(|node| (value.index as usize) < node.types.len())
}

fn check_reveals(program: &Program) -> Result<(), ProgramError> {
    for reveal in &program.reveals {
        let name = &reveal.name;
        if !exists(&program.body, reveal.value) {
            let message = format!("result `{name}` is a value that the program does not have");
            return Err(ProgramError::nowhere(message));
        }
        let span: &Span = &program.body.nodes[reveal.value.node as usize].span;
        check_labels(program, &program.body, reveal)
            .map_err(|what| ProgramError::new(span, format!("result `{name}`: {what}")))?;
        let mut seen = HashSet::new();
        if reveal.to.is_empty() {
            let message = format!("result `{name}` is revealed to nobody: name a party");
            return Err(ProgramError::new(span, message));
        }
        if reveal.to.iter().any(|p| p.0 as usize >= program.parties.len() || !seen.insert(p)) {
            let message = format!("result `{name}` is revealed to an unknown party, or twice");
            return Err(ProgramError::new(span, message));
        }
    }
    let private = |v| matches!(v, Visibility::Private(p) if p.0 as usize >= program.parties.len());
    let unknown = program.body.nodes.iter().find(|n| n.types.iter().any(|t| private(t.visibility)));
    match unknown {
        Some(node) => Err(ProgramError::new(&node.span, "private to a party that is not named")),
        None => Ok(()),
    }
}
