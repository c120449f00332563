//! How much memory a job takes, about.

use super::Preprocessing;
use super::compile::Compiled;
use super::garbled::cost::{chunk, instance_bytes};
use tacit_garbling::garbler;

/// Bytes that a party keeps of a job at once, about: garbled circuits, or shares of the lanes under way, what
/// preprocessing leaves where it comes first, and the values of all inputs and outputs.
#[must_use]
pub fn memory(compiled: &Compiled) -> usize {
    let (job, schedule) = (compiled.job(), compiled.schedule());
    let values = schedule.inputs().len() + schedule.outputs().iter().map(Vec::len).sum::<usize>();
    let values = 8 * values * compiled.total_words();
    let first = job.options.preprocessing == Preprocessing::Separate;
    let stored = if first { stored(compiled) } else { 0 };
    values + stored + job.threads() * under_way(compiled)
}

/// What a worker computes with.
fn under_way(compiled: &Compiled) -> usize {
    let protocol = compiled.job().protocol();
    if garbler(protocol).is_some() {
        let instances = compiled.job().instances.div_ceil(compiled.job().threads());
        return instance_bytes(compiled) * chunk(compiled).min(instances);
    }
    let slots = compiled.schedule().slots() * protocol.components();
    8 * slots * (compiled.block_words * compiled.blocks).min(compiled.total_words())
}

/// What preprocessing leaves.
fn stored(compiled: &Compiled) -> usize {
    let (protocol, schedule) = (compiled.job().protocol(), compiled.schedule());
    let (parties, ands) = (protocol.parties(), compiled.products());
    let instances = compiled.job().instances;
    match (tacit_gmw::Method::of(protocol), garbler(protocol)) {
        (Some(method), _) => {
            let words = method.tape_words(schedule, 0..schedule.depth(), parties);
            8 * words.iter().sum::<usize>() * compiled.total_words()
        }
        (None, Some(garbler)) => {
            instances * ands * garbler.kept(&compiled.job().options.terms()).table_bytes
        }
        // A word or two of every product.
        (None, None) => 16 * compiled.products() * compiled.total_words(),
    }
}
