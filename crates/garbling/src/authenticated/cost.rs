//! What authenticated garbling sends, byte for byte.

use super::bits::choice_words;
use super::channel::DIGEST;
use super::masks::{extra_bits, inputs_are_shared, learned_slots, opened_slots};
use super::stock::stock_batches;
use super::triples::Sizes;
use super::{EVALUATOR, FIRST_GARBLER};
use crate::Ports;
use crate::bits::words;
use crate::garbler::Counter;
use crate::garbler::Form;
use crate::links::pairs;
use tacit_ot::KAPPA;
use tacit_sharing::cost::Traffic;

/// Bytes of a block.
const BLOCK: u64 = KAPPA as u64 / 8;
const DIGEST_BYTES: u64 = DIGEST as u64;
/// A commitment, and the opening of a coin.
const COIN: u64 = 3 * DIGEST_BYTES;

/// What circuits cost, one after the other.
pub(super) struct CostOfChain {
    form: Form,
    parties: usize,
    sizes: Sizes,
    sum: Traffic,
    /// Triples that wait to be used.
    left: usize,
}

impl CostOfChain {
    /// Nothing yet, of a worker that makes triples in these sizes.
    pub fn new(form: Form, parties: usize, sizes: Sizes) -> Self {
        CostOfChain { form, parties, sizes, sum: Traffic::default(), left: 0 }
    }
}

impl Counter for CostOfChain {
    fn add(&mut self, ports: Ports<'_>, instances: usize) {
        let CostOfChain { form, parties, sizes, ref mut sum, left } = *self;
        self.left = ahead(form, ports, (parties, sizes), (instances, left), sum);
        online(form, ports, parties, instances, sum);
    }

    fn bytes(&self) -> Traffic {
        self.sum.clone()
    }
}

/// Bytes between `parties` of one worker that makes a stock, in these sizes.
#[must_use]
pub fn bytes_of_stock(parties: usize, sizes: Sizes, triples: usize, bits: usize) -> Traffic {
    let mut sum = Traffic::default();
    for [count, bits] in stock_batches(sizes, triples, bits) {
        batch(sizes, count, &vec![bits; parties], &mut sum);
    }
    sum
}

/// Bits that a party sends each other one for one of so many triples: `4 B kappa + 2 B - 1`, the leading terms for
/// buckets of `B`.
#[must_use]
pub fn bits_per_triple(sizes: Sizes, triples: usize) -> u64 {
    let buckets = sizes.batches(triples).map(|count| sizes.bucket(count));
    let bucket = buckets.max().unwrap_or(0) as u64;
    (4 * bucket * KAPPA as u64 + 2 * bucket).saturating_sub(1)
}

/// Bytes between `parties` of one worker with a stock, which prepares and runs so many instances at a time.
#[must_use]
pub fn bytes_with_stock(
    form: Form,
    ports: Ports<'_>,
    parties: usize,
    chunks: impl Iterator<Item = usize>,
) -> Traffic {
    let mut sum = Traffic::default();
    for instances in chunks {
        garbled(form, ports, parties, instances, &mut sum);
        online(form, ports, parties, instances, &mut sum);
    }
    sum
}

/// Bits of each role, authenticated and checked.
fn extended(counts: &[usize], sum: &mut Traffic) {
    let echo = if counts.len() > 2 { DIGEST_BYTES } else { 0 };
    for (from, to) in pairs(counts.len()) {
        let chosen = (choice_words(counts[from]) * 8 * KAPPA) as u64;
        sum.def[from][to] += COIN + chosen + BLOCK + DIGEST_BYTES + echo;
    }
}

/// Preprocessing; takes and gives the triples left over.
fn ahead(
    form: Form,
    ports: Ports<'_>,
    (parties, sizes): (usize, Sizes),
    (instances, left): (usize, usize),
    sum: &mut Traffic,
) -> usize {
    let gates = instances * ports.ands();
    let extra = extra_bits(ports, parties, instances);
    let fresh = made(sizes, gates.saturating_sub(left), extra, sum);
    garbled(form, ports, parties, instances, sum);
    left + fresh - gates
}

/// Triples that are missing, and further bits of each role; gives how many triples are made.
fn made(sizes: Sizes, missing: usize, mut extra: Vec<usize>, sum: &mut Traffic) -> usize {
    if missing == 0 {
        extended(&extra, sum);
    }
    let mut made = 0;
    for count in sizes.batches(missing) {
        batch(sizes, count, &extra, sum);
        extra.fill(0);
        made += count;
    }
    made
}

/// A batch of triples, if any, and further bits of each role.
fn batch(sizes: Sizes, count: usize, extra: &[usize], sum: &mut Traffic) {
    if count == 0 {
        return extended(extra, sum);
    }
    let leaky = count * sizes.bucket(count);
    let counts: Vec<usize> = extra.iter().map(|extra| 3 * leaky + extra).collect();
    extended(&counts, sum);
    for (from, to) in pairs(extra.len()) {
        // Products; commitments to corrections and to a sum, with their openings; coins; buckets.
        sum.def[from][to] += leaky as u64 * BLOCK
            + (2 * DIGEST_BYTES + words(leaky))
            + (2 * DIGEST_BYTES + BLOCK)
            + 2 * COIN
            + (words(leaky - count) + DIGEST_BYTES);
    }
}

/// Products of masks, masks of inputs for who gives them, and garbled gates.
fn garbled(form: Form, ports: Ports<'_>, parties: usize, instances: usize, sum: &mut Traffic) {
    let gates = instances * ports.ands();
    for (from, to) in pairs(parties) {
        let given = instances * ports.given_by(to);
        if inputs_are_shared(parties) && given > 0 {
            sum.def[from][to] += words(given) + DIGEST_BYTES;
        }
        sum.def[from][to] += words(2 * gates) + DIGEST_BYTES;
    }
    for garbler in 1..parties {
        sum.def[garbler][EVALUATOR] += (gates * form.blocks(parties)) as u64 * BLOCK;
    }
    if form == Form::HalfGates {
        sum.def[FIRST_GARBLER][EVALUATOR] += words(gates);
    }
}

fn online(form: Form, ports: Ports<'_>, parties: usize, instances: usize, sum: &mut Traffic) {
    let learned = learned_slots(ports, parties);
    let opened = [true, false].map(|first| opened_slots(ports, parties, first));
    let echo = if parties > 2 { DIGEST_BYTES } else { 0 };
    for (from, to) in pairs(parties) {
        sum.on[from][to] += words(instances * ports.given_by(from)) + echo;
        for slots in opened.each_ref().map(|opened| &opened[to]) {
            if !slots.is_empty() {
                sum.on[from][to] += words(instances * slots.len()) + DIGEST_BYTES;
            }
        }
    }
    for (garbler, learned) in learned.iter().enumerate().skip(1) {
        let shown = ports.shown();
        let labels = (instances * shown) as u64;
        sum.on[garbler][EVALUATOR] += labels * BLOCK;
        let values = instances * learned.len();
        sum.on[EVALUATOR][garbler] += match form {
            // A garbler answers with a block.
            Form::HalfGates => {
                sum.on[garbler][EVALUATOR] += BLOCK;
                words(instances * ports.ands()) + 2 * DIGEST_BYTES
            }
            Form::FourRows if values > 0 => words(values) + DIGEST_BYTES,
            Form::FourRows => 0,
        };
    }
}
