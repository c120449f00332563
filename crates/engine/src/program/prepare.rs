//! A program laid out for a job, and what it will cost.

use super::checks::{self, Checks};
use super::exec::{Backends, Beside, Context, Ready, Value, run_block};
use super::job::{By, CHUNK_ROWS, ProgramJob};
use super::layout::{Layout, Place, check_sizes, lengths};
use super::outside::{self, Entered, Parcel};
use super::plain;
use super::ranges;
use super::rings::BlockRings;
use super::seats::Seating;
use super::team::Team;
use super::{ahead, garbled, plans};
use crate::circuit::{EvaluateError, Garbling, Guard, Preprocessing};
use crate::gate::pass;
use crate::workers::on_each;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tacit_backend::awaited::Awaited;
use tacit_backend::convert::shuffle::proves_shuffles;
use tacit_backend::cost::{MAX_ROLES, Products, Rounds, Traffic};
use tacit_backend::{
    ALL_LINES, Backend, Bits, Boolean, InBlocks, Kind, Ring, Secret, Tally, Values,
};
use tacit_circuit::library::adder::AdderForm;
use tacit_garbling::blocks::ChainCost;
use tacit_garbling::yao::streamed::Counted;
use tacit_program::clear::Array;
use tacit_program::hoist::hoist;
use tacit_program::lower::{Target, lower};
use tacit_program::once::once;
use tacit_program::seal::seal;
use tacit_program::together::together;
use tacit_program::{Block, Element, Op, Program, Type, ValueId, Visibility, infer};
use tacit_proof::{Method, Needs, Proving};
use tacit_sharing::RoleId;
use tacit_sharing::verify::{Journal, Verifier};
use tracing::info;

/// ANDs of a program from which on it is garbled as it runs, unless it is told how: by then a circuit of everything
/// takes longer to draw than to garble.
const STREAMED_ANDS: u64 = 1 << 16;

/// Elements that operations are computed on together which do not depend on each other: so many that what they send takes no longer than
/// messages are under way on most networks.
const TOGETHER: u64 = 1 << 14;

/// ANDs that a row may well have: so many of a circuit to a row of a chunk.
const ROW_ANDS: usize = 256;

/// How many times as much as usual is under way at most of whole arrays.
const MOST_WIDER: usize = 64;

/// Whether a loop sorts rows, or carries values forward along them.
fn shuffles_in_loops(block: &Block) -> bool {
    let shuffles = |op: &Op| matches!(op, Op::Sort { .. } | Op::Segment { .. });
    let in_loop =
        |op: &Op| matches!(op, Op::Loop(inner) if inner.body.any_node(&|node| shuffles(&node.op)));
    block.nodes.iter().any(|node| in_loop(&node.op))
}

/// A program in core operations, with a ring for every value.
pub struct CompiledProgram {
    pub(super) job: ProgramJob,
    /// As the user wrote it.
    pub(super) source: Program,
    pub(super) program: Program,
    pub(super) rings: BlockRings,
    pub(super) roles: Vec<RoleId>,
    pub(super) seatings: Vec<Seating>,
    /// Inputs that are shared by bits.
    pub(super) by_bits: ranges::ByBits,
    /// Circuits are garbled as the program runs.
    pub(super) streams: bool,
    /// ANDs of its circuits under a protocol that garbles, once they were counted.
    pub(super) ands: OnceLock<u64>,
    facts: Vec<(&'static str, String)>,
}

/// What was opened.
pub(super) struct Opened {
    /// The revealed values, in the program's order, where they are learned.
    pub values: Vec<Option<Values>>,
    /// What roles pass on to those outside.
    pub parcels: Vec<Parcel>,
    /// What opened before all of that.
    pub guard: Guard,
}

/// What a run costs, from the protocols' cost functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bytes per directed link between roles, and behind them those outside, as in
    /// [`ProgramJob::everyone`].
    pub bytes: Traffic,
    /// The part of them that preprocessing takes, where that comes first.
    pub ahead: Traffic,
    /// By role, the steps in which it waits for online messages, one after the other: of workers that
    /// take rows side by side, those of the one that has most.
    pub rounds: Rounds,
    /// What is waited for online, by links: bytes of all workers, steps of the one that has most. Empty where all wait for each
    /// other alike.
    pub awaited: Awaited,
    /// Rounds of proofs of products, or of checks of triples, of the worker that has most.
    pub proof_rounds: u64,
    /// Rounds in which transcripts are compared, where they are.
    pub check_rounds: u64,
    /// How often products of bits are made together, by the worker that does most.
    pub batches: u64,
    /// Products of bits, or as many as there are bits in products of numbers, or ANDs that are garbled.
    pub products: Products,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// Everything.
    All,
    /// Everything, line by line.
    ByLine,
    /// Neither proofs of products nor triples.
    WithoutProofs,
}

impl Cost {
    /// Bytes that no preprocessing takes, and that nobody waits for.
    pub(super) fn of(bytes: Traffic) -> Self {
        let (ahead, products) = (Traffic::default(), Products::default());
        let awaited = Awaited::default();
        let rounds = [0; MAX_ROLES];
        let (proof_rounds, check_rounds) = (0, 0);
        Cost { bytes, ahead, rounds, awaited, proof_rounds, check_rounds, batches: 0, products }
    }

    /// The cost of a program that is evaluated as circuits, each of which goes on from the one before.
    pub(super) fn of_circuits(circuits: &ChainCost) -> Self {
        let products = Products::of(circuits.ands());
        Cost { rounds: circuits.rounds(), products, ..Cost::of(circuits.bytes()) }
    }

    /// The part of what is sent when preprocessing is done.
    #[must_use]
    pub fn online(&self) -> Traffic {
        self.bytes.without(&self.ahead)
    }
}

impl CompiledProgram {
    /// Checks the program and the job, and lays the program out.
    ///
    /// # Errors
    /// When they do not fit each other, or a value needs more bits than rings have.
    pub fn new(program: &Program, job: ProgramJob) -> Result<Self, EvaluateError> {
        infer::check(program).map_err(|e| EvaluateError::Job(e.to_string()))?;
        job.check(program)?;
        let mut facts = job.facts(program);
        let roles = job.parties.iter().map(|p| job.seat_of(*p)).collect::<Result<Vec<_>, _>>()?;
        let source = program.clone();
        // Who may cheat must not share an input twice, as two values; who is outside computes nothing.
        let outside =
            |party: tacit_program::PartyId| roles[usize::from(party.0)] >= job.places.len();
        let sealed = seal(program, |party| job.protocol.is_malicious() || outside(party));
        // Where circuits are garbled, levels are free.
        let garbles = job.protocol.garbles();
        let circuits =
            Target::circuits(if garbles { AdderForm::Ripple } else { AdderForm::Select });
        let target = match job.by {
            By::Rings => plans::in_rings(circuits),
            By::Circuits => circuits,
        };
        let mut program = once(&hoist(&lower(&sealed, target)));
        if !garbles {
            program = together(&program, &job.rows, TOGETHER);
        }
        check_sizes(&program.body, &job.rows)?;
        let rings = BlockRings::new(&program.body, &job.rows, job.by)?;
        let seatings = Seating::all(&job)?;
        let (preprocessing, garbling) = (job.preprocessing, job.garbling);
        let mut prepared = CompiledProgram {
            job,
            source,
            program,
            rings,
            roles,
            seatings,
            by_bits: ranges::ByBits::new(),
            streams: false,
            ands: OnceLock::new(),
            facts: Vec::new(),
        };
        prepared.by_bits = ranges::by_bits(&prepared)?;
        let (does, in_blocks) = (prepared.job.may_stream(), prepared.job.in_blocks());
        let most = if in_blocks { prepared.job.most_ands() as u64 } else { STREAMED_ANDS };
        let steps = prepared.opens_in_steps()?;
        let large = || Ok(steps || garbled::ands(&prepared)? >= most);
        prepared.streams = garbling.streams(does, preprocessing, large)?;
        facts.extend(Garbling::fact(does, prepared.streams));
        if prepared.streams && in_blocks {
            facts.push(("ANDs of a circuit", prepared.job.most_ands().to_string()));
        }
        prepared.facts = facts;
        Ok(prepared)
    }

    /// Whether it has to be garbled as it runs, as it checks values: a circuit of everything opens all at once, unless the
    /// protocol has [what opens first](Guard).
    ///
    /// # Errors
    /// Where results would open together with what the checks say, or before it.
    fn opens_in_steps(&self) -> Result<bool, EvaluateError> {
        let ProgramJob { protocol, preprocessing, garbling, .. } = self.job;
        if protocol.is_trusted_party() || !checks::has_any(&self.program) {
            return Ok(false);
        }
        if !protocol.garbles() {
            // What opens results, the masks of masked values, then goes ahead of the run.
            if preprocessing == Preprocessing::Separate && !protocol.is_checked() {
                return Err(EvaluateError::Job(format!(
                    "not supported: a program that checks values, with preprocessing before the inputs, under {protocol}: \
                     preprocessing there sends what opens the results, before the checks say anything. Have \
                     preprocessing in the run"
                )));
            }
            return Ok(false);
        }
        if protocol.authenticates() {
            return Ok(false);
        }
        let in_the_run = preprocessing == Preprocessing::Interleaved && self.job.may_stream();
        if in_the_run && garbling != Garbling::Whole {
            return Ok(true);
        }
        Err(EvaluateError::Job(format!(
            "not supported: a program that checks values, garbled whole under {protocol}: a single circuit would open \
             its results together with what the checks say. Have it garbled as it runs, with preprocessing in the run"
        )))
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &ProgramJob {
        &self.job
    }

    /// The program, in core operations.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self) -> &[(&'static str, String)] {
        &self.facts
    }

    /// About how many ANDs there are in the circuit that the program is under a protocol that garbles, or in all its
    /// circuits; none under others, and where it is streamed gate by gate. Quick, however large.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn circuit_ands(&self) -> Result<Option<u64>, EvaluateError> {
        let drawn = self.job.protocol.garbles() && (self.job.in_blocks() || !self.streams);
        drawn.then(|| garbled::ands(self)).transpose()
    }

    /// About how many circuits are garbled one after the other: one, unless it is done circuit by circuit.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn circuits(&self) -> Result<u64, EvaluateError> {
        if !(self.streams && self.job.in_blocks()) {
            return Ok(1);
        }
        Ok(garbled::ands(self)?.div_ceil(self.job.most_ands() as u64).max(1))
    }

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
        if self.job.protocol.is_trusted_party() {
            let (bytes, rounds) = plain::cost(self)?;
            return Ok(Cost { rounds, ..Cost::of(bytes) });
        }
        if self.streams && self.job.in_blocks() {
            return self.cost_in_blocks();
        }
        if self.streams {
            return self.streamed_cost();
        }
        if self.job.protocol.garbles() {
            return garbled::cost(self);
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
            cost.awaited.beside(worker / self.job.workers, &awaited);
            cost.proof_rounds = cost.proof_rounds.max(tally.proof_rounds());
            cost.check_rounds = cost.check_rounds.max(tally.check_rounds());
            cost.batches = cost.batches.max(tally.batches());
            cost.products += tally.products();
        }
        match self.job.preprocessing {
            Preprocessing::Interleaved => Ok(cost),
            Preprocessing::Separate => {
                let more = ahead::checks(self.job.protocol);
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
        let counters = workers.map(|_| Counted::new(self.job.protocol)).collect();
        let (counted, rounds) = self.counted(&context, counters)?;
        let parts = counted.iter().map(|worker| worker.bits.total_bytes());
        let bytes = parts.fold(Traffic::default(), |sum, part| sum + part);
        let products = Products::of(counted.iter().map(|worker| worker.bits.ands()).sum());
        Ok(Cost { rounds, products, ..Cost::of(bytes) })
    }

    /// The cost of no circuit yet, where they go on from each other.
    pub(super) fn no_blocks(&self) -> Result<ChainCost, EvaluateError> {
        let protocol = self.job.protocol;
        let opening = self.job.opening.unwrap_or(protocol.opening());
        ChainCost::new(protocol, opening)
            .ok_or_else(|| EvaluateError::Bug(format!("circuits under {protocol} go on")))
    }

    /// What a run costs that garbles circuit by circuit: with public inputs of zeros.
    fn cost_in_blocks(&self) -> Result<Cost, EvaluateError> {
        let inputs = BTreeMap::new();
        let context = self.context(0, &inputs, &|_| {});
        let counter = InBlocks::new(self.job.protocol, self.job.most_ands(), self.no_blocks()?);
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
        let protocol = self.job.protocol;
        let mut all = self
            .job
            .assignments()
            .into_iter()
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
        match tacit_proof::Method::of(self.job.protocol) {
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
            .map(|tally| match self.job.preprocessing {
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

    /// Rows that go through streams, each as often as streams it goes through, and iterations of loops: what progress is
    /// told of.
    #[must_use]
    pub fn counted_steps(&self) -> u64 {
        let wanted: Vec<ValueId> = self.program.reveals.iter().map(|r| r.value).collect();
        steps_of(&self.program.body, &self.job.rows, &wanted)
    }

    /// The assignment of a worker: those of the first come first.
    pub(super) fn seating_of(&self, worker: usize) -> &Seating {
        &self.seatings[worker / self.job.workers]
    }

    /// Rows of large arrays that are computed together. Circuit by circuit they are few, as bits that wait to be used
    /// are held from one to the next; chunks take no rounds of their own there.
    fn chunk_rows(&self) -> usize {
        let most = match self.streams && self.job.in_blocks() {
            true => (self.job.most_ands() / ROW_ANDS).max(64),
            false => usize::MAX,
        };
        self.job.chunk_rows.min(most)
    }

    /// How many times as many bits of whole arrays are computed together as usually: as many as rows of chunks are.
    pub(super) fn wider(&self) -> usize {
        (self.chunk_rows() / CHUNK_ROWS).min(MOST_WIDER)
    }

    /// For the party that plays `role` in the first assignment, or one outside.
    pub(super) fn context<'c>(
        &'c self,
        role: RoleId,
        inputs: &'c BTreeMap<String, Arc<Array>>,
        progress: &'c (dyn Fn(u64) + Sync),
    ) -> Context<'c> {
        let workers = 0..self.job.threads();
        let weight = |worker| u64::from(self.seating_of(worker).assignment.weight);
        Context {
            rows: &self.job.rows,
            seats: workers.clone().map(|worker| self.seating_of(worker).of_role(role)).collect(),
            seatings: &self.seatings,
            weights: workers.map(weight).collect(),
            inputs,
            chunk: self.chunk_rows(),
            only_ahead: false,
            progress,
            beside: Beside::none(),
            dealt: Mutex::new(None),
            entered: OnceLock::new(),
            checked: self.job.protocol.is_checked(),
            verifier: Mutex::new(None),
            tested: self.job.tests_ranges(),
            by_bits: &self.by_bits,
            tests: Mutex::new(Vec::new()),
            checks: Mutex::new(Checks::default()),
            door: None,
        }
    }

    /// Computes everything and opens what is revealed: its values where they are learned.
    pub(super) fn walk(
        &self,
        context: &Context<'_>,
        backends: Backends<'_, '_>,
    ) -> Result<Opened, EvaluateError> {
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        let dealt = context.dealt.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Entered { inputs, pads } =
            outside::enter(self, backends, dealt, context.verifier().as_mut())?;
        // A walk enters once.
        let _ = context.entered.set(inputs);
        let wanted: Vec<ValueId> = self.program.reveals.iter().map(|r| r.value).collect();
        let body = &self.program.body;
        let given = (&[][..], &Ready::new());
        let values = run_block(context, backends, body, &self.rings, given, &wanted)?;
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        let mut shared = Vec::new();
        for (reveal, value) in self.program.reveals.iter().zip(values) {
            let Value::Clear(array) = value else {
                shared.push(value);
                continue;
            };
            let ty = body.type_of(reveal.value);
            shared.push(match ty.visibility {
                Visibility::Private(owner) => {
                    let owner = self.roles[usize::from(owner.0)];
                    Value::Secret(Arc::new(self.given(backends, ty, owner, array)?))
                }
                _ => Value::Clear(array),
            });
        }
        let violated = context.checks().violated(&mut Team::new(backends, context))?;
        let mut verifier = context.verifier();
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        if !(context.only_ahead && self.job.protocol.is_checked()) {
            settle(backends, verifier.as_mut())?;
        } else {
            end_epoch(backends, verifier.as_mut())?;
            // Openings send nothing ahead.
            return Ok(Opened { values: Vec::new(), parcels: Vec::new(), guard: Guard::default() });
        }
        let tests =
            std::mem::take(&mut *context.tests.lock().unwrap_or_else(PoisonError::into_inner));
        // Of a circuit of everything one port opens before the others: with the tests.
        let (with_tests, by_itself) = match self.job.protocol.garbles() && !self.streams {
            true => (violated.as_ref(), None),
            false => (None, violated.as_ref()),
        };
        let first = (&tests[..], with_tests);
        let guard = ranges::check(self, backends, first, verifier.as_mut())?;
        // Whether a check failed says something of inputs, too: whoever counts releases counts that. What opened before is zeros
        // unless somebody shared what is no input.
        if context.door.is_some() {
            backends.iter_mut().try_for_each(|backend| backend.flush())?;
            pass(context.door)?;
        }
        let checked = ranges::open_checks(self, backends, by_itself, verifier.as_mut());
        // What goes ahead opens nothing.
        if !context.only_ahead {
            checked?;
        }
        let parcels = outside::open(self, backends, &pads, &shared)?;
        let mut secrets = Vec::new();
        for (reveal, value) in self.program.reveals.iter().zip(&shared) {
            let seats = reveal.to.iter().map(|party| self.roles[usize::from(party.0)]);
            let to: Vec<RoleId> = seats.filter(|seat| *seat < self.job.places.len()).collect();
            secrets.push(match value {
                Value::Secret(secret) if !to.is_empty() => Some((&**secret, to)),
                _ => None,
            });
        }
        let opened: Vec<(&Secret, Vec<RoleId>)> = secrets.iter().flatten().cloned().collect();
        let mut opened = backends[0].open_all(&opened)?.into_iter();
        let mut value = |(value, secret): (&Value, &Option<_>)| match value {
            Value::Secret(_) => secret.as_ref().and_then(|_| opened.next().flatten()),
            Value::Clear(array) => {
                array.as_ref().map(|array| Values::new(array.values().collect()))
            }
        };
        let values = shared.iter().zip(&secrets).map(&mut value).collect();
        // What opened them is compared, too, before anybody sees the values.
        end_epoch(backends, verifier.as_mut())?;
        Ok(Opened { values, parcels, guard })
    }

    /// What a value is shared as that is revealed as it is.
    pub(super) fn given_kind(&self, ty: &Type) -> Kind {
        let ring = self.job.by.ring(ty.interval.signed_bits()).unwrap_or(Ring::W128);
        if ty.element == Element::Bit { Kind::Bits } else { Kind::Ring(ring) }
    }

    /// Shares a value that its owner reveals as it is.
    fn given(
        &self,
        backends: Backends<'_, '_>,
        ty: &Type,
        owner: RoleId,
        array: Option<Arc<Array>>,
    ) -> Result<Secret, EvaluateError> {
        let len = lengths(&ty.shape, &self.job.rows)?.iter().product();
        let kind = self.given_kind(ty);
        let values = array.map(|array| Values::new(array.values().collect()));
        Ok(backends[0].input(kind, owner, values.as_ref().map(|values| &values[..]), len)?)
    }
}

/// What progress is told of in a block.
fn steps_of(block: &Block, rows: &[u64], wanted: &[ValueId]) -> u64 {
    let layout = Layout::new(block, rows, wanted);
    let streams = layout.stages.iter().flat_map(|stage| &stage.streams);
    let rows_done = streams.map(|stream| stream.rows as u64).fold(0, u64::saturating_add);
    let loops = block.nodes.iter().zip(&layout.places).filter(|(_, place)| **place != Place::Clear);
    let loops = loops.filter_map(|(node, _)| match &node.op {
        Op::Loop(inner) => {
            let each = steps_of(&inner.body, rows, &inner.body.results).saturating_add(1);
            Some(inner.trips.bound(rows).unwrap_or(0).saturating_mul(each))
        }
        _ => None,
    });
    loops.fold(rows_done, u64::saturating_add)
}

/// Compares what all workers of all parties did, under protocols with checks.
pub(super) fn end_epoch(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let journals = journals(backends, verifier.is_some())?;
    Ok(backends[0].end_epoch(verifier, journals)?)
}

/// Compares it before something opens, with which the run goes on or which is compared itself before it leaves: never the last time.
pub(super) fn settle(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let journals = journals(backends, verifier.is_some())?;
    Ok(backends[0].settle_epoch(verifier, journals)?)
}

/// Compares bits that opened to everybody, unless they opened at once.
pub(super) fn settle_opened(
    backends: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    if backends[0].opens_at_once() { Ok(()) } else { settle(backends, verifier) }
}

/// What all workers did, proven.
fn journals(backends: Backends<'_, '_>, compared: bool) -> Result<Vec<Journal>, EvaluateError> {
    if compared {
        info!("comparing what everybody did");
    }
    // Workers prove what they did with those of the other parties: all at once.
    let ends = backends.iter_mut().map(|backend| &mut **backend);
    on_each(ends, 0.., |backend, _| Ok(backend.take_journal()?))
}
