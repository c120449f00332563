//! What parties compare before a run of a program, and this party's inputs of it.

use super::compiled::CompiledProgram;
use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_net::{PartyId, Session};
use tacit_program::clear::{self, Array};

/// Inputs, by name.
pub(super) type Inputs = BTreeMap<String, Arc<Array>>;

/// What parties agree on for a run, by name: what a store looks for.
#[must_use]
pub fn facts(
    prepared: &CompiledProgram,
    inputs: &BTreeMap<String, Array>,
) -> Vec<(String, String)> {
    all_facts(prepared, |name| inputs.get(name).map(digest))
}

/// The facts of a program that parties compare, from inputs in the form that a run has them.
pub(super) fn facts_with(prepared: &CompiledProgram, inputs: &Inputs) -> Vec<(String, String)> {
    all_facts(prepared, |name| inputs.get(name).map(|array| digest(array)))
}

fn all_facts(
    prepared: &CompiledProgram,
    digest: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let own = prepared.facts().iter().map(|(name, value)| (name.to_string(), value.clone()));
    own.chain(public_facts(prepared, digest)).collect()
}

/// All parties must have the same public inputs.
pub(super) fn agree_public(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
) -> Result<(), EvaluateError> {
    let digest_of = |name: &str| inputs.get(name).map(|array| digest(array));
    let facts: Vec<(String, String)> = public_facts(prepared, digest_of).collect();
    let facts: Vec<(&str, String)> =
        facts.iter().map(|(name, digest)| (name.as_str(), digest.clone())).collect();
    if !facts.is_empty() {
        session.agree(&facts)?;
    }
    Ok(())
}

/// Public inputs, by their digests.
fn public_facts(
    prepared: &CompiledProgram,
    digest: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = (String, String)> {
    let public = prepared.program.inputs().filter(|(_, _, party)| party.is_none());
    public.map(move |(_, name, _)| {
        (format!("public input `{name}`"), digest(name).unwrap_or_default())
    })
}

fn digest(array: &Array) -> String {
    let raw: Vec<u8> = array.raw().iter().flat_map(|value| value.to_le_bytes()).collect();
    let shape = format!("{}{:?}", array.element(), array.shape());
    hex::encode(tacit_ring::hash::digest(&[shape.as_bytes(), &raw]))
}

/// The inputs that this party gives, checked, by name.
pub(super) fn own_inputs(
    prepared: &CompiledProgram,
    me: PartyId,
    mut given: BTreeMap<String, Array>,
) -> Result<Inputs, EvaluateError> {
    let program = &prepared.program;
    let mut own = BTreeMap::new();
    for (id, name, party) in program.inputs() {
        let mine = party.is_none_or(|party| prepared.job.parties[usize::from(party.0)] == me);
        if !mine {
            continue;
        }
        let array = given.remove(name).ok_or_else(|| {
            EvaluateError::Job(format!("this party has no values for input `{name}`"))
        })?;
        let ty = &program.body.nodes[id as usize].types[0];
        clear::check_input(name, &array, ty, &prepared.job.rows)
            .map_err(|e| EvaluateError::Job(e.to_string()))?;
        own.insert(name.to_owned(), Arc::new(array));
    }
    match given.keys().next() {
        Some(name) => Err(EvaluateError::Job(format!("this party gives no input `{name}`"))),
        None => Ok(own),
    }
}
