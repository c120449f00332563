//! A circuit laid out for a job.

use super::assignment::{Assignment, cut};
use super::{EvaluateError, FormChoice, Garbling, Job, Preprocessing};
use std::ops::Range;
use std::sync::Arc;
use tacit_backend::cost::{self, Traffic};
use tacit_circuit::schedule::{Schedule, Slot};
use tacit_circuit::{Circuit, passes};
use tacit_garbling::garbler;
use tacit_net::PartyId;
use tacit_sharing::balance::{Balance, Mix};
use tacit_sharing::level::Level;
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::{Protocol, RoleId, SharingError, Timing};

/// Memory for the slots of all blocks under way, per party.
const SLOT_BYTES: usize = 256 << 20;
/// Slots of one block: what stays in the outer caches.
const BLOCK_BYTES: usize = 1 << 20;
/// 64-lane words of a block at least: fewer leave vector loops no room.
const MIN_BLOCK_WORDS: usize = 64;
/// Bytes of a level's messages under way, unless the job says otherwise.
const WINDOW_BYTES: usize = 4 << 20;

/// Windows of values that the role that works ahead may be ahead of the outputs it learns.
const WINDOWS_AHEAD: usize = 16;

/// An input port.
#[derive(Clone, Debug)]
pub(super) struct InputPort {
    pub owner: RoleId,
    pub timing: Timing,
    pub slots: Vec<Slot>,
}

/// An output port.
#[derive(Clone, Debug)]
pub(super) struct OutputPort {
    pub receivers: Vec<RoleId>,
    pub slots: Vec<Slot>,
}

/// An assignment of roles, and the ports as its roles know them.
#[derive(Clone, Debug)]
pub(super) struct Seating {
    pub assignment: Assignment,
    /// In which way each product is made, if there are several.
    mix: Option<Arc<Mix>>,
    pub inputs: Vec<InputPort>,
    pub outputs: Vec<OutputPort>,
}

/// A circuit laid out for a job: what every worker of every party runs.
pub struct Compiled {
    pub(super) job: Job,
    pub(super) schedule: Arc<Schedule>,
    /// One per assignment of the job.
    pub(super) seatings: Vec<Seating>,
    /// Layouts of wide gates: one list per form.
    plans: Arc<[Vec<PolyPlan>; 2]>,
    /// Which list each level uses.
    level_forms: Vec<usize>,
    pub(super) block_words: usize,
    pub(super) blocks: usize,
    /// Groups of blocks after which the role that works ahead takes the outputs it learns.
    pub(super) groups_late: usize,
    /// Circuits are garbled gate by gate when inputs are there.
    pub(super) streams: bool,
    facts: Vec<(&'static str, String)>,
}

const FORMS: [Form; 2] = [Form::Dealer, Form::Symmetric];

/// Who gives each input port, and its bits; who learns each output port. By role.
pub(super) struct Shape {
    pub inputs: Vec<(RoleId, usize)>,
    pub outputs: Vec<Vec<RoleId>>,
}

impl Seating {
    /// The role that a party plays.
    pub fn role(&self, party: PartyId) -> Result<RoleId, SharingError> {
        let role = self.assignment.places.iter().position(|place| *place == party);
        role.ok_or_else(|| SharingError::Shape("a party without a role".into()))
    }
}

impl Shape {
    pub fn of(seating: &Seating) -> Self {
        let inputs = seating.inputs.iter().map(|port| (port.owner, port.slots.len()));
        let outputs = seating.outputs.iter().map(|port| port.receivers.clone());
        Shape { inputs: inputs.collect(), outputs: outputs.collect() }
    }
}

impl Compiled {
    /// Lays out `circuit` for `job`. Wide gates are lowered for protocols that have none.
    ///
    /// # Errors
    /// When the job does not fit the circuit.
    pub fn new(circuit: &Circuit, job: Job) -> Result<Self, EvaluateError> {
        job.check(circuit)?;
        let facts = job.facts(circuit);
        let fan_in = job.protocol().fan_in();
        // Readers keep a file's gates as they are; folding makes gates' inputs distinct.
        let folded = job.protocol().lower(&passes::fold(circuit));
        let schedule = Schedule::new(&folded);
        let forms = if fan_in < 8 { [Form::Quadratic; 2] } else { FORMS };
        let plans: Vec<PolyPlan> =
            schedule.polys().iter().map(|poly| PolyPlan::new(poly, forms[0])).collect();
        let others = plans.iter().map(|plan| plan.in_form(forms[1])).collect();
        let layout = (Arc::new(schedule), Arc::new([plans, others]));
        Compiled::laid_out(circuit, job, facts, layout)
    }

    /// The same circuit for another job, whose protocol garbles as this one's does: it is not laid out again.
    pub(crate) fn seated(&self, circuit: &Circuit, job: Job) -> Result<Self, EvaluateError> {
        job.check(circuit)?;
        let alike = |protocol: Protocol| (protocol.garbles(), protocol.fan_in());
        if !job.protocol().garbles() || alike(job.protocol()) != alike(self.job.protocol()) {
            return Err(EvaluateError::Bug("a layout for another protocol".into()));
        }
        let facts = job.facts(circuit);
        Compiled::laid_out(circuit, job, facts, (self.schedule.clone(), self.plans.clone()))
    }

    fn laid_out(
        circuit: &Circuit,
        job: Job,
        mut facts: Vec<(&'static str, String)>,
        (schedule, plans): (Arc<Schedule>, Arc<[Vec<PolyPlan>; 2]>),
    ) -> Result<Self, EvaluateError> {
        check_size(&job, &schedule)?;
        let streams = job.options.streams(job.protocol().one_garbles(), || Ok(true))?;
        facts.extend(Garbling::fact(job.protocol().one_garbles(), streams));
        let mut compiled = Compiled {
            seatings: seatings(&job, circuit, &schedule)?,
            level_forms: Vec::new(),
            block_words: 0,
            blocks: 0,
            groups_late: 1,
            streams,
            job,
            schedule,
            plans,
            facts,
        };
        compiled.level_forms =
            (0..=compiled.schedule.depth()).map(|level| compiled.choose_form(level)).collect();
        compiled.choose_blocking();
        Ok(compiled)
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The circuit's layout.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The facts that parties compare before they start.
    #[must_use]
    pub fn facts(&self) -> &[(&'static str, String)] {
        &self.facts
    }

    /// 64-lane words of all instances.
    #[must_use]
    pub fn total_words(&self) -> usize {
        self.job.instances.div_ceil(64)
    }

    /// The seating of a worker: those of the first assignment come first.
    pub(super) fn seating_of(&self, worker: usize) -> &Seating {
        &self.seatings[worker / self.job.options.workers]
    }

    /// The words that worker `worker` evaluates.
    pub(super) fn share_of(&self, worker: usize) -> Range<usize> {
        let blocks = self.total_words().div_ceil(self.block_words);
        let assignments = self.job.options.assignments.iter();
        let weights = assignments
            .flat_map(|a| std::iter::repeat_n(u64::from(a.weight), self.job.options.workers));
        let ends = cut(blocks, weights);
        let at = |blocks: usize| (blocks * self.block_words).min(self.total_words());
        let start = worker.checked_sub(1).map_or(0, |before| ends[before]);
        at(start)..at(ends[worker])
    }

    /// The words that each seating evaluates.
    pub(super) fn words_by_seating(&self) -> impl Iterator<Item = (&Seating, u64)> {
        self.seatings.iter().enumerate().map(|(index, seating)| {
            let workers = index * self.job.options.workers..(index + 1) * self.job.options.workers;
            (seating, workers.map(|worker| self.share_of(worker).len() as u64).sum())
        })
    }

    /// Products of two factors, per instance.
    #[must_use]
    pub fn products(&self) -> usize {
        products(&self.schedule)
    }

    /// The products of a level, as an assignment's roles make them.
    pub(super) fn level<'c>(&'c self, seating: &'c Seating, level: usize) -> Level<'c> {
        let mix = seating.mix.as_ref().map(|mix| mix.level(level));
        self.level_in(level, self.level_forms[level]).mixed(mix)
    }

    fn level_in(&self, level: usize, form: usize) -> Level<'_> {
        Level::new(&self.schedule, &self.plans[form], level)
    }

    /// Elements per lane word that a level's products cost.
    pub(super) fn level_traffic(&self, level: usize, seating: &Seating) -> Traffic {
        cost::level(self.level(seating, level), seating.assignment.protocol)
    }

    fn choose_form(&self, level: usize) -> usize {
        match self.job.form {
            FormChoice::Dealer => 0,
            FormChoice::Symmetric => 1,
            FormChoice::Cheaper { ratio_percent } => {
                let time = |form: usize| {
                    let traffic = cost::level(self.level_in(level, form), self.job.protocol());
                    let helper =
                        (traffic.link(2, 0) + traffic.link(2, 1)) * u64::from(ratio_percent);
                    helper.max(100 * traffic.link(0, 1).max(traffic.link(1, 0)))
                };
                usize::from(time(1) < time(0))
            }
        }
    }

    fn choose_blocking(&mut self) {
        let words = self.total_words();
        let wanted = self.job.blocking;
        let threads = self.job.threads();
        let per_worker = words.div_ceil(threads).max(1);
        let slot_bytes = self.schedule.slots().max(1) * 8 * self.job.protocol().components();
        // A wide gate's table is in use beside the block's shares.
        let tables = self.plans[0].iter().map(PolyPlan::table);
        let table_bytes = tables.max().unwrap_or(0) * 8;
        let fitting = (BLOCK_BYTES / (slot_bytes + table_bytes)).clamp(MIN_BLOCK_WORDS, 1024);
        let fitting = 1 << fitting.ilog2();
        self.block_words = match wanted.block_words {
            0 => fitting.min(per_worker),
            given => given.min(words.max(1)),
        };
        let levels = 0..self.schedule.depth();
        let levels = levels.map(|level| self.level_traffic(level, &self.seatings[0]).busiest());
        let busiest = levels.max().unwrap_or(0);
        let level_bytes = (busiest as usize).max(1) * 8 * self.block_words;
        let window = if wanted.window_bytes == 0 { WINDOW_BYTES } else { wanted.window_bytes };
        let memory = SLOT_BYTES / threads / (slot_bytes * self.block_words);
        self.blocks = match wanted.blocks {
            0 => window.div_ceil(level_bytes).max(2).min(memory.max(1)),
            given => given,
        };
        let ahead_bits = self.seatings.iter().map(Seating::ahead_bits).max().unwrap_or(0);
        let group_bytes = ahead_bits * 8 * self.block_words * self.blocks;
        self.groups_late = (WINDOWS_AHEAD * window / group_bytes.max(1)).max(1);
    }
}

impl Seating {
    /// Bits per instance that the role that works ahead gives late, and learns.
    fn ahead_bits(&self) -> usize {
        let late = self.inputs.iter().filter(|port| port.timing == Timing::Late);
        let late: usize = late.map(|port| port.slots.len()).sum();
        let ahead = self.assignment.protocol.ahead();
        let learns = |port: &&OutputPort| ahead.is_some_and(|role| port.receivers.contains(&role));
        late + self.outputs.iter().filter(learns).map(|port| port.slots.len()).sum::<usize>()
    }

    /// Bits of the widest input or output port.
    pub(super) fn widest_port(&self) -> usize {
        let inputs = self.inputs.iter().map(|port| port.slots.len());
        inputs.chain(self.outputs.iter().map(|port| port.slots.len())).max().unwrap_or(0)
    }
}

/// Products of two factors of a circuit.
fn products(schedule: &Schedule) -> usize {
    (0..schedule.depth()).map(|level| schedule.products(level).len()).sum()
}

/// Refuses circuits whose garbled form is too large to be kept.
fn check_size(job: &Job, schedule: &Schedule) -> Result<(), EvaluateError> {
    let (ands, protocol) = (products(schedule), job.protocol());
    let most = garbler(protocol).and_then(|garbler| garbler.kept(&job.options.terms()).most_ands);
    match most.filter(|most| ands >= *most) {
        Some(most) => Err(EvaluateError::Job(format!(
            "the circuit has {ands} ANDs; {protocol} keeps a garbled circuit in memory and takes fewer \
             than {most}: use gmw, or split the circuit"
        ))),
        None => Ok(()),
    }
}

fn seatings(
    job: &Job,
    circuit: &Circuit,
    schedule: &Schedule,
) -> Result<Vec<Seating>, EvaluateError> {
    let mut mixes: Vec<(&Balance, Option<Arc<Mix>>)> = Vec::new();
    let mut seatings = Vec::new();
    for assignment in &job.options.assignments {
        seatings.push(Seating {
            mix: mix_of(&assignment.balance, schedule, &mut mixes),
            inputs: input_ports(job, assignment, circuit, schedule)?,
            outputs: output_ports(job, assignment, schedule)?,
            assignment: assignment.clone(),
        });
    }
    Ok(seatings)
}

/// The mix of a circuit's products by some weights, laid out once for all assignments with those.
fn mix_of<'a>(
    balance: &'a Balance,
    schedule: &Schedule,
    known: &mut Vec<(&'a Balance, Option<Arc<Mix>>)>,
) -> Option<Arc<Mix>> {
    if let Some((_, mix)) = known.iter().find(|(other, _)| *other == balance) {
        return mix.clone();
    }
    let mix = Mix::new(balance, schedule).map(Arc::new);
    known.push((balance, mix.clone()));
    mix
}

fn input_ports(
    job: &Job,
    assignment: &Assignment,
    circuit: &Circuit,
    schedule: &Schedule,
) -> Result<Vec<InputPort>, EvaluateError> {
    let mut slots = schedule.inputs().iter().map(|input| input.slot);
    let widths = circuit.input_widths().iter();
    let mut port = |(owner, width): (&PartyId, &u32)| {
        let owner = assignment.role_of(*owner)?;
        Ok(InputPort {
            owner,
            timing: timing(assignment.protocol, job.options.preprocessing, owner),
            slots: slots.by_ref().take(*width as usize).collect(),
        })
    };
    job.owners.iter().zip(widths).map(&mut port).collect()
}

fn output_ports(
    job: &Job,
    assignment: &Assignment,
    schedule: &Schedule,
) -> Result<Vec<OutputPort>, EvaluateError> {
    let port = |(receivers, slots): (&Vec<PartyId>, &Vec<Slot>)| {
        let mut roles: Vec<RoleId> =
            receivers.iter().map(|r| assignment.role_of(*r)).collect::<Result<_, _>>()?;
        roles.sort_unstable();
        roles.dedup();
        Ok(OutputPort { receivers: roles, slots: slots.clone() })
    };
    job.receivers.iter().zip(schedule.outputs()).map(port).collect()
}

/// The role that works ahead must not fold its inputs into stored preprocessing.
fn timing(protocol: Protocol, preprocessing: Preprocessing, owner: RoleId) -> Timing {
    if preprocessing == Preprocessing::Separate && protocol.ahead() == Some(owner) {
        Timing::Late
    } else {
        Timing::Early
    }
}
