//! Numbers to watch a node by, as Prometheus reads them.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::path::Path;
use tacit_node::Measures;

/// What text of this kind is called in HTTP.
pub const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Version {
    version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Peer {
    peer: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct State {
    state: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Study {
    study: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Attempts {
    study: String,
    class: String,
}

/// What the daemon knows, and the node does not.
pub struct Host {
    /// When the daemon was started, in seconds of Unix time.
    pub started: u64,
    /// Bytes of the database.
    pub state_bytes: u64,
    /// Bytes that are free on the disk of the state.
    pub free_bytes: u64,
}

impl Host {
    /// What the disk of a state directory says. Numbers that cannot be had are 0.
    #[must_use]
    pub fn of(started: u64, state: &Path) -> Host {
        let about = std::fs::metadata(state.join("state.redb"));
        let disk = rustix::fs::statvfs(state);
        Host {
            started,
            state_bytes: about.map_or(0, |about| about.len()),
            free_bytes: disk.map_or(0, |disk| disk.f_bavail * disk.f_frsize),
        }
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The text of all numbers.
///
/// # Errors
/// None that can happen: text is written to memory.
pub fn text(host: &Host, measures: &Measures) -> Result<String, fmt::Error> {
    let mut all = Registry::with_prefix("tacit");
    let gauge = |all: &mut Registry, name: &str, help: &str, value: u64| {
        let gauge: Gauge = Gauge::default();
        gauge.set(number(value));
        all.register(name, help, gauge);
    };
    let version = Family::<Version, Gauge>::default();
    version.get_or_create(&Version { version: env!("CARGO_PKG_VERSION").into() }).set(1);
    all.register("build_info", "The version of Tacit", version);
    for (name, unit, help, value) in [
        ("start_time", Unit::Seconds, "When the daemon was started", host.started),
        (
            "queue_oldest",
            Unit::Seconds,
            "Age of the oldest open session",
            measures.oldest_ms / 1000,
        ),
        ("state", Unit::Bytes, "Size of the database", host.state_bytes),
        ("disk_free", Unit::Bytes, "Free on the disk of the state", host.free_bytes),
    ] {
        let gauge: Gauge = Gauge::default();
        gauge.set(number(value));
        all.register_with_unit(name, help, unit, gauge);
    }
    let peers = Family::<Peer, Gauge>::default();
    for (peer, up) in &measures.peers {
        peers.get_or_create(&Peer { peer: peer.clone() }).set(i64::from(*up));
    }
    all.register("peer_up", "Whether a peer's node is connected", peers);
    let sessions = Family::<State, Gauge>::default();
    for (state, count) in &measures.sessions {
        sessions.get_or_create(&State { state: state.clone() }).set(number(*count));
    }
    all.register("sessions", "Sessions by state", sessions);
    let left = Family::<Study, Gauge>::default();
    for (study, count) in &measures.releases_left {
        left.get_or_create(&Study { study: study.clone() }).set(number(*count));
    }
    all.register("budget_left", "Releases left of an open study", left);
    let attempts = Family::<Attempts, Counter>::default();
    for (study, classes) in &measures.attempts {
        for (class, count) in classes {
            let labels = Attempts { study: study.clone(), class: class.clone() };
            attempts.get_or_create(&labels).inc_by(*count);
        }
    }
    all.register("attempts", "Attempts of which all is known", attempts);
    let entries = Counter::<u64>::default();
    entries.inc_by(measures.audit_entries);
    all.register("audit_entries", "Entries of the audit log", entries);
    gauge(&mut all, "quarantined", "Studies in which somebody cheated", measures.quarantined);
    let (back, drains) = (measures.rolled_back, measures.draining);
    gauge(&mut all, "rolled_back", "The state was put back to an older one", back.into());
    gauge(&mut all, "draining", "The node takes no more sessions", drains.into());
    let mut found = String::new();
    text::encode(&mut found, &all)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn the_numbers_are_those_of_the_documentation() {
        let one = |name: &str| BTreeMap::from([(name.to_owned(), 1)]);
        let measures = Measures {
            peers: BTreeMap::from([("bob".to_owned(), true)]),
            sessions: one("queued"),
            oldest_ms: 5000,
            attempts: BTreeMap::from([("pay \"2027\"".to_owned(), one("failed"))]),
            releases_left: one("pay"),
            ..Measures::default()
        };
        let host = Host { started: 7, state_bytes: 8, free_bytes: 9 };
        let found = text(&host, &measures).expect("a text");
        for line in [
            "tacit_peer_up{peer=\"bob\"} 1",
            "tacit_sessions{state=\"queued\"} 1",
            "tacit_queue_oldest_seconds 5",
            "tacit_attempts_total{study=\"pay \\\"2027\\\"\",class=\"failed\"} 1",
            "tacit_rolled_back 0",
        ] {
            assert!(found.lines().any(|it| it == line), "{line}: {found}");
        }
        let name = |line: &str| {
            let end = line.find(['{', ' ']).unwrap_or(line.len());
            line[..end].to_owned()
        };
        let scraped: BTreeSet<String> =
            found.lines().filter(|line| !line.starts_with('#')).map(name).collect();
        let page = include_str!("../../../docs/operations.md");
        let table = page.lines().filter_map(|line| line.strip_prefix("| `tacit_"));
        let name = |line: &str| format!("tacit_{}", line.split(['`', '{']).next().unwrap_or(""));
        assert_eq!(scraped, table.map(name).collect());
    }
}
