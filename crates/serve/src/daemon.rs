//! The daemon: what is opened in which order, and who runs where.

use crate::api::{self, Served};
use crate::config::NodeConfig;
use crate::core::{Core, Events, now, random};
use crate::data::Data;
use crate::error::Error;
use crate::links::Links;
use crate::sign::Ed25519Statements;
use crate::store::Store;
use crate::workers::{Workers, results_file};
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use tacit_net::config::PartyConfig;
use tacit_node::{Config, Node, Statements};
use tracing::info;

/// Events that wait for the node.
const QUEUE: usize = 1024;

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
    make(&results)?;
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
    let (node, step) = Node::load(of_node, signer, store.load()?, first, &has_results)
        .map_err(|why| Error::system(format!("{}: {why}", config.state.display())))?;
    let (sender, receiver) = sync_channel(QUEUE);
    let events = Events(sender);
    let data = Arc::new(Data::new(config.state.join("datasets")));
    let workers =
        Workers::new(config.party.clone(), data.clone(), results.clone(), start, events.clone());
    let peers = (config.peer.listen.as_str(), &config.peer.addresses);
    let links = Links::start(party, peers, &statements, events.clone())?;
    let policy = config.policy.clone();
    let served = Served { events, store: store.clone(), data, results, policy, fingerprints };
    let _runtime = api::serve(&config.socket(), served)?;
    info!(party = party.name, socket = %config.socket().display(), listen = config.peer.listen, "the node is up");
    Core { node, store, links, workers, started }.run(step, &receiver)
}

/// Looks at everything that a node needs, without starting it. Gives remarks for the operator.
///
/// # Errors
/// What is wrong.
pub fn check(config: &NodeConfig, party: &PartyConfig) -> Result<Vec<String>, Error> {
    let mut remarks = Vec::new();
    let _lock = own(&config.state)?;
    let database = config.state.join("state.redb");
    if database.exists() {
        let records = Store::open(&database)?.load()?.len();
        remarks.push(format!("{}: {records} records", database.display()));
    } else {
        remarks.push(format!("{}: there is no state yet", config.state.display()));
    }
    Ed25519Statements::of(&party.identity)?;
    std::net::TcpListener::bind(&config.peer.listen)
        .map_err(|e| Error::config(format!("cannot listen on {}: {e}", config.peer.listen)))?;
    remarks.push(format!("the port of {} is free", config.peer.listen));
    for (peer, address) in &config.peer.addresses {
        use std::net::ToSocketAddrs;
        let found = address.to_socket_addrs().map(|mut it| it.next());
        match found {
            Ok(Some(found)) => remarks.push(format!("{peer} is at {address} ({found})")),
            _ => {
                return Err(Error::config(format!(
                    "[peer.addresses] {peer}: no host {address} is known"
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

/// Makes a folder that only its owner can open.
fn make(folder: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|e| Error::file(folder, &e))
}

/// Takes the state directory for this process.
fn own(state: &Path) -> Result<File, Error> {
    make(state)?;
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
