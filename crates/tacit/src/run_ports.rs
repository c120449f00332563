//! A party's run of a circuit: its inputs, and the start.

use crate::circuit::{Bits, Circuit, CircuitOutcome};
use crate::error::{Error, Result};
use crate::names::Parties;
use crate::options::Options;
use crate::run::Run;
use crate::run_circuit::{CircuitRun, circuit_job, consent, in_turn};
use crate::store::{check_store, open_store};
use std::collections::{BTreeMap, BTreeSet};
use tacit_engine::circuit::Job;
use tacit_engine::values::Lanes;
use tacit_net::PartyId;

/// A circuit and one party's inputs of it: what a [`Run`] is of that [`Party::evaluate`](crate::Party::evaluate) makes.
#[derive(Clone)]
pub struct Ports<'p> {
    circuit: &'p Circuit,
    values: BTreeMap<usize, Bits>,
    owners: BTreeMap<usize, String>,
    receivers: BTreeMap<usize, Vec<String>>,
    repeats: BTreeSet<usize>,
    instances: Option<usize>,
}

impl<'p> Ports<'p> {
    pub(crate) fn of(circuit: &'p Circuit) -> Ports<'p> {
        Ports {
            circuit,
            values: BTreeMap::new(),
            owners: BTreeMap::new(),
            receivers: BTreeMap::new(),
            repeats: BTreeSet::new(),
            instances: None,
        }
    }
}

/// Runs of circuits: many instances side by side, each on values of its own.
impl<'p> Run<'p, Ports<'p>> {
    /// This party's values of an input port: one per instance.
    pub fn input(mut self, port: usize, values: impl Into<Bits>) -> Self {
        self.task.values.insert(port, values.into());
        self
    }

    /// Lets the one value of an input port be used in as many instances as the others give values for. Whoever chooses
    /// the other inputs asks as many questions about it: under a comparison a single run may tell all of it. So nothing is
    /// repeated unless its owner says so here.
    pub fn repeat(mut self, port: usize) -> Self {
        self.task.repeats.insert(port);
        self
    }

    /// In how many instances this party takes part: in as many as it gives values for, unless it is said.
    pub fn instances(mut self, instances: usize) -> Self {
        self.task.instances = Some(instances);
        self
    }

    /// Who gives an input port: the parties in turn, port by port, unless it is said. All parties must say the same.
    pub fn owner(mut self, port: usize, party: &str) -> Self {
        self.task.owners.insert(port, party.to_owned());
        self
    }

    /// Who learns an output port: everybody, unless it is said. All parties must say the same.
    pub fn reveal<'n>(mut self, port: usize, parties: impl IntoIterator<Item = &'n str>) -> Self {
        let parties = parties.into_iter().map(str::to_owned).collect();
        self.task.receivers.insert(port, parties);
        self
    }

    /// Evaluates the circuit with the other parties, to its end; see [`Run`]. It blocks until then.
    ///
    /// # Errors
    /// [`Error::kind`] says whose fault it is. When this party's own input is wrong, it spends up to 1.2 s on telling
    /// the others, so that they do not wait for it.
    pub fn start(self) -> Result<CircuitOutcome> {
        let done = self.meet(|meeting| {
            let (options, wanted) = self.options()?;
            let (party, circuit) = (self.party, self.task.circuit);
            let parties = Parties::of(&meeting.config, party.origin(), options.protocol, false)?;
            let job = self.job(&options, &parties)?;
            if let Some(directory) = &options.stored {
                check_store(directory)?;
            }
            let values = self.values(&job)?;
            let repeats = |port| self.task.repeats.contains(&port);
            let consent = consent(circuit, &values, self.task.instances, repeats)?;
            let names = &parties.0[..];
            let run = CircuitRun { circuit, names, options: &options, wanted, job, consent };
            meeting.config.workers = run.workers()?;
            let stored = options.stored.as_deref();
            let store = stored
                .map(|directory| open_store((directory, party.name()), &meeting.config, true))
                .transpose()?;
            run.with_others(meeting, values, store, &self.settings.watch)
        })?;
        Ok(CircuitOutcome::new(done.result, done.auto))
    }

    fn job(&self, options: &Options, parties: &Parties) -> Result<Job> {
        let Ports { circuit, owners: given, receivers: learn, instances, .. } = &self.task;
        let (inputs, outputs) = (circuit.inputs().len(), circuit.outputs().len());
        let mut owners: Vec<PartyId> = in_turn(inputs, parties.0.len()).collect();
        for (port, name) in given {
            *owners.get_mut(*port).ok_or_else(|| no_port("input", *port, inputs))? =
                parties.find(name)?;
        }
        let everybody: Vec<PartyId> = PartyId::all(parties.0.len()).collect();
        let mut receivers = vec![everybody; outputs];
        for (port, names) in learn {
            *receivers.get_mut(*port).ok_or_else(|| no_port("output", *port, outputs))? =
                names.iter().map(|name| parties.find(name)).collect::<Result<_>>()?;
        }
        circuit_job(options, circuit, parties, (owners, receivers), instances.unwrap_or(1))
    }

    /// The values of this party's ports.
    fn values(&self, job: &Job) -> Result<Vec<Option<Lanes>>> {
        let Ports { circuit, values, repeats, .. } = &self.task;
        let (widths, me) = (circuit.inputs(), self.party.id());
        if let Some(port) = values.keys().chain(repeats).find(|port| **port >= widths.len()) {
            return Err(no_port("input", *port, widths.len()));
        }
        let value = |(port, width): (usize, &u32)| {
            let mine = job.owners[port] == me;
            match values.get(&port) {
                Some(bits) if mine => bits.lanes(port, *width).map(Some),
                None if mine && *width == 0 => Ok(Some(Lanes::from_bits(Vec::new(), 1))),
                None if mine => Err(Error::input(format!(
                    "input port {port} ({width} bits) is this party's, but has no values"
                ))),
                None => Ok(None),
                Some(_) => Err(Error::input(format!(
                    "input port {port} is another party's, which gives it itself"
                ))),
            }
        };
        widths.iter().enumerate().map(value).collect()
    }
}

fn no_port(side: &str, port: usize, ports: usize) -> Error {
    Error::input(format!("there is no {side} port {port}: the circuit has {ports}"))
}
