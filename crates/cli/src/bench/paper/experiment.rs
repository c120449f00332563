//! What is run for the rows of papers: all parties as threads of this process, on virtual networks.
//!
//! Time is virtual: messages take what the network's delays and rates say, computing what it takes a core of this machine. Every
//! thread of every party has a core of its own there, so that numbers of threads may be those of a paper.

use super::publication::Quantity;
use crate::bench::limit;
use crate::bench::task;
use crate::error::CliError;
use crate::lab;
use crate::run::in_turn;
use std::time::Duration;
use tacit::runtime::{Profile, roles};
use tacit_circuit::Circuit;
use tacit_circuit::library::layered;
use tacit_circuit::table::{Sizes, published};
use tacit_engine::bench::{self, Measured, Operation, Plan};
use tacit_engine::circuit::{
    Assignment, Blocking, FormChoice, Job, MadeTriples, Preprocessing, Report, TripleJob,
    measure_triples,
};
use tacit_engine::protocols::AUTHENTICATED;
use tacit_net::PartyId;
use tacit_net::memory::{self, Compute, MemoryNetwork};
use tacit_planner::{Network, Wanted, for_products};
use tacit_ring::{Entropy, prg};
use tacit_sharing::Protocol;
use tacit_sharing::arrays::Cut;

/// What is run. Rows that ask for equal experiments share one run.
#[derive(Clone, Debug, PartialEq)]
pub enum Experiment {
    /// A circuit.
    Circuit(CircuitRun),
    /// Products, inner products or matrices of independent elements.
    Array(ArrayRun),
    /// Authenticated triples of so many parties, `each` for every thread.
    Triples {
        /// Parties.
        parties: usize,
        /// Threads of each.
        threads: usize,
        /// Triples of each thread.
        each: usize,
    },
    /// The gates of a circuit are counted.
    Size(Design),
    /// The random words of each role are counted.
    Draws(Protocol),
    /// The speed of this processor's randomness, on one thread.
    Randomness,
}

/// A circuit.
#[derive(Clone, Debug, PartialEq)]
pub enum Design {
    /// One of the library's, with its parameters.
    Library(&'static str, Vec<(&'static str, String)>),
    /// The adder of the paper on multi-fan-in gates: fan-in, width.
    Adder(usize, usize),
    /// Its multiplier.
    Multiplier(usize, usize),
    /// Its comparator.
    Comparator(usize, usize),
    /// A random one: ANDs, levels, input bits of each party, output bits.
    Random(u64, u32, u32, usize),
}

/// A network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Net {
    /// As `--network` takes it.
    Named(&'static str),
    /// The same with all links but those between some pairs at a part of their rate, in percent.
    Throttled(&'static str, f64, &'static [(u8, u8)]),
}

/// A run of a circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitRun {
    /// The circuit.
    pub design: Design,
    /// For so many parties.
    pub protocol: Protocol,
    /// Between the parties.
    pub network: Net,
    /// Instances side by side, and with `--quick`.
    pub instances: [usize; 2],
    /// What counts as a result in an instance: its ANDs, or 1.
    pub results: u64,
    /// Threads of a party, over all assignments of roles.
    pub threads: usize,
    /// How wide products are made.
    pub form: FormChoice,
    /// Whether the phases are apart.
    pub preprocessing: Preprocessing,
    /// Whether roles are split so that all links carry as much.
    pub split: bool,
    /// Whether the last party plays the first role, and so on.
    pub reversed: bool,
}

/// A run on arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayRun {
    /// For so many parties.
    pub protocol: Protocol,
    /// What is computed.
    pub operation: Operation,
    /// Bits of a ring element; 1 for ANDs.
    pub ring_bits: u32,
    /// Elements of a pass, and with `--quick`: none if that leaves it out.
    pub elements: [usize; 2],
    /// Between the parties.
    pub network: Net,
    /// Threads of a party, over all assignments of roles.
    pub threads: usize,
    /// Parties, with more of them than roles if roles are split.
    pub parties: usize,
    /// Whether roles are split so that all links carry as much.
    pub split: bool,
    /// Milliseconds to measure, of this machine's time.
    pub milliseconds: u64,
}

/// What an experiment yielded, once.
#[derive(Clone, Debug)]
pub struct Outcome(Vec<(Quantity, f64)>);

impl Outcome {
    /// One quantity of it.
    pub fn get(&self, quantity: Quantity) -> Option<f64> {
        self.0.iter().find(|(known, _)| *known == quantity).map(|(_, value)| *value)
    }
}

impl Experiment {
    /// Runs it once.
    pub fn run(&self) -> Result<Outcome, CliError> {
        let quantities = match self {
            Experiment::Circuit(run) => run.run()?,
            Experiment::Array(run) => run.run()?,
            Experiment::Triples { parties, threads, each } => triples(*parties, *threads, *each)?,
            Experiment::Size(design) => sizes(&design.circuit(2)?),
            Experiment::Draws(protocol) => (0..protocol.parties())
                .map(|role| (Quantity::Draws(role as u8), limit::drawn_by(*protocol, role) as f64))
                .collect(),
            Experiment::Randomness => {
                let bytes = prg::throughput(Duration::from_millis(300));
                vec![(Quantity::RandomBits, bytes * 8.0)]
            }
        };
        Ok(Outcome(quantities))
    }

    /// The same, smaller, as `--quick` asks for it; `None` if it is too large all the same.
    pub fn quick(&self) -> Option<Experiment> {
        let mut quick = self.clone();
        match &mut quick {
            Experiment::Circuit(run) => {
                run.instances[0] = run.instances[1];
                return (run.protocol.parties() <= QUICK_PARTIES).then_some(quick);
            }
            Experiment::Array(run) => {
                (run.elements[0], run.milliseconds) = (run.elements[1], run.milliseconds / 10);
                return (run.elements[0] > 0).then_some(quick);
            }
            Experiment::Triples { parties, each, .. } => {
                *each = (*each).min(QUICK_TRIPLES);
                return (*parties <= QUICK_MAKERS).then_some(quick);
            }
            _ => {}
        }
        Some(quick)
    }

    /// The protocol that it runs, where that is not always the same.
    pub fn protocol(&self) -> Option<Protocol> {
        match self {
            Experiment::Circuit(run) => Some(run.protocol),
            Experiment::Array(run) => Some(run.protocol),
            Experiment::Draws(protocol) => Some(*protocol),
            Experiment::Triples { .. } | Experiment::Size(_) | Experiment::Randomness => None,
        }
    }

    /// Whether it yields the same in every run.
    pub fn is_exact(&self) -> bool {
        matches!(self, Experiment::Size(_) | Experiment::Draws(_))
    }
}

/// With `--quick`: most parties of a circuit, triples of a thread, and most parties that make them.
const QUICK_PARTIES: usize = 13;
const QUICK_TRIPLES: usize = 1024;
const QUICK_MAKERS: usize = 4;

impl Design {
    /// One of the library's.
    pub fn library(name: &'static str, parameters: &[(&'static str, &str)]) -> Design {
        let parameters = parameters.iter().map(|(key, value)| (*key, (*value).to_owned()));
        Design::Library(name, parameters.collect())
    }

    fn circuit(&self, parties: usize) -> Result<Circuit, CliError> {
        Ok(match self {
            Design::Library(name, parameters) => {
                let parameters = parameters.iter().map(|(key, value)| (*key, &**value));
                task::built(name, &parameters.collect::<Vec<_>>())?
            }
            Design::Adder(fan_in, width) => published::adder(*fan_in, *width),
            Design::Multiplier(fan_in, width) => published::multiplier(*fan_in, *width),
            Design::Comparator(fan_in, width) => published::comparator(*fan_in, *width),
            Design::Random(ands, depth, inputs, outputs) => layered::circuit(&layered::Size {
                ands: *ands as usize,
                depth: *depth as usize,
                inputs: vec![*inputs; parties],
                outputs: *outputs,
            }),
        })
    }
}

impl Net {
    fn played(self) -> Result<MemoryNetwork, CliError> {
        let (Net::Named(name) | Net::Throttled(name, ..)) = self;
        let mut network = Profile::load(name)?.virtual_network();
        if let Net::Throttled(_, percent, kept) = self {
            let is_kept = |a: PartyId, b: PartyId| {
                kept.iter().any(|pair| *pair == (a.0, b.0) || *pair == (b.0, a.0))
            };
            for (_, link) in network.links.iter_mut().filter(|((a, b), _)| !is_kept(*a, *b)) {
                let rate = link.bits_per_second.map(|rate| rate as f64 * percent / 100.0);
                link.bits_per_second = rate.map(|rate| rate as u64);
            }
        }
        Ok(network.with_compute(Compute::ThreadCpuTime(1.0)))
    }
}

impl CircuitRun {
    /// One instance, all preprocessing first.
    pub fn new(design: Design, protocol: Protocol, network: &'static str) -> CircuitRun {
        CircuitRun {
            design,
            protocol,
            network: Net::Named(network),
            instances: [1, 1],
            results: 1,
            threads: 1,
            form: FormChoice::default(),
            preprocessing: Preprocessing::Separate,
            split: false,
            reversed: false,
        }
    }

    /// Runs it; all parties learn the output.
    fn run(&self) -> Result<Vec<(Quantity, f64)>, CliError> {
        let parties = self.protocol.parties();
        let circuit = self.design.circuit(parties)?;
        let owners = in_turn(circuit.input_widths().len(), parties).collect();
        let all: Vec<PartyId> = PartyId::all(parties).collect();
        let receivers = vec![all.clone(); circuit.output_ports().len()];
        let mut job = Job::new(self.protocol, owners, receivers);
        (job.instances, job.form) = (self.instances[0], self.form);
        job.options.preprocessing = self.preprocessing;
        // As in `tacit lab`: a link's worth of messages is under way.
        job.blocking = Blocking { window_bytes: 32 << 20, ..Blocking::default() };
        if self.reversed {
            job.assign(all.iter().rev().copied().collect());
        }
        if self.split {
            roles::split_evenly(&mut job, &circuit, &[self.protocol])?;
        }
        job.options.workers = (self.threads / job.options.assignments.len()).max(1);
        job.check(&circuit)?;
        let (report, _) = lab::rehearsed(&circuit, &job, &all, &self.network.played()?)?;
        let mut quantities = self.of(&report);
        if self.protocol.authenticates() {
            quantities.extend(self.phases(&circuit, &report));
        }
        Ok(quantities)
    }

    /// Times, and bytes per instance.
    fn of(&self, report: &Report) -> Vec<(Quantity, f64)> {
        let (ahead, online) = (report.cost.offline_seconds, report.cost.online_seconds);
        let instances = self.instances[0] as f64;
        vec![
            (Quantity::Ahead, ahead),
            (Quantity::Online, online),
            (Quantity::Total, ahead + online),
            (Quantity::PerSecond, instances * self.results as f64 / online),
            (Quantity::Bytes, report.cost.total_bytes() as f64 / instances),
        ]
    }

    /// Bytes of the party that sends most, by phase. What it sends ahead is cut by the cost function of triples and of bits
    /// for masks.
    fn phases(&self, circuit: &Circuit, report: &Report) -> [(Quantity, f64); 3] {
        let parties = self.protocol.parties();
        let most = |online: bool| {
            let of = |party: usize| {
                let links = report.cost.links.iter().filter(|link| usize::from(link.from) == party);
                let links = links.filter(|link| (link.stream == "online") == online);
                links.map(|link| link.bytes).sum::<u64>()
            };
            (0..parties).map(of).max().unwrap_or(0) as f64
        };
        let ands = circuit.stats().ands.iter().sum::<u64>() as usize;
        // Of the party that gives most inputs.
        let inputs = circuit.input_widths().iter().max().map_or(0, |width| *width as usize);
        let made = triple_job(parties, 1, ands, ands + inputs).bytes();
        let independent = (1..parties).map(|to| made.link(0, to)).sum::<u64>() as f64;
        [
            (Quantity::BytesIndependent, independent),
            (Quantity::BytesDependent, most(false) - independent),
            (Quantity::BytesOnline, most(true)),
        ]
    }
}

impl ArrayRun {
    /// Products in a ring, or ANDs, on one thread of each party.
    pub fn new(
        protocol: Protocol,
        ring_bits: u32,
        elements: [usize; 2],
        network: &'static str,
    ) -> ArrayRun {
        ArrayRun {
            protocol,
            operation: Operation::Product,
            ring_bits,
            elements,
            network: Net::Named(network),
            threads: 1,
            parties: protocol.parties(),
            split: false,
            milliseconds: 1000,
        }
    }

    fn run(&self) -> Result<Vec<(Quantity, f64)>, CliError> {
        let network = Network::uniform(self.parties);
        let assignments = match self.split {
            true => {
                for_products(&network, &[self.protocol], (1 << 20, 8), Wanted::Split)
                    .map_err(|e| CliError::input(e.to_string()))?
                    .assignments
            }
            false => vec![Assignment::in_order(self.protocol)],
        };
        let plan = Plan {
            threads: (self.threads / assignments.len()).max(1),
            assignments,
            ring_bits: self.ring_bits,
            operation: self.operation,
            elements: self.elements[0],
            duration: Duration::from_millis(self.milliseconds),
            cut: Cut::default(),
        };
        plan.check()?;
        let (network, meshes) = (self.network.played()?, plan.threads * plan.assignments.len());
        let results = memory::run(self.parties, meshes, &network, |mut session| {
            let measured = bench::run(&mut session, &plan)?;
            session.finish()?;
            Ok::<Measured, CliError>(measured)
        });
        let results: Vec<Measured> = results.into_iter().collect::<Result<_, _>>()?;
        let seconds = |measured: &Measured| measured.session_seconds;
        let slowest = results.iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        let slowest = slowest.ok_or_else(|| CliError::input("a benchmark has parties"))?;
        Ok(self.of(slowest, &network))
    }

    fn of(&self, measured: &Measured, network: &MemoryNetwork) -> Vec<(Quantity, f64)> {
        let elements = measured.elements as f64;
        let each = measured.session_seconds / (measured.passes as f64 * elements);
        let bits = measured.bytes.total() as f64 * 8.0 / elements;
        let mut quantities = vec![
            (Quantity::PerSecond, 1.0 / each),
            (Quantity::Each, each),
            (Quantity::BitsPerParty, bits / self.parties as f64),
            (Quantity::Elements, bits / f64::from(measured.ring_bits)),
        ];
        let pairs = PartyId::all(self.parties)
            .flat_map(|from| PartyId::all(self.parties).map(move |to| (from, to)));
        let rates = pairs.filter_map(|(from, to)| {
            let load = measured.bytes.link(from.index(), to.index()) as f64 * 8.0;
            let rate = network.link(from, to).bits_per_second?;
            (load > 0.0).then(|| rate as f64 * elements / load)
        });
        let bound = rates.min_by(f64::total_cmp);
        quantities.extend(bound.map(|bound| (Quantity::LimitPercent, 100.0 / each / bound)));
        quantities
    }
}

fn sizes(circuit: &Circuit) -> Vec<(Quantity, f64)> {
    let sizes = Sizes::of(circuit);
    let of_class =
        |class: u8, ands: &[u64]| (Quantity::AndsOfClass(class), ands.iter().sum::<u64>() as f64);
    vec![
        (Quantity::Depth, f64::from(sizes.depth)),
        (Quantity::Ands, sizes.size as f64),
        of_class(0, &sizes.ands[..1]),
        of_class(1, &sizes.ands[1..3]),
        of_class(2, &sizes.ands[3..]),
        (Quantity::GateBytes, sizes.total_bits as f64 / 8.0),
        (Quantity::EvaluatorBytes, sizes.direction_bits as f64 / 8.0),
        (Quantity::HelperBytes, sizes.helper_bits as f64 / 8.0),
    ]
}

fn triple_job(parties: usize, workers: usize, triples: usize, bits: usize) -> TripleJob {
    let assignment = Assignment::in_order(AUTHENTICATED.fitting(parties));
    TripleJob { assignment, workers, triples, bits }
}

/// Time of all triples divided by their number, and bytes that a party sends each other one.
fn triples(parties: usize, threads: usize, each: usize) -> Result<Vec<(Quantity, f64)>, CliError> {
    let job = triple_job(parties, threads, each, 0);
    let network = Net::Named("10gbit").played()?;
    let all = memory::run(parties, threads, &network, |mut session| {
        let made = measure_triples(&mut session, &job, &mut Entropy::system())?;
        session.finish()?;
        Ok::<MadeTriples, CliError>(made)
    });
    let all: Vec<MadeTriples> = all.into_iter().collect::<Result<_, _>>()?;
    let seconds = all.iter().map(|made| made.seconds).fold(0.0, f64::max);
    let bytes = all[0].links.iter().map(|link| link.bytes).max().unwrap_or(0);
    let count = (each * threads) as f64;
    Ok(vec![(Quantity::Each, seconds / count), (Quantity::BytesToEach, bytes as f64 / count)])
}
