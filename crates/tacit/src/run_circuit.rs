//! What one party does to evaluate a circuit with the others, from connecting to finishing.

use crate::auto;
use crate::balance::{self, Balancing};
use crate::candidate::Choice as AutoChoice;
use crate::error::{Error, Result};
use crate::job::common;
use crate::meeting::{Meeting, in_session, threads_of};
use crate::names::Parties;
use crate::options::Options;
use crate::progress::Progress;
use crate::roles::{self, Choice, Roles};
use crate::store;
use crate::wanted::Wanted;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{self as engine, Blocking, Compiled, Consent, Evaluation, Job};
use tacit_engine::store::Store;
use tacit_engine::values::{Lanes, Problem};
use tacit_net::probe::{Effort, probe};
use tacit_net::{PartyId, Session};

/// The job of a circuit, for so many instances, under these options.
pub fn circuit_job(
    options: &Options,
    circuit: &Circuit,
    parties: &Parties,
    (owners, receivers): (Vec<PartyId>, Vec<Vec<PartyId>>),
    instances: usize,
) -> Result<Job> {
    let mut job = Job {
        options: common(options, parties)?,
        instances,
        form: options.form,
        blocking: Blocking { window_bytes: options.window_bytes, ..Blocking::default() },
        ..Job::new(options.protocol, owners, receivers)
    };
    options.balance.check(job.protocol(), options.roles.as_ref(), &options.mix)?;
    options.balance.put(&mut job.options.assignments[0])?;
    if options.roles == Some(Roles::Split) {
        let protocols = roles::eligible(options.protocol, &options.mix);
        roles::split_evenly(&mut job, circuit, &protocols)?;
    }
    job.check(circuit)?;
    Ok(job)
}

/// Owners of `ports` input ports: the parties in turn.
pub fn in_turn(ports: usize, parties: usize) -> impl Iterator<Item = PartyId> {
    (0..ports).map(move |port| PartyId((port % parties) as u8))
}

/// A circuit that a party evaluates with others.
pub struct CircuitRun<'a> {
    /// The circuit.
    pub circuit: &'a Circuit,
    /// The parties' names.
    pub names: &'a [String],
    /// How it is evaluated. Where the parties choose the protocol, it is one of those that they choose from until then.
    pub options: &'a Options,
    /// What the protocol must do that the parties choose, if they choose one.
    pub wanted: Option<Wanted>,
    /// The job, until the number of instances is known, and the protocol and roles are chosen.
    pub job: Job,
    /// In how many instances this party takes part.
    pub consent: Consent,
}

/// What a party has after the session.
pub struct CircuitDone {
    /// What was evaluated.
    pub job: Job,
    /// What the party learned, and what that cost.
    pub result: Evaluation,
    /// Why roles are as they are, if they were chosen.
    pub choice: Option<Choice>,
    /// Why the protocol is what it is, if the parties chose it.
    pub auto: Option<AutoChoice>,
    /// The stored preprocessing that was used.
    pub stored: Option<String>,
}

/// Why roles, and why the protocol, are what they are, where they were chosen.
type Chosen = (Option<Choice>, Option<AutoChoice>);

impl CircuitRun<'_> {
    /// Meshes of a session: of as many assignments of roles as may be chosen.
    pub fn workers(&self) -> Result<usize> {
        if let Some(wanted) = self.wanted {
            wanted.check(self.options)?;
            return Ok(self.options.threads);
        }
        Ok(match self.options.roles {
            Some(Roles::Auto)
                if self.job.protocol().has_roles() && self.options.balance.is_none() =>
            {
                self.options.threads.saturating_mul(roles::most(self.job.protocol().parties()))
            }
            _ => self.job.threads(),
        })
    }

    /// Meets the others, evaluates with them, and finishes well, or ends the session for all.
    pub fn with_others(
        self,
        meeting: &mut Meeting,
        values: Vec<Option<Lanes>>,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<CircuitDone> {
        let mut session = meeting.connect()?;
        let most = self.options.spread.then(|| threads_of(&meeting.config));
        let (job, chosen) =
            in_session(&mut session, |session| self.agree(session, most, progress))?;
        let mut session = meeting.widened(session, job.threads())?;
        let done = in_session(&mut session, |session| {
            self.compute(session, (job, chosen), values, store, progress)
        })?;
        session.finish()?;
        Ok(done)
    }

    /// How many instances there are, and how they are evaluated; on up to `most` threads, where that may be chosen.
    fn agree(
        &self,
        session: &mut Session,
        most: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<(Job, Chosen)> {
        if let Some(wanted) = self.wanted {
            // As those compare first who have named a protocol.
            session.agree(&[
                ("command", "run".into()),
                ("tacit version", env!("CARGO_PKG_VERSION").into()),
                ("circuit", hex::encode(self.circuit.digest())),
                ("protocol", wanted.fact()),
            ])?;
        }
        let mut job = self.job.clone();
        job.instances = engine::agree_instances(session, self.circuit, &job, self.consent)?;
        let Options { roles, balance, .. } = self.options;
        let chooses = *roles == Some(Roles::Auto) || *balance == Balancing::Auto;
        let (mut choice, mut auto) = (None, None);
        if let Some(wanted) = self.wanted {
            let (fits, chosen) = auto::for_circuit(session, self.circuit, &job, (wanted, most))?;
            progress.chosen(&chosen, self.names);
            (job, auto) = (fits, Some(chosen));
        } else if chooses && job.protocol().has_unlike_roles() {
            choice = Some(self.choose(session, &mut job)?);
        }
        Ok((job, (choice, auto)))
    }

    fn compute(
        &self,
        session: &mut Session,
        (job, (choice, auto)): (Job, Chosen),
        values: Vec<Option<Lanes>>,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<CircuitDone> {
        let compiled = Compiled::new(self.circuit, job)?;
        let values = repeated(values, compiled.job().instances)?;
        progress.total(compiled.total_words() as u64);
        let count = |words| progress.done(words);
        let mut stored = None;
        let result = match store {
            None => engine::evaluate(session, &compiled, values, &count)?,
            Some(store) => {
                let (name, prepared) = store::take(&store, session, compiled.facts())?;
                let ready = (stored.insert(name).as_str(), prepared);
                engine::evaluate_prepared(session, &compiled, values, ready, &count)?
            }
        };
        Ok(CircuitDone { job: compiled.job().clone(), result, choice, auto, stored })
    }

    /// Measures the links, and puts what fits them into the job.
    fn choose(&self, session: &mut Session, job: &mut Job) -> Result<Choice> {
        let Options { roles, balance, protocol, mix, .. } = self.options;
        if balance.is_none() {
            let probes = probe(session, Effort::Brief)?;
            let protocols = roles::eligible(*protocol, mix);
            return roles::choose_for_links(job, self.circuit, &protocols, &probes);
        }
        session.agree(&[("balance", balance.to_string())])?;
        let probes = probe(session, Effort::Brief)?;
        balance::choose_for_links(balance, job, self.circuit, roles.as_ref(), &probes)
    }
}

/// Values for all instances: of what the party has consented to, before.
fn repeated(values: Vec<Option<Lanes>>, instances: usize) -> Result<Vec<Option<Lanes>>> {
    let repeat = |lanes: Option<Lanes>| lanes.map(|lanes| lanes.broadcast(instances)).transpose();
    let all: std::result::Result<_, Problem> = values.into_iter().map(repeat).collect();
    all.map_err(|e| Error::input(e.to_string()))
}

/// In how many instances a party takes part that gives these values, by port: in `said` ones, if it says so, or in as many
/// as it gives. A value that is given once is used in more only where `repeats` says so of its port.
pub fn consent(
    circuit: &Circuit,
    values: &[Option<Lanes>],
    said: Option<usize>,
    repeats: impl Fn(usize) -> bool,
) -> Result<Consent> {
    let widths = circuit.input_widths();
    let given = || {
        let all = values.iter().enumerate().filter(|(port, _)| widths[*port] > 0);
        all.filter_map(|(port, lanes)| Some((port, lanes.as_ref()?.instances())))
    };
    let mut count = said;
    for (port, found) in given().filter(|(_, found)| *found != 1) {
        match count {
            Some(expected) if expected != found => {
                let problem = Problem::InstanceCount { expected, found };
                return Err(Error::input(format!("input port {port}: {problem}")));
            }
            _ => count = Some(found),
        }
    }
    if let Some(count) = count {
        return Ok(Consent::Exactly(count));
    }
    Ok(match given().all(|(port, _)| repeats(port)) {
        true => Consent::as_others(circuit),
        false => Consent::Exactly(1),
    })
}
