//! What a party consents to: in how many instances its inputs are used.

use super::args::{Repeat, RunArgs};
use crate::error::CliError;
use std::num::NonZeroUsize;
use tacit::runtime;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Consent, Job};
use tacit_engine::values::Lanes;
use tacit_net::PartyId;

/// Refuses to repeat what there is not, or what another party gives: `me` is none where all parties are here.
pub fn check(args: &RunArgs, job: &Job, me: Option<PartyId>) -> Result<(), CliError> {
    let ports = job.owners.len();
    for repeat in &args.repeat {
        let Repeat::Port(port) = repeat else { continue };
        let owner = job.owners.get(*port).ok_or_else(|| {
            CliError::input(format!(
                "--repeat: there is no input port {port}: the circuit has {ports}"
            ))
        })?;
        if me.is_some_and(|me| me != *owner) {
            return Err(CliError::input(format!(
                "--repeat {port}: another party gives input port {port}, and it says whether it is repeated"
            )));
        }
    }
    Ok(())
}

/// In how many instances a party with these inputs takes part.
pub fn consent(
    args: &RunArgs,
    circuit: &Circuit,
    values: &[Option<Lanes>],
) -> Result<Consent, CliError> {
    let said = args.instances.map(NonZeroUsize::get);
    let repeated =
        |port| args.repeat.iter().any(|it| matches!(it, Repeat::All) || *it == Repeat::Port(port));
    Ok(runtime::consent(circuit, values, said, repeated)?)
}
