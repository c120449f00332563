//! The daemon: what is opened in which order, and who runs where.

use crate::api::{self, Served, check_socket};
use crate::config::NodeConfig;
use crate::core::{Core, Events, now, random};
use crate::data::{Data, Left, make};
use crate::error::Error;
use crate::links::Links;
use crate::sign::Ed25519Statements;
use crate::store::Store;
use crate::workers::{Workers, report_file, results_file};
use rustix::fs::{FlockOperation, flock};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use tacit_net::config::PartyConfig;
use tacit_node::{Attempt, Config, Ending, Node, Session, Stage, Statements, Stored, Table};
use tracing::info;

/// Runs a node until the process is ended. `start` gives the command that a worker is.
///
/// # Errors
/// It cannot start, or something failed after which it must not go on.
pub fn run(
    config: &NodeConfig,
    party: &PartyConfig,
    start: Arc<dyn Fn() -> Option<Command> + Send + Sync>,
) -> Result<(), Error> {
    let started = Instant::now();
    let _lock = own(&config.state)?;
    let results = config.state.join("results");
    let datasets = config.state.join("datasets");
    [&results, &datasets].into_iter().try_for_each(|folder| make(folder))?;
    // Names have to last as long as what is in the files: those of results, too, which are believed below.
    for folder in [&config.state, &results] {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|e| Error::file(folder, &e))?;
    }
    let store = Arc::new(Store::open(&config.state.join("state.redb"))?);
    let signer = Ed25519Statements::of(&party.identity)?;
    let statements = signer.public();
    let fingerprints = fingerprints(party);
    let of_node = Config {
        me: party.name.clone(),
        fingerprints: fingerprints.clone(),
        policy: config.policy.clone(),
        limits: config.limits,
        engine: crate::ENGINE.to_owned(),
    };
    let has_results = |session: &str, attempt| results_file(&results, session, attempt).exists();
    let first = (now(started), random()?);
    let records = store.load()?;
    let data = Arc::new(Data::new(datasets));
    let mut left = Left::default();
    look(&results, &party.name, &records, &mut left)?;
    data.look(&store.tables()?, &mut left)?;
    let (node, step) = Node::load(of_node, signer, records, first, &has_results)
        .map_err(|why| Error::system(format!("{}: {why}", config.state.display())))?;
    let (events, receiver) = Events::new(config.peer.addresses.keys());
    let workers =
        Workers::new(config.party.clone(), data.clone(), results.clone(), start, events.clone());
    let peers = (config.peer.listen.as_str(), &config.peer.addresses);
    let links = Links::start(party, peers, &statements, events.clone())?;
    let (policy, limits) = (config.policy.clone(), config.limits);
    let adding = tokio::sync::Mutex::default();
    let (store_of, state) = (store.clone(), config.state.clone());
    let served = Served {
        events,
        store: store_of,
        data,
        adding,
        results,
        policy,
        limits,
        fingerprints,
        state,
        started: first.0.wall_ms / 1000,
    };
    let watched = config.metrics.as_ref().map(|metrics| &metrics.listen[..]);
    let _runtime = api::serve(&config.socket(), watched, served)?;
    info!(party = party.name, socket = %config.socket().display(), listen = config.peer.listen, "the node is up");
    // Whoever started this may wait for that, as systemd does.
    let told = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    told.map_err(|e| Error::system(format!("cannot say that the node is up: {e}")))?;
    Core { node, store, links, workers, started, left }.run(step, &receiver)
}

/// Looks at everything that a node needs, without starting it. Gives remarks for the operator.
///
/// # Errors
/// What is wrong.
pub fn check(config: &NodeConfig, party: &PartyConfig) -> Result<Vec<String>, Error> {
    let mut remarks = Vec::new();
    if config.state.exists() {
        drop(own(&config.state)?);
    }
    if config.socket.is_some() {
        check_socket(&config.socket())?;
    }
    let database = config.state.join("state.redb");
    let own_address = party.parties.iter().find(|it| it.name == party.name).map(|it| &it.address);
    if own_address.is_some_and(|address| *address == config.peer.listen) {
        return Err(Error::config(format!(
            "[peer] listen is {}, which is also the party's own address in its file, where workers meet: use another port",
            config.peer.listen
        )));
    }
    if database.exists() {
        let records = Store::open(&database)?.load()?.len();
        remarks.push(format!("{}: {records} records", database.display()));
    } else {
        remarks.push(format!("{}: there is no state yet", config.state.display()));
    }
    Ed25519Statements::of(&party.identity)?;
    std::net::TcpListener::bind(&config.peer.listen).map_err(|e| {
        let listen = &config.peer.listen;
        Error::config(format!("[peer] listen: cannot listen on {listen}: {e}; write HOST:PORT"))
    })?;
    remarks.push(format!("nobody else listens on {}", config.peer.listen));
    for (peer, address) in &config.peer.addresses {
        use std::net::ToSocketAddrs;
        let found = address.to_socket_addrs().map(|mut it| it.next());
        match found {
            Ok(Some(found)) => remarks.push(format!("{peer} is at {address} ({found})")),
            _ => {
                return Err(Error::config(format!(
                    "[peer.addresses] {peer}: {address} is not found; write HOST:PORT"
                )));
            }
        }
    }
    Ok(remarks)
}

fn fingerprints(party: &PartyConfig) -> BTreeMap<String, String> {
    let of = |peer: &tacit_net::PartyAddress| match peer.name == party.name {
        true => Some(party.identity.fingerprint()),
        false => peer.fingerprint,
    };
    let all = party.parties.iter();
    all.filter_map(|peer| Some((peer.name.clone(), of(peer)?.to_string()))).collect()
}

/// Refuses a state directory that is another user's, or that others can enter.
fn check_private(state: &Path) -> Result<(), Error> {
    let shown = state.display();
    let about = fs::metadata(state).map_err(|e| Error::file(state, &e))?;
    let (owner, me) = (about.uid(), rustix::process::geteuid().as_raw());
    if owner != me {
        return Err(Error::config(format!(
            "{shown} belongs to user {owner}, and this is user {me}: what is in it is as secret as tables; use a directory of your own"
        )));
    }
    let mode = about.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(Error::config(format!(
            "{shown} is open to others than its owner (mode {mode:04o}), and what is in it is as secret as tables: \
             `chmod 700 {shown}` if nobody else has looked into it"
        )));
    }
    Ok(())
}

/// Looks for results that nobody can ask for: of sessions that the store does not know or whose time is over, and of attempts that
/// were ended after they had passed their gate.
fn look(results: &Path, me: &str, records: &[Stored], left: &mut Left) -> Result<(), Error> {
    let sessions = records.iter().filter(|record| record.table == Table::Sessions);
    let mut wanted = BTreeSet::new();
    for record in sessions {
        // What is damaged the node says itself.
        let Ok(session) = serde_json::from_slice::<Session>(&record.value) else { return Ok(()) };
        let is_wanted = |attempt: &Attempt| match attempt.outcomes.get(me) {
            Some(outcome) => outcome.ending == Ending::Computed,
            None => attempt.stage == Stage::Released,
        };
        let attempts =
            session.attempts.iter().filter(|(_, it)| !session.forgotten && is_wanted(it));
        for (number, _) in attempts {
            let files = [results_file, report_file].map(|of| of(results, &record.key, *number));
            wanted.extend(files);
        }
    }
    left.look(results, &|name| wanted.contains(&results.join(name)))
}

/// Takes the state directory for this process.
pub(crate) fn own(state: &Path) -> Result<File, Error> {
    make(state)?;
    check_private(state)?;
    let work = state.join("work");
    let path = state.join("lock");
    let wrong = |e: std::io::Error| Error::file(&path, &e);
    let lock = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(&path);
    let lock = lock.map_err(wrong)?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        Error::config(format!("another daemon uses {}: stop it first", state.display()))
    })?;
    if work.exists() {
        fs::remove_dir_all(&work).map_err(|e| Error::file(&work, &e))?;
    }
    Ok(lock)
}
