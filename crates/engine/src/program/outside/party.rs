//! What a party outside does.

use super::messages::{difference, encode, receive_array, signed};
use super::{Answer, Column, LAST_STEP, Learned, Purpose, columns, holders, messengers, results};
use crate::circuit::EvaluateError;
use crate::gate::{Door, pass};
use crate::program::compiled::CompiledProgram;
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_backend::{Kind, Values};
use tacit_net::{Mesh, Phase, Stream};
use tacit_program::clear::Array;
use tacit_ring::stream::StreamIds;
use tacit_ring::{Entropy, Prg};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// A party outside: gives its inputs and pads, and takes its results. Values by result, where it learns them.
pub(in crate::program) fn take_part(
    mesh: &mut Mesh,
    prepared: &CompiledProgram,
    inputs: &BTreeMap<String, Arc<Array>>,
    entropy: &mut Entropy,
    door: Option<&Door>,
) -> Answer<Vec<Option<Values>>> {
    let seat = prepared.job.seat_of(mesh.me())?;
    mesh.set_phase(Phase::Online);
    let mut dealer = Dealer::new(entropy)?;
    let mut pads = BTreeMap::new();
    for Column { from, purpose, kind, len, .. } in columns(prepared)? {
        if from != seat {
            continue;
        }
        let values = match purpose {
            Purpose::Input(name) => {
                let array = inputs.get(&name).ok_or_else(|| {
                    EvaluateError::Bug(format!("no values for the input `{name}`"))
                })?;
                Values::new(array.values().collect())
            }
            Purpose::Pad(reveal) => {
                let pad = dealer.random(kind, len);
                pads.insert(reveal, pad.clone());
                pad
            }
        };
        dealer.send(mesh, prepared, kind, &values)?;
    }
    mesh.flush()?;
    pass(door)?;
    mesh.set_step(LAST_STEP);
    let mut learned = vec![None; prepared.program.reveals.len()];
    for result in results(prepared)?.into_iter().filter(|result| result.to == seat) {
        learned[result.number] = Some(collect(mesh, prepared, result, pads.get(&result.number))?);
    }
    Ok(learned)
}

/// Draws pieces and pads.
struct Dealer {
    prg: Prg,
    ids: StreamIds,
}

impl Dealer {
    fn new(entropy: &mut Entropy) -> Answer<Self> {
        let seed = entropy.seed().map_err(SharingError::from)?;
        let key = seed.derive_key("tacit 2026 pieces of a party outside", &[]);
        Ok(Dealer { prg: Prg::new(&key), ids: StreamIds::new() })
    }

    fn random(&mut self, kind: Kind, len: usize) -> Values {
        let mut words = Zeroizing::new(vec![0u128; len]);
        self.prg.stream(self.ids.next()).fill(&mut words);
        Values::new(words.iter().map(|word| signed(kind, *word as i128)).collect())
    }

    /// Sends values in pieces, each to its holders.
    fn send(
        &mut self,
        mesh: &mut Mesh,
        prepared: &CompiledProgram,
        kind: Kind,
        values: &Values,
    ) -> Answer<()> {
        let job = &prepared.job;
        let mut rest = values.clone();
        let pieces = holders(job.protocol());
        let last = pieces.len() - 1;
        for (number, holders) in pieces.into_iter().enumerate() {
            let piece = if number == last {
                std::mem::take(&mut rest)
            } else {
                let piece = self.random(kind, values.len());
                let both = rest.iter_mut().zip(piece.iter());
                both.for_each(|(rest, piece)| *rest = difference(kind, *rest, *piece));
                piece
            };
            let bytes = encode(kind, &piece);
            for holder in holders {
                mesh.send(job.places()[holder], Stream::Pre, &bytes)?;
            }
        }
        Ok(())
    }
}

/// Takes a result from those that pass it on, and its pad off.
fn collect(
    mesh: &mut Mesh,
    prepared: &CompiledProgram,
    Learned { kind, len, .. }: Learned,
    pad: Option<&Values>,
) -> Answer<Values> {
    let job = &prepared.job;
    let mut opened: Option<Values> = None;
    for role in &job.places()[..messengers(job.protocol())] {
        let theirs = receive_array(mesh, *role, Stream::On, kind, len)?;
        if opened.as_ref().is_some_and(|opened| *opened != theirs) {
            let what =
                "the roles pass on different results: one of them deviates from the protocol";
            return Err(mesh.check_failed(what.into()).into());
        }
        opened = Some(theirs);
    }
    let opened = opened.ok_or_else(|| EvaluateError::Bug("nobody passes results on".into()))?;
    let Some(pad) = pad else { return Ok(opened) };
    let pairs = opened.iter().zip(pad.iter());
    Ok(Values::new(pairs.map(|(value, pad)| difference(kind, *value, *pad)).collect()))
}
