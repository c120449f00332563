//! Runs: of all parties in this process, and of one party with others.

use crate::data::values;
use crate::error::failure;
use crate::outcome::Outcome;
use crate::program::Program;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tacit::{LocalParties, Network, Stopper, Threat, Values};

/// How often a run looks whether its user has pressed Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(50);

pub fn network(name: &str) -> PyResult<Network> {
    Network::named(name).map_err(failure)
}

pub fn threat(malicious: bool, corruptions: usize) -> Threat {
    if malicious { Threat::malicious(corruptions) } else { Threat::semi_honest(corruptions) }
}

pub fn protocol(name: &str) -> PyResult<tacit::Protocol> {
    tacit::protocols::named(name).map_err(|e| failure(e.into()))
}

/// The names of all protocols, with what they protect against.
#[pyfunction]
pub fn protocols() -> Vec<(String, usize, String)> {
    let described = |protocol: tacit::Protocol| {
        let parties = protocol.parties();
        (protocol.to_string(), parties, protocol.security().trust(parties))
    };
    tacit::protocols::all().filter(|it| !it.for_comparison()).map(described).collect()
}

/// All parties in this process, on a network that is played.
#[pyfunction]
pub fn run_local(
    py: Python<'_>,
    program: &Program,
    protocol: &str,
    network: &str,
    threads: usize,
    inputs: &Bound<'_, PyDict>,
    watch: &Watch,
) -> PyResult<Outcome> {
    let parties = LocalParties::new(&program.0, self::protocol(protocol)?);
    let parties = parties.network(self::network(network)?).threads(threads);
    let mut parties = parties.stopper(&watch.stopper).watched_by(&watch.watch);
    for (name, given) in values(inputs)? {
        parties = parties.input(&name, given);
    }
    waited(py, move || parties.run(), &watch.stopper).map(Outcome)
}

/// Says how far a run has come, and stops it.
#[pyclass(frozen, module = "tacit._tacit")]
#[derive(Default)]
pub struct Watch {
    stopper: Stopper,
    watch: tacit::Watch,
}

#[pymethods]
impl Watch {
    #[new]
    fn new() -> Watch {
        Watch::default()
    }

    /// The part that is done of what is counted; none before there is anything to count.
    #[getter]
    fn fraction(&self) -> Option<f64> {
        self.watch.fraction()
    }

    /// Ends the run for all parties.
    fn stop(&self) {
        self.stopper.stop();
    }
}

/// One of several parties.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Party(tacit::Party);

/// Parties with fresh keys on free ports of this machine, for trials.
#[pyfunction]
pub fn loopback(names: Vec<String>) -> PyResult<Vec<Party>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let parties = tacit::Party::on_loopback(&names).map_err(failure)?;
    Ok(parties.into_iter().map(Party).collect())
}

/// How a run of one party is done.
struct How {
    protocol: Option<tacit::Protocol>,
    threat: Option<Threat>,
    session: String,
    threads: usize,
    connect: Duration,
    timeout: Duration,
    inputs: Vec<(String, Values)>,
    stopper: Stopper,
    watch: tacit::Watch,
}

#[pymethods]
impl Party {
    #[staticmethod]
    fn from_file(path: &str) -> PyResult<Party> {
        tacit::Party::from_file(path).map(Party).map_err(failure)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn parties(&self) -> Vec<String> {
        self.0.parties().map(str::to_owned).collect()
    }

    /// What the policy in its file demands: malicious or not, corruptions.
    #[getter]
    fn policy(&self) -> Option<(bool, usize)> {
        self.0.policy().map(|threat| (threat.malicious, threat.corruptions))
    }

    /// Runs a program with the other parties: under a protocol, or the one that the parties choose for a threat (malicious or
    /// not, corruptions), or for the policy of this party's file.
    #[expect(clippy::too_many_arguments, reason = "they are the settings of a run")]
    fn run(
        &self,
        py: Python<'_>,
        program: &Program,
        protocol: Option<&str>,
        threat: Option<(bool, usize)>,
        session: &str,
        threads: usize,
        deadlines: (f64, f64),
        inputs: &Bound<'_, PyDict>,
        watch: &Watch,
    ) -> PyResult<Outcome> {
        let how = How {
            protocol: protocol.map(self::protocol).transpose()?,
            threat: threat.map(|(malicious, many)| self::threat(malicious, many)),
            session: session.to_owned(),
            threads,
            connect: seconds(deadlines.0)?,
            timeout: seconds(deadlines.1)?,
            inputs: values(inputs)?,
            stopper: watch.stopper.clone(),
            watch: watch.watch.clone(),
        };
        let (party, program) = (self.0.clone(), program.0.clone());
        waited(py, move || how.run(&party, &program), &watch.stopper).map(Outcome)
    }
}

/// What a run gives, in a thread of its own, while Python's signals are looked after. At Ctrl-C the run is stopped and waited for.
fn waited(
    py: Python<'_>,
    run: impl FnOnce() -> tacit::Result<tacit::Outcome> + Send + 'static,
    stopper: &Stopper,
) -> PyResult<tacit::Outcome> {
    let (ended, end) = sync_channel(1);
    let end = Mutex::new(end);
    thread::spawn(move || {
        // Nobody waits any more if the interpreter is going down.
        let _ = ended.send(run());
    });
    let mut interrupted = None;
    loop {
        let wait = || end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS);
        match (py.detach(wait), interrupted) {
            (Ok(_), Some(signal)) => return Err(signal),
            (Ok(outcome), None) => return outcome.map_err(failure),
            (Err(RecvTimeoutError::Disconnected), _) => {
                let message = "a thread of the run panicked";
                return Err(failure(tacit::Error::new(tacit::ErrorKind::Bug, message)));
            }
            (Err(RecvTimeoutError::Timeout), already) => interrupted = already,
        }
        if let (Err(signal), None) = (py.check_signals(), &interrupted) {
            // The others are told before Python hears of it.
            stopper.stop();
            interrupted = Some(signal);
        }
    }
}

impl How {
    fn run(self, party: &tacit::Party, program: &tacit::Program) -> tacit::Result<tacit::Outcome> {
        let mut run = party.run(program).session(&self.session).threads(self.threads);
        run = run.connect_timeout(self.connect).timeout(self.timeout);
        run = run.stopper(&self.stopper).watched_by(&self.watch);
        run = match (self.threat, self.protocol) {
            (Some(threat), _) => run.protect_against(threat),
            (None, Some(protocol)) => run.protocol(protocol),
            (None, None) => run,
        };
        for (name, values) in self.inputs {
            run = run.input(&name, values);
        }
        run.start()
    }
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    let message = "seconds are a number that is not negative";
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| pyo3::exceptions::PyValueError::new_err(message))
}
