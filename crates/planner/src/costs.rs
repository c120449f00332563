//! From jobs to phases: what a circuit or a program asks of links, processors and memory.

use crate::assign::loads;
use crate::counter::Counted;
use crate::network::Waits;
use crate::programs::{critical, levels};
use crate::time::{Phase, Serial};
use crate::work::{of_an_and, of_set_up};
use tacit_backend::awaited::{Awaited, Wait};
use tacit_backend::convert::hears_before_it_deals;
use tacit_backend::cost::{self, MAX_ROLES, Products, Traffic};
use tacit_backend::latencies::{self, Latencies};
use tacit_backend::work::Work;
use tacit_engine::circuit::{
    Assignment, Compiled, EvaluateError, Preprocessing, memory, predict, predict_ahead,
};
use tacit_engine::program::{CompiledProgram, Cost, ProgramJob};
use tacit_garbling::bmr::Opening;
use tacit_garbling::{Terms, garbler};
use tacit_net::PartyId;
use tacit_sharing::Protocol;

/// What a job asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Until parties have compared what they are about to do, and have their keys.
    pub set_up: Phase,
    /// What does not depend on inputs, where all of it comes first or nothing else can begin before it.
    pub ahead: Phase,
    /// The rest.
    pub online: Phase,
    /// Bytes that a party keeps at once, about.
    pub memory_bytes: f64,
}

impl Costs {
    /// All phases, in their order.
    #[must_use]
    pub fn phases(&self) -> [&Phase; 3] {
        [&self.set_up, &self.ahead, &self.online]
    }
}

/// What a circuit's job asks of links, processors and memory, phase by phase.
#[must_use]
pub fn of_circuit(compiled: &Compiled) -> Costs {
    let job = compiled.job();
    let (protocol, opening, all) = (job.protocol(), job.options.opening(), predict(compiled));
    let first = comes_first(protocol, job.options.preprocessing);
    let ahead = if first { predict_ahead(compiled) } else { Traffic::default() };
    let online = all.bytes.without(&ahead);
    // One who computes in the clear waits for no level.
    let depth = if all.critical.is_empty() { 0 } else { all.depth };
    let levels = depth * latencies::levels(protocol);
    let waits = latencies(protocol, opening, depth);
    let steps = Steps {
        set_up: waits.set_up,
        ahead: if first { waits.ahead } else { 0 },
        levels: vec![Waits { links: all.critical, steps: levels }],
        serial: Vec::new(),
        dealt: Vec::new(),
        before: Vec::new(),
        side_by_side: job.options.assignments.len() > 1,
        messages: messages(&job.options.assignments),
        ends: waits.online - levels,
        checks: latencies::checks(protocol, latencies::OF_RESULTS, all.proof_rounds),
    };
    let [ahead, online] = [ahead, online].map(|bytes| loads(&bytes));
    let parties = &job.options.assignments[0].places;
    let costs = steps.costs(protocol, parties, [ahead, online], all.products);
    Costs { memory_bytes: memory(compiled) as f64, ..costs }
}

/// What a program's job asks of links, processors and memory, phase by phase.
///
/// # Errors
/// When arrays are too large.
pub fn of_program(prepared: CompiledProgram) -> Result<Costs, EvaluateError> {
    let cost = cost_of_program(&prepared)?;
    of_counted(&Counted { compiled: prepared, cost })
}

pub(crate) fn of_counted(counted: &Counted) -> Result<Costs, EvaluateError> {
    let (prepared, cost) = (&counted.compiled, &counted.cost);
    let job = prepared.job();
    let (protocol, online) = (job.protocol(), cost.online());
    let first = comes_first(protocol, job.options.preprocessing);
    let ahead = if first { cost.ahead.clone() } else { Traffic::default() };
    let online = if first { online } else { cost.bytes.clone() };
    let steps = steps_of_program(prepared, cost, first)?;
    let everyone = job.everyone();
    let [ahead, online] = [ahead, online].map(|bytes| loads(&bytes.placed(&everyone)));
    let mut costs = steps.costs(protocol, &everyone, [ahead, online], cost.products);
    let ands = prepared.circuit_ands()?.unwrap_or(0);
    // Parties who have just drawn it to know its cost do not draw it again.
    let known = ands <= MAX_DRAWN && prepared.circuits()? == 1;
    let again = if known { DRAWN_BEFORE } else { 1.0 };
    costs.set_up.work.drawn = again * ands as f64;
    Ok(Costs { memory_bytes: memory_of_program(prepared)?, ..costs })
}

/// ANDs of a circuit that is drawn to know its cost exactly: about a quarter of a second's worth.
pub(crate) const MAX_DRAWN: u64 = 1 << 18;
/// The part of the work of drawing a circuit that a run has which finds it drawn: inputs and results are walked through.
const DRAWN_BEFORE: f64 = 0.25;

/// Exactly; of large circuits what their ANDs cost, without inputs and outputs.
pub(crate) fn cost_of_program(prepared: &CompiledProgram) -> Result<Cost, EvaluateError> {
    match prepared.circuit_ands()?.filter(|ands| *ands > MAX_DRAWN) {
        None => prepared.cost(),
        Some(ands) => {
            let bytes = product(prepared.job().protocol()) * ands / 8;
            let ahead = Traffic { on: cost::Links::default(), ..bytes.clone() };
            let (rounds, products) = ([0; cost::MAX_ROLES], Products::of(ands));
            let awaited = Awaited::default();
            let (proof_rounds, check_rounds) = (0, 0);
            Ok(Cost {
                bytes,
                ahead,
                rounds,
                awaited,
                proof_rounds,
                check_rounds,
                batches: 0,
                products,
            })
        }
    }
}

fn steps_of_program(
    prepared: &CompiledProgram,
    cost: &Cost,
    first: bool,
) -> Result<Steps, EvaluateError> {
    let job = prepared.job();
    let checks = latencies::checks(job.protocol(), cost.check_rounds, cost.proof_rounds);
    let opening = job.options.opening.unwrap_or(job.protocol().opening());
    let Latencies { set_up, ahead, online } = latencies(job.protocol(), opening, 0);
    let ahead = match (first, cost.batches) {
        (false, _) => 0,
        (true, 0 | 1) => ahead,
        (true, batches) => ahead + (batches - 1) * latencies::more_ahead(job.protocol()),
    };
    if job.protocol().garbles() {
        let circuits = prepared.circuits()?;
        let (ahead, ends) = (circuits * ahead, circuits * online);
        let (levels, serial) = (Vec::new(), Vec::new());
        let (dealt, before) = (Vec::new(), Vec::new());
        let (side_by_side, messages) = (false, messages(&job.options.assignments));
        return Ok(Steps {
            set_up,
            ahead,
            levels,
            serial,
            dealt,
            before,
            side_by_side,
            messages,
            ends,
            checks,
        });
    }
    let everyone = job.everyone();
    let awaited = cost.awaited.between(|bytes| bytes.placed(&everyone));
    // Assignments side by side come to the same operations at the same time, and wait for each other behind them.
    let mut together: Vec<Wait> = Vec::new();
    for assignment in 0..job.options.assignments.len() {
        for (number, wait) in
            awaited.iter().filter(|wait| wait.assignment == assignment).enumerate()
        {
            match together.get_mut(number) {
                Some(beside) => {
                    beside.bytes += &wait.bytes;
                    beside.sent += &wait.sent;
                    beside.steps = beside.steps.max(wait.steps);
                }
                None => together.push(wait.clone()),
            }
        }
    }
    let serial = serial(&together, hears_before_it_deals(job.protocol()));
    let taken = |link: &(usize, usize, f64)| {
        serial.iter().any(|it| goes(&it.bytes, link.0, link.1) && goes(&it.bytes, link.1, link.0))
    };
    let before = match first {
        true => Traffic::default(),
        false => Traffic { on: cost.bytes.pre.clone(), ..Traffic::default() },
    };
    let dealt = loads(&before.placed(&everyone));
    let before = dealt.iter().copied().filter(taken).collect();
    let levels = waits_of_program(job, cost, &together);
    let (assignments, ends) = (&job.options.assignments, 1);
    let (side_by_side, messages) = (assignments.len() > 1, messages(assignments));
    // Who waits most need not wait for inputs or results.
    Ok(Steps { set_up, ahead, levels, serial, dealt, before, side_by_side, messages, ends, checks })
}

/// How many messages a level of products has under all assignments.
fn messages(assignments: &[Assignment]) -> usize {
    assignments.iter().map(|it| loads(&product(it.protocol)).len()).sum()
}

/// What is sent one after the other, and which part of it goes in one step. A dealer that hears first what others deferred
/// deals afterwards; what other dealers send is on its way before.
fn serial(waits: &[Wait], hears: bool) -> Vec<Serial> {
    let mut serial = Vec::new();
    for Wait { sent, largest, .. } in waits {
        let online = Traffic { on: sent.on.clone(), ..Traffic::default() };
        let part = *largest as f64 / online.busiest().max(1) as f64;
        if hears {
            let deferred = Traffic { def: sent.def.clone(), ..Traffic::default() };
            let dealt = Traffic { pre: sent.pre.clone(), ..Traffic::default() };
            serial.push(Serial { bytes: loads(&(online + deferred)), step: part });
            serial.push(Serial { bytes: loads(&dealt), step: part });
        } else {
            serial.push(Serial { bytes: loads(&online), step: part });
        }
    }
    serial
}

/// Whether something goes over a link.
fn goes(bytes: &Loads, from: usize, to: usize) -> bool {
    bytes.iter().any(|link| (link.0, link.1) == (from, to))
}

/// How often operations wait for which links. Where parties answer each other, waits for different links come one after the
/// other. Elsewhere who waits for whom goes round, and the links are taken together.
fn waits_of_program(job: &ProgramJob, cost: &Cost, awaited: &[Wait]) -> Vec<Waits> {
    let links_of = |wait: &Wait| -> Vec<(usize, usize)> {
        loads(&wait.bytes).iter().map(|link| (link.0, link.1)).collect()
    };
    let hears = hears_before_it_deals(job.protocol());
    let mut waits = Vec::new();
    let (mut together, mut by_party, mut all) = (critical(job), [0; MAX_ROLES], [0; MAX_ROLES]);
    for wait in awaited {
        let links = links_of(wait);
        let answered = links.iter().all(|(from, to)| links.contains(&(*to, *from)));
        // A dealer that was told something has fallen behind its rounds.
        let rounds = if hears || wait.sent.total() > 0 { wait.steps } else { 0 };
        for party in (0..MAX_ROLES).filter(|party| wait.bytes.is_awaited_by(*party)) {
            all[party] += rounds;
            by_party[party] += if answered { 0 } else { wait.steps };
        }
        if answered {
            waits.push(Waits { links, steps: wait.steps });
        } else {
            together.extend(links);
        }
    }
    together.sort_unstable();
    together.dedup();
    let most = |steps: [u64; MAX_ROLES]| steps.into_iter().max().unwrap_or(0);
    let others = levels(job, cost).saturating_sub(most(all));
    waits.push(Waits { links: together, steps: most(by_party) + others });
    waits
}

/// Bytes of garbled circuits that a party keeps; shares go through in chunks.
fn memory_of_program(prepared: &CompiledProgram) -> Result<f64, EvaluateError> {
    let Some(ands) = prepared.circuit_ands()? else { return Ok(0.0) };
    let parties = prepared.job().protocol().parties() as f64;
    Ok((ands / prepared.circuits()?) as f64 * 256.0 * parties)
}

/// Elements that a product of shares takes, or bits of an AND that is garbled.
#[must_use]
pub fn product(protocol: Protocol) -> Traffic {
    match garbler(protocol) {
        Some(garbler) => garbler.and_bits(&Terms::of(protocol)),
        None => cost::product(protocol),
    }
}

/// How often the phases of a run wait, through so many levels of products.
#[must_use]
pub fn latencies(protocol: Protocol, opening: Opening, depth: u64) -> Latencies {
    match garbler(protocol) {
        Some(garbler) => garbler.latencies(&Terms { opening, ..Terms::of(protocol) }),
        None => latencies::of(protocol, depth),
    }
}

/// Whether all preprocessing is made before inputs are shared.
pub(crate) fn comes_first(protocol: Protocol, preprocessing: Preprocessing) -> bool {
    // What roles send ahead is sent beside the rest.
    !protocol.has_roles() || makes_triples(protocol) || preprocessing == Preprocessing::Separate
}

fn makes_triples(protocol: Protocol) -> bool {
    matches!(tacit_proof::Method::of(protocol), Some(tacit_proof::Method::Brain(..)))
}

/// How often parties wait.
struct Steps {
    set_up: u64,
    ahead: u64,
    /// For these links so often.
    levels: Vec<Waits>,
    /// Bytes online that are waited for one after the other.
    serial: Vec<Serial>,
    /// Bytes that roles send ahead.
    dealt: Loads,
    /// Bytes that go over the same links ahead of them.
    before: Loads,
    /// Whether several assignments of roles send side by side.
    side_by_side: bool,
    /// Messages of a level.
    messages: usize,
    /// For inputs, labels and results.
    ends: u64,
    /// For each other.
    checks: u64,
}

type Loads = Vec<(usize, usize, f64)>;

impl Steps {
    fn costs(
        self,
        protocol: Protocol,
        parties: &[PartyId],
        [ahead, online]: [Loads; 2],
        products: Products,
    ) -> Costs {
        let waits = |links: Vec<(usize, usize)>, steps: u64| Waits { links, steps };
        let used_links = |bytes: &Loads| bytes.iter().map(|link| (link.0, link.1)).collect();
        // What is garbled as it is evaluated is not told apart.
        let ahead_links = used_links(if ahead.is_empty() { &online } else { &ahead });
        let [work_ahead, work_online] = of_an_and(protocol);
        let each_other = pairs(parties);
        let levels: u64 = self.levels.iter().map(|waits| waits.steps).sum();
        let steps = (levels + self.ends + self.checks) as f64;
        let ends = [waits(used_links(&online), self.ends), waits(each_other.clone(), self.checks)];
        Costs {
            set_up: Phase {
                waits: vec![waits(each_other.clone(), self.set_up)],
                bytes: each_other.iter().map(|link| (link.0, link.1, keys(protocol))).collect(),
                serial: Vec::new(),
                dealt: Vec::new(),
                before: Vec::new(),
                side_by_side: false,
                messages: 0,
                exchanges: self.set_up,
                work: of_set_up(protocol),
            },
            ahead: Phase {
                waits: vec![waits(ahead_links, self.ahead)],
                bytes: ahead,
                serial: Vec::new(),
                dealt: Vec::new(),
                before: Vec::new(),
                side_by_side: false,
                messages: self.messages,
                exchanges: 0,
                work: work_ahead * products.preprocessed as f64,
            },
            online: Phase {
                waits: self.levels.into_iter().chain(ends).collect(),
                bytes: online,
                serial: self.serial,
                dealt: self.dealt,
                before: self.before,
                side_by_side: self.side_by_side,
                messages: self.messages,
                exchanges: 0,
                work: work_online * products.online as f64 + Work { steps, ..Work::default() },
            },
            memory_bytes: 0.0,
        }
    }
}

/// Bytes of keys, and of base oblivious transfers: 128 of 64 bytes and 32 more.
fn keys(protocol: Protocol) -> f64 {
    if protocol.has_transfers() { 128.0 * 64.0 + 32.0 } else { 64.0 }
}

fn pairs(parties: &[PartyId]) -> Vec<(usize, usize)> {
    let all = parties.iter().flat_map(|from| parties.iter().map(|to| (from.index(), to.index())));
    all.filter(|(from, to)| from != to).collect()
}
