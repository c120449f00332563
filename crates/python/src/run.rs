//! Runs: of all parties in this process, and of one party with others.

use crate::data::values;
use crate::error::failure;
use crate::outcome::Outcome;
use crate::program::Program;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tacit::{ByChoice, ChunkChoice, LocalParties, Network, Stopper, Threat, Values};

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

/// What a protocol is for and protects against: parties, whether corrupted ones may deviate from it, and how many may be
/// corrupted together.
#[pyfunction]
pub fn protection(name: &str) -> PyResult<(usize, bool, usize)> {
    let protocol = self::protocol(name)?;
    let (parties, security) = (protocol.parties(), protocol.security());
    Ok((parties, security.is_malicious(), security.corruptions(parties)))
}

/// All parties in this process, on a network that is played.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the settings of a run")]
pub fn run_local(
    py: Python<'_>,
    program: &Program,
    protocol: &str,
    network: &str,
    form: Form,
    threads: usize,
    inputs: &Bound<'_, PyDict>,
    watch: &Watch,
) -> PyResult<Outcome> {
    let parties = LocalParties::new(&program.0, self::protocol(protocol)?);
    let parties = parties.network(self::network(network)?).threads(threads);
    let mut parties = parties.stopper(&watch.stopper).watched_by(&watch.watch);
    let (roles, by, chunk_rows) = form;
    if let Some(roles) = roles {
        parties = match for_links(&roles) {
            true => parties.roles_for_links(),
            false => parties.roles(roles.iter().map(String::as_str)),
        };
    }
    if let Some(by) = read(by)? {
        parties = parties.by(by);
    }
    if let Some(rows) = read(chunk_rows)? {
        parties = parties.chunk_rows(rows);
    }
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

/// How a party connects: the name of the session, threads, and seconds to come up and without progress.
type Connecting = (String, Option<usize>, f64, f64);

/// What is said of how a protocol that is named runs: who plays which role, what numbers are computed with, and how many rows go
/// together.
type Form = (Option<Vec<String>>, Option<String>, Option<String>);

/// One of these, read.
fn read<T: FromStr<Err = String>>(text: Option<String>) -> PyResult<Option<T>> {
    let read = text.map(|text| text.parse());
    read.transpose().map_err(|why| failure(tacit::Error::new(tacit::ErrorKind::Input, why)))
}

/// Whether roles are given out by what links carry.
fn for_links(roles: &[String]) -> bool {
    roles == ["auto"]
}

/// How a run of one party is done.
struct How {
    protocol: Option<tacit::Protocol>,
    threat: Option<Threat>,
    prepared: Option<PathBuf>,
    roles: Option<Vec<String>>,
    by: Option<ByChoice>,
    chunk_rows: Option<ChunkChoice>,
    inputs: Vec<(String, Values)>,
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

    /// Fingerprints of all parties' keys, by number.
    #[getter]
    fn fingerprints(&self) -> Vec<Option<String>> {
        self.0.fingerprints()
    }

    /// Encrypts bytes for this party alone.
    fn seal(&self, context: &str, data: Vec<u8>) -> PyResult<Cow<'static, [u8]>> {
        self.0.seal(context, data).map(Cow::Owned).map_err(failure)
    }

    /// Decrypts what `seal` gave.
    fn unseal(&self, context: &str, data: Vec<u8>) -> PyResult<Cow<'static, [u8]>> {
        let mut bytes = self.0.unseal(context, &data).map_err(failure)?;
        Ok(Cow::Owned(std::mem::take(&mut *bytes)))
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
        prepared: Option<PathBuf>,
        form: Form,
        connecting: Connecting,
        inputs: &Bound<'_, PyDict>,
        watch: &Watch,
    ) -> PyResult<Outcome> {
        let how = How::new(protocol, threat, prepared, form, inputs, watch)?;
        let connecting = how_to_connect(connecting, watch)?;
        let (party, program) = (self.0.clone(), program.0.clone());
        let run = move || how.run(by_itself(&party, &program, &connecting));
        waited(py, run, &watch.stopper).map(Outcome)
    }

    /// Prepares runs of a program with so many rows, into this party's store in a directory. Gives what is stored, as JSON.
    #[expect(clippy::too_many_arguments, reason = "they are the settings of a run")]
    fn prepare(
        &self,
        py: Python<'_>,
        program: &Program,
        protocol: &str,
        directory: PathBuf,
        rows: Vec<(String, u64)>,
        runs: u64,
        form: Form,
        connecting: Connecting,
        inputs: &Bound<'_, PyDict>,
        watch: &Watch,
    ) -> PyResult<String> {
        let how = How::new(Some(protocol), None, None, form, inputs, watch)?;
        let connecting = how_to_connect(connecting, watch)?;
        let (party, program) = (self.0.clone(), program.0.clone());
        let made = move || {
            let run = how.on(by_itself(&party, &program, &connecting));
            let rows: Vec<(&str, u64)> = rows.iter().map(|(name, n)| (name.as_str(), *n)).collect();
            run.prepare(directory, &rows, runs)
        };
        let prepared = waited(py, made, &watch.stopper)?;
        serde_json::to_string(&prepared)
            .map_err(|e| failure(tacit::Error::new(tacit::ErrorKind::Bug, e.to_string())))
    }

    /// Connects with the others, for several runs.
    fn connect(
        &self,
        py: Python<'_>,
        connecting: Connecting,
        watch: &Watch,
    ) -> PyResult<Connection> {
        let (party, connecting) = (self.0.clone(), how_to_connect(connecting, watch)?);
        let connection = waited(py, move || party.connect(connecting), &watch.stopper)?;
        Ok(Connection { connection: Arc::new(connection), stopper: watch.stopper.clone() })
    }
}

/// A connection of one party with the others.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Connection {
    connection: Arc<tacit::Connection>,
    stopper: Stopper,
}

#[pymethods]
impl Connection {
    /// What watches a run over this connection.
    fn watch(&self) -> Watch {
        Watch { stopper: self.stopper.clone(), watch: tacit::Watch::default() }
    }

    /// Runs a program with the other parties, as a party does.
    #[expect(clippy::too_many_arguments, reason = "they are the settings of a run")]
    fn run(
        &self,
        py: Python<'_>,
        program: &Program,
        protocol: Option<&str>,
        threat: Option<(bool, usize)>,
        prepared: Option<PathBuf>,
        form: Form,
        inputs: &Bound<'_, PyDict>,
        watch: &Watch,
    ) -> PyResult<Outcome> {
        let how = How::new(protocol, threat, prepared, form, inputs, watch)?;
        let (connection, program) = (Arc::clone(&self.connection), program.0.clone());
        waited(py, move || how.run(connection.run(&program)), &self.stopper).map(Outcome)
    }

    /// Ends it well, when all parties do.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let connection = Arc::clone(&self.connection);
        waited(py, move || connection.finish(), &self.stopper)
    }

    /// Ends it for all parties, and the run that is going on.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.connection.stop());
    }
}

/// What a run gives, in a thread of its own, while Python's signals are looked after. At Ctrl-C the run is stopped and waited for.
fn waited<D: Send + 'static>(
    py: Python<'_>,
    run: impl FnOnce() -> tacit::Result<D> + Send + 'static,
    stopper: &Stopper,
) -> PyResult<D> {
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
    fn new(
        protocol: Option<&str>,
        threat: Option<(bool, usize)>,
        prepared: Option<PathBuf>,
        form: Form,
        inputs: &Bound<'_, PyDict>,
        watch: &Watch,
    ) -> PyResult<How> {
        let (roles, by, chunk_rows) = form;
        Ok(How {
            protocol: protocol.map(self::protocol).transpose()?,
            threat: threat.map(|(malicious, many)| self::threat(malicious, many)),
            prepared,
            roles,
            by: read(by)?,
            chunk_rows: read(chunk_rows)?,
            inputs: values(inputs)?,
            watch: watch.watch.clone(),
        })
    }

    /// A run that is done so.
    fn on<'p>(self, run: tacit::Run<'p>) -> tacit::Run<'p> {
        let mut run = run.watched_by(&self.watch);
        run = match (self.threat, self.protocol) {
            (Some(threat), _) => run.protect_against(threat),
            (None, Some(protocol)) => run.protocol(protocol),
            (None, None) => run,
        };
        if let Some(roles) = self.roles {
            run = match for_links(&roles) {
                true => run.roles_for_links(),
                false => run.roles(roles.iter().map(String::as_str)),
            };
        }
        if let Some(by) = self.by {
            run = run.by(by);
        }
        if let Some(rows) = self.chunk_rows {
            run = run.chunk_rows(rows);
        }
        if let Some(directory) = self.prepared {
            run = run.prepared(directory);
        }
        for (name, values) in self.inputs {
            run = run.input(&name, values);
        }
        run
    }

    fn run(self, run: tacit::Run<'_>) -> tacit::Result<tacit::Outcome> {
        self.on(run).start()
    }
}

fn how_to_connect(connecting: Connecting, watch: &Watch) -> PyResult<tacit::Connecting> {
    let (session, threads, connect, timeout) = connecting;
    let (connect_timeout, timeout) = (seconds(connect)?, seconds(timeout)?);
    let stopper = watch.stopper.clone();
    Ok(tacit::Connecting { session, timeout, connect_timeout, threads, stopper })
}

/// A run that connects by itself.
fn by_itself<'p>(
    party: &'p tacit::Party,
    program: &'p tacit::Program,
    connecting: &tacit::Connecting,
) -> tacit::Run<'p> {
    let tacit::Connecting { session, timeout, connect_timeout, threads, stopper } = connecting;
    let mut run = party.run(program).session(session).stopper(stopper);
    if let Some(threads) = threads {
        run = run.threads(*threads);
    }
    run.connect_timeout(*connect_timeout).timeout(*timeout)
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    let message = "seconds are a number that is not negative";
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| pyo3::exceptions::PyValueError::new_err(message))
}
