//! The trusted-party baseline for programs: owners send their inputs in the clear to role 2, which
//! evaluates the program and sends everybody what it learns. It is the oracle, run like a
//! protocol; it protects nothing from role 2.

use super::compiled::CompiledProgram;
use super::facts::Inputs;
use super::layout::lengths;
use crate::circuit::EvaluateError;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_backend::Values;
use tacit_backend::cost::{MAX_ROLES, Traffic};
use tacit_net::{PartyId, Session, Stream};
use tacit_program::Type;
use tacit_program::clear::{self, Array};
use tacit_ring::word;
use zeroize::Zeroizing;

const TRUSTED: usize = 2;

/// The revealed values that this party learns, and at the trusted party where values left
/// their ranges: places and counts, no values.
pub(super) struct Plain {
    pub values: Vec<Option<Values>>,
    pub warnings: Vec<String>,
}

pub(super) fn run(
    session: &mut Session,
    prepared: &CompiledProgram,
    given: &Inputs,
) -> Result<Plain, EvaluateError> {
    let job = prepared.job();
    let me = session.me();
    let trusted = job.places()[TRUSTED];
    let mut inputs = BTreeMap::new();
    for (id, name, party) in prepared.source.inputs() {
        let ty = &prepared.source.body.nodes[id as usize].types[0];
        let owner = party.map(|party| job.parties[usize::from(party.0)]);
        let array = transfer(session, owner, trusted, given.get(name), ty, &job.rows)?;
        if let Some(array) = array.filter(|_| me == trusted) {
            inputs.insert(name.to_owned(), Array::clone(&array));
        }
    }
    let mut results = Vec::new();
    let mut warnings = Vec::new();
    if me == trusted {
        let (revealed, observed) = clear::evaluate_observed(&prepared.source, &job.rows, inputs)
            .map_err(|e| match e.is_failed_check() {
                true => EvaluateError::Check(Some(e.to_string())),
                false => EvaluateError::Job(e.to_string()),
            })?;
        results = revealed.into_iter().map(|(_, array)| Arc::new(array)).collect();
        warnings = observed.violations.values().map(|v| v.place_and_count()).collect();
    }
    let mut values = Vec::new();
    for (i, reveal) in prepared.source.reveals.iter().enumerate() {
        let ty = prepared.source.body.type_of(reveal.value);
        let mut mine = None;
        for to in &reveal.to {
            let to = job.parties[usize::from(to.0)];
            let array = transfer(session, Some(trusted), to, results.get(i), ty, &job.rows)?;
            if to == me {
                mine = array.map(|array| Values::new(array.values().collect()));
            }
        }
        values.push(mine);
    }
    session.meshes[0].flush()?;
    Ok(Plain { values, warnings })
}

/// Sends an array from its owner to another party; public ones (no owner) are there already.
fn transfer(
    session: &mut Session,
    owner: Option<PartyId>,
    to: PartyId,
    array: Option<&Arc<Array>>,
    ty: &Type,
    rows: &[u64],
) -> Result<Option<Arc<Array>>, EvaluateError> {
    let me = session.me();
    let Some(owner) = owner.filter(|owner| *owner != to) else { return Ok(array.cloned()) };
    let mesh = &mut session.meshes[0];
    if me == owner {
        let array = array.ok_or_else(|| EvaluateError::Bug("an array without values".into()))?;
        let raw = array.raw().iter().map(|value| *value as u64);
        let raw: Zeroizing<Vec<u64>> = Zeroizing::new(raw.collect());
        mesh.send(to, Stream::On, word::bytes(&raw))?;
    }
    if me != to {
        return Ok(None);
    }
    let shape = lengths(&ty.shape, rows)?;
    let len = shape.iter().product();
    let mut raw = Zeroizing::new(Vec::<u64>::new());
    raw.try_reserve_exact(len)
        .map_err(|_| EvaluateError::System(format!("no memory for {len} values of a party")))?;
    raw.resize(len, 0);
    mesh.recv(owner, Stream::On, word::bytes_mut(&mut raw))?;
    let raw = raw.iter().map(|value| *value as i64).collect();
    let array = Array::new(ty.element, shape, raw).map_err(|_| {
        let what = "it sent a value that the input's type does not have".into();
        EvaluateError::Misbehaviour { party: owner.index(), what }
    })?;
    Ok(Some(Arc::new(array)))
}

/// Bytes per directed link, and rounds by role.
pub(super) fn cost(
    prepared: &CompiledProgram,
) -> Result<(Traffic, [u64; MAX_ROLES]), EvaluateError> {
    let job = prepared.job();
    let program = &prepared.source;
    let role = |party: tacit_program::PartyId| prepared.roles[usize::from(party.0)];
    let mut bytes = Traffic::default();
    let mut add = |from: usize, to: usize, ty: &Type| -> Result<(), EvaluateError> {
        if from != to {
            let len: usize = lengths(&ty.shape, &job.rows)?.iter().product();
            bytes.on[from][to] += 8 * len as u64;
        }
        Ok(())
    };
    for (id, _, party) in program.inputs() {
        if let Some(party) = party {
            add(role(party), TRUSTED, &program.body.nodes[id as usize].types[0])?;
        }
    }
    for reveal in &program.reveals {
        let ty = program.body.type_of(reveal.value);
        reveal.to.iter().try_for_each(|to| add(TRUSTED, role(*to), ty))?;
    }
    let waits = std::array::from_fn(|to| u64::from(bytes.is_awaited_by(to)));
    Ok((bytes, waits))
}
