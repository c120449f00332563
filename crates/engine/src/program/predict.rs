//! What a run of a program will cost, from the protocols' cost functions: the same walk, over backends that only count.

use super::compiled::CompiledProgram;
use super::context::Context;
use super::cost::{Cost, Counting};
use super::job::By;
use super::{drawn, outside, plain};
use crate::circuit::prepared::makes_triples;
use crate::circuit::{EvaluateError, Preprocessing};
use std::collections::BTreeMap;
use tacit_backend::convert::shuffle::proves_shuffles;
use tacit_backend::cost::{self, Products, Rounds, Traffic};
use tacit_backend::{Backend, Bits, Boolean, InBlocks, Tally};
use tacit_garbling::blocks::ChainCost;
use tacit_garbling::yao::streamed::Counted;
use tacit_program::{Block, Op};
use tacit_proof::{Method, Needs, Proving};
use tacit_sharing::Protocol;

/// Whether a loop sorts rows, or carries values forward along them.
fn shuffles_in_loops(block: &Block) -> bool {
    let shuffles = |op: &Op| matches!(op, Op::Sort { .. } | Op::Segment { .. });
    let in_loop =
        |op: &Op| matches!(op, Op::Loop(inner) if inner.body.any_node(&|node| shuffles(&node.op)));
    block.nodes.iter().any(|node| in_loop(&node.op))
}

impl CompiledProgram {
    /// What a run will cost, byte for byte: the same walk, over a backend that only counts.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn cost(&self) -> Result<Cost, EvaluateError> {
        self.cost_with(Counting::All)
    }

    /// What a run will cost at least: without proofs of products and triples, which take long to count where products are many.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn least_cost(&self) -> Result<Cost, EvaluateError> {
        self.cost_with(Counting::WithoutProofs)
    }

    fn cost_with(&self, counting: Counting) -> Result<Cost, EvaluateError> {
        if self.job.protocol().is_trusted_party() {
            let (bytes, rounds) = plain::cost(self)?;
            return Ok(Cost { rounds, ..Cost::of(bytes) });
        }
        if self.streams && self.job.in_blocks() {
            return self.cost_in_blocks();
        }
        if self.streams {
            return self.streamed_cost();
        }
        if self.job.protocol().garbles() {
            return drawn::cost(self);
        }
        let needs = if counting == Counting::All { self.needs()? } else { Vec::new() };
        let (tallies, rounds) = self.tallies(&needs, counting)?;
        let (bytes, waits) = outside::cost(self)?;
        let rounds = std::array::from_fn(|seat| rounds[seat] + waits[seat]);
        let mut cost = Cost { rounds, ..Cost::of(bytes) };
        for (worker, tally) in tallies.into_iter().enumerate() {
            let seating = self.seating_of(worker);
            cost.bytes += seating.traffic(&tally.total_bytes());
            cost.ahead += seating.traffic(&tally.bytes_ahead());
            let awaited = tally.awaited().between(|bytes| seating.traffic(bytes));
            cost.awaited.beside(worker / self.job.options.workers, &awaited);
            cost.proof_rounds = cost.proof_rounds.max(tally.proof_rounds());
            cost.check_rounds = cost.check_rounds.max(tally.check_rounds());
            cost.batches = cost.batches.max(tally.batches());
            cost.products += tally.products();
        }
        match self.job.options.preprocessing {
            Preprocessing::Interleaved => Ok(cost),
            Preprocessing::Separate => {
                let more = checks(self.job.protocol());
                cost.bytes += more.clone();
                cost.ahead += more;
                Ok(cost)
            }
        }
    }

    /// What a run costs that garbles as it goes.
    fn streamed_cost(&self) -> Result<Cost, EvaluateError> {
        let inputs = BTreeMap::new();
        let context = self.context(0, &inputs, &|_| {});
        let workers = 0..self.job.threads();
        let counters = workers.map(|_| Counted::new(self.job.protocol())).collect();
        let (counted, rounds) = self.counted(&context, counters)?;
        let parts = counted.iter().map(|worker| worker.bits.total_bytes());
        let bytes = parts.fold(Traffic::default(), |sum, part| sum + part);
        let products = Products::of(counted.iter().map(|worker| worker.bits.ands()).sum());
        Ok(Cost { rounds, products, ..Cost::of(bytes) })
    }

    /// The cost of no circuit yet, where they go on from each other.
    pub(super) fn no_blocks(&self) -> Result<ChainCost, EvaluateError> {
        let protocol = self.job.protocol();
        ChainCost::new(protocol, self.job.options.opening())
            .ok_or_else(|| EvaluateError::Bug(format!("circuits under {protocol} go on")))
    }

    /// What a run costs that garbles circuit by circuit: with public inputs of zeros.
    fn cost_in_blocks(&self) -> Result<Cost, EvaluateError> {
        let inputs = BTreeMap::new();
        let context = self.context(0, &inputs, &|_| {});
        let counter = InBlocks::new(self.job.protocol(), self.job.most_ands(), self.no_blocks()?);
        let (counted, rounds) = self.counted(&context, vec![counter])?;
        let cost = Cost::of_circuits(&counted[0].bits.evaluator);
        debug_assert_eq!(cost.rounds, rounds);
        Ok(cost)
    }

    /// Checks that no more numbers are sent under masks than are hidden well enough, all workers together.
    ///
    /// # Errors
    /// When there are more; when arrays are too large.
    pub fn check_masks(&self) -> Result<(), EvaluateError> {
        let protocol = self.job.protocol();
        let mut all = self
            .job
            .options
            .assignments
            .iter()
            .filter_map(|it| tacit_proof::Proving::of(it.protocol));
        // Every sort proves a shuffle, and ends batches that are not full.
        let shuffles = proves_shuffles(protocol) && shuffles_in_loops(&self.program.body);
        if !all.any(|it| it.must_count_masked() || shuffles) {
            return Ok(());
        }
        let (tallies, _) = self.tallies(&self.needs()?, Counting::All)?;
        let masked: u64 = tallies.iter().map(Tally::masked).sum();
        if masked <= Proving::MOST_MASKED {
            return Ok(());
        }
        Err(EvaluateError::Job(format!(
            "not supported: under {protocol} each role would send {masked} numbers under masks, and {} are \
             hidden up to 2^-{} together: take lift with its usual batches and fewer sorts in loops, or post",
            Proving::MOST_MASKED,
            protocol.strength()
        )))
    }

    /// By worker, how many products are made from triples.
    pub(super) fn needs(&self) -> Result<Vec<Needs>, EvaluateError> {
        match tacit_proof::Method::of(self.job.protocol()) {
            Some(Method::Brain(..)) => {
                Ok(self.tallies(&[], Counting::All)?.0.iter().map(Tally::needs).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The costs of every worker, who were told of so many products, and the rounds of all together.
    pub(super) fn tallies(
        &self,
        needs: &[Needs],
        counting: Counting,
    ) -> Result<(Vec<Tally>, Rounds), EvaluateError> {
        let inputs = BTreeMap::new();
        // Shares are not there, so those of any role do.
        let context = self.context(0, &inputs, &|_| {});
        let protocol = |worker| self.seating_of(worker).assignment.protocol;
        let mut tallies: Vec<Tally> = (0..self.job.threads())
            .map(|worker| Tally::new(protocol(worker)).of_worker(worker))
            .map(|tally| match counting {
                Counting::All => tally,
                Counting::ByLine => tally.by_line(),
                Counting::WithoutProofs => tally.without_proofs(),
            })
            .map(|tally| match self.job.options.preprocessing {
                Preprocessing::Interleaved => tally,
                Preprocessing::Separate => tally.separate(),
            })
            .collect();
        for tally in &mut tallies {
            tally.circuits().widen(self.wider());
        }
        for (tally, needs) in tallies.iter_mut().zip(needs) {
            tally.announce(needs);
        }
        match self.job.by {
            By::Rings => self.counted(&context, tallies),
            By::Circuits => {
                let booleans = tallies.into_iter().map(Boolean::new).collect();
                let (counted, rounds) = self.counted(&context, booleans)?;
                Ok((counted.into_iter().map(|boolean| boolean.bits).collect(), rounds))
            }
        }
    }

    /// Walks over backends, one per worker; with the rounds.
    fn counted<B: Backend + Send>(
        &self,
        context: &Context<'_>,
        mut backends: Vec<B>,
    ) -> Result<(Vec<B>, Rounds), EvaluateError> {
        let mut all: Vec<&mut (dyn Backend + Send)> = Vec::new();
        for backend in &mut backends {
            all.push(backend);
        }
        self.walk(context, &mut all)?;
        let rounds = context.beside.with(all[0].rounds());
        Ok((backends, rounds))
    }
}

/// The checks of what was made ahead: triples are compared before they are used.
fn checks(protocol: Protocol) -> Traffic {
    match makes_triples(protocol) {
        true => cost::checks(protocol),
        false => Traffic::default(),
    }
}
