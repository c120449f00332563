//! What tests of inputs and checks of values say opens here, before any result does, and ends the run if it has to.

use super::checks::{self, joined};
use super::compiled::CompiledProgram;
use super::context::Backends;
use super::epochs::settle_opened;
use super::ranges::Test;
use crate::circuit::{EvaluateError, Guard};
use tacit_backend::{Backend, Secret};
use tacit_program::Op;
use tacit_sharing::verify::Verifier;
use tacit_sharing::{RoleId, SharingError};

/// Opens whether some value left its range, and ends the run if one did: before any result opens. Tests of inputs have
/// passed.
pub(super) fn open_checks(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    violated: Option<&Secret>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let Some(violated) = violated else { return Ok(()) };
    let everybody: Vec<RoleId> = (0..prepared.job().places().len()).collect();
    let opened = backends[0].open(violated, &everybody)?;
    // That all opened the same is compared first.
    settle_opened(backends, verifier)?;
    match opened.is_some_and(|bits| bits.iter().any(|bit| *bit != 0)) {
        true => Err(EvaluateError::Check(None)),
        false => Ok(()),
    }
}

/// What the bits are whose tests open.
fn guard(prepared: &CompiledProgram, tests: &[Test]) -> Guard {
    let mut guard = Guard::default();
    for Test { input, beyond } in tests {
        let node = &prepared.program.body.nodes[*input as usize];
        let Op::Input { name, party: Some(owner), .. } = &node.op else { continue };
        let party = prepared.job.parties[usize::from(owner.0)];
        guard.add(beyond.len, party, name);
    }
    guard
}

/// A bit, or zero where another one is one.
fn unless(
    backend: &mut dyn Backend,
    other: Option<Secret>,
    bit: &Secret,
) -> Result<Secret, SharingError> {
    let Some(other) = other else { return Ok(bit.slice(0..bit.len)) };
    let both = backend.multiply(&other, bit, [1, 1])?;
    Ok(bit.xor(&both))
}

/// Opens what all tests say, and ends the run where a value left its range: before any result opens. Where all of it
/// opens at once, `violated` does with it, unless a test failed: [what the program checks](super::checks) says nothing
/// but that as long as inputs are in their ranges.
pub(super) fn check(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    (tests, violated): (&[Test], Option<&Secret>),
    verifier: Option<&mut Verifier>,
) -> Result<Guard, EvaluateError> {
    let mut guard = guard(prepared, tests);
    let mut all: Vec<Secret> = tests.iter().map(|it| it.beyond.slice(0..it.beyond.len)).collect();
    if let Some(violated) = violated {
        let failed = checks::any(&mut *backends[0], &all)?;
        guard.check_values();
        all.push(unless(&mut *backends[0], failed, violated)?);
    }
    if all.is_empty() {
        return Ok(guard);
    }
    let all = joined(&all.iter().collect::<Vec<_>>());
    let everybody: Vec<RoleId> = (0..prepared.job.places().len()).collect();
    let opened = backends[0].open(&all, &everybody)?;
    // That all opened the same is compared first.
    settle_opened(backends, verifier)?;
    if let Some(bits) = opened {
        guard.check(bits.iter().map(|bit| *bit != 0))?;
    }
    Ok(guard)
}
