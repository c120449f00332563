//! What roles do for parties outside.

use super::messages::{encode, is_held_as_bits, receive_array};
use super::{
    Answer, Column, Dealt, Inputs, LAST_STEP, Learned, Purpose, columns, holders, messengers,
    results,
};
use crate::circuit::EvaluateError;
use crate::program::compiled::CompiledProgram;
use crate::program::context::{Backends, Value};
use crate::program::epochs::end_epoch;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_backend::{Kind, Planes, Secret, Values};
use tacit_net::{Mesh, NetError, Phase, Stream};
use tacit_sharing::verify::Verifier;
use tacit_sharing::{RoleId, SharingError};

/// The sum or the difference of shares; for bits both are XOR.
fn combined(a: &Secret, b: &Secret, subtract: bool) -> Secret {
    if is_held_as_bits(a.kind) { a.xor(b) } else { a.sum(b, subtract) }
}

/// Receives this role's pieces of all columns.
pub(in crate::program) fn receive(mesh: &mut Mesh, prepared: &CompiledProgram) -> Answer<Dealt> {
    let me = prepared.job.role_of(mesh.me())?;
    let everyone = prepared.job.everyone();
    mesh.set_phase(Phase::Online);
    let mut dealt = Vec::new();
    for Column { from, kind, len, .. } in columns(prepared)? {
        let mut pieces = Vec::new();
        for holder in holders(prepared.job.protocol()).into_iter().flatten() {
            pieces.push(match holder == me {
                true => Some(receive_array(mesh, everyone[from], Stream::Pre, kind, len)?),
                false => None,
            });
        }
        dealt.push(pieces);
    }
    Ok(Dealt(dealt))
}

/// What came in from outside, as shares.
#[derive(Default)]
pub(in crate::program) struct Entered {
    /// By name.
    pub inputs: Inputs,
    /// The pads of results.
    pub pads: Pads,
}

/// By result, and by the seat of who learns it.
pub(in crate::program) type Pads = BTreeMap<(usize, RoleId), Secret>;

/// Shares all pieces, sees that those with two holders are the same, and adds them up. In dry runs nothing was
/// dealt.
pub(in crate::program) fn enter(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    dealt: Option<Dealt>,
    verifier: Option<&mut Verifier>,
) -> Answer<Entered> {
    let mut entered = Entered::default();
    let mut differences = Vec::new();
    for (number, column) in columns(prepared)?.into_iter().enumerate() {
        let Column { from, purpose, kind, len, extends } = column;
        let mut mine = dealt.as_ref().map(|dealt| dealt.0[number].iter());
        let mut sum: Option<Secret> = None;
        for piece in holders(prepared.job.protocol()) {
            let mut shares = Vec::new();
            for holder in piece {
                let values = mine.as_mut().and_then(|mine| mine.next()?.as_ref());
                let values = values.map(|values| &values[..]);
                shares.push(backends[0].input(kind, holder, values, len)?);
            }
            differences.extend(shares.windows(2).map(|pair| combined(&pair[0], &pair[1], true)));
            let share = shares.swap_remove(0);
            sum = Some(match sum {
                None => share,
                Some(sum) => combined(&sum, &share, false),
            });
        }
        let Some(sum) = sum else { continue };
        let sum = match extends {
            Some((ring, signed)) => Planes::of_secret(&sum).into_number(ring, signed),
            None => sum,
        };
        match purpose {
            Purpose::Input(name) => drop(entered.inputs.insert(name, Arc::new(sum))),
            Purpose::Pad(reveal) => drop(entered.pads.insert((reveal, from), sum)),
        }
    }
    check_equal(prepared, backends, &differences, verifier)?;
    Ok(entered)
}

/// Opens differences, all of which must be zero.
fn check_equal(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    differences: &[Secret],
    mut verifier: Option<&mut Verifier>,
) -> Answer<()> {
    if differences.is_empty() {
        return Ok(());
    }
    end_epoch(backends, verifier.as_deref_mut())?;
    let everybody: Vec<RoleId> = (0..prepared.job.places().len()).collect();
    let mut same = true;
    for difference in differences {
        let opened = backends[0].open(difference, &everybody)?;
        same &= opened.is_none_or(|values| values.iter().all(|value| *value == 0));
    }
    // That all opened the same is compared first.
    end_epoch(backends, verifier)?;
    match same {
        true => Ok(()),
        false => Err(EvaluateError::Net(NetError::Check(
            "two roles shared different pieces of an input from outside: one of them, or who gave it, deviated"
                .into(),
        ))),
    }
}

/// A result under its pad, on its way to a party outside.
pub(in crate::program) struct Parcel {
    to: RoleId,
    kind: Kind,
    values: Values,
}

/// Opens results for those outside that learn them, under their pads.
pub(in crate::program) fn open(
    prepared: &CompiledProgram,
    backends: Backends<'_, '_>,
    pads: &Pads,
    values: &[Value],
) -> Answer<Vec<Parcel>> {
    let everybody: Vec<RoleId> = (0..prepared.job.places().len()).collect();
    let mut parcels = Vec::new();
    for Learned { to, number, kind, .. } in results(prepared)? {
        let opened = match (&values[number], pads.get(&(number, to))) {
            (Value::Secret(secret), Some(pad)) => {
                backends[0].open(&combined(secret, pad, false), &everybody)?
            }
            (Value::Clear(array), None) => {
                array.as_ref().map(|array| Values::new(array.values().collect()))
            }
            _ => return Err(SharingError::Shape("a result and its pad".into()).into()),
        };
        parcels.extend(opened.map(|values| Parcel { to, kind, values }));
    }
    Ok(parcels)
}

/// Passes on what was opened for those outside.
pub(in crate::program) fn deliver(
    mesh: &mut Mesh,
    prepared: &CompiledProgram,
    parcels: &[Parcel],
) -> Answer<()> {
    let job = &prepared.job;
    let passes_on = |role: RoleId| role < messengers(job.protocol());
    if !job.role_of(mesh.me()).is_ok_and(passes_on) {
        return Ok(());
    }
    let everyone = job.everyone();
    mesh.set_phase(Phase::Online);
    mesh.set_step(LAST_STEP);
    for Parcel { to, kind, values } in parcels {
        mesh.send(everyone[*to], Stream::On, &encode(*kind, values))?;
    }
    Ok(mesh.flush()?)
}
