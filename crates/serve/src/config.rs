//! The configuration of a node: `node.toml`.

use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tacit::protocols;
use tacit_net::config::PartyConfig;
use tacit_node::{Limits, Policy};

/// A node's configuration. Unknown keys are errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// The party's file, from `tacit party new`; relative to the configuration's folder.
    pub party: PathBuf,
    /// The directory of the node's state.
    pub state: PathBuf,
    /// The socket of the operator's API; `api.sock` in the state directory unless it is said.
    pub socket: Option<PathBuf>,
    /// How nodes reach each other.
    pub peer: PeerConfig,
    /// What the node takes on at a time.
    #[serde(default)]
    pub limits: Limits,
    /// What the operator allows.
    #[serde(default)]
    pub policy: Policy,
    /// Where Prometheus reads how the node is, if it may.
    pub metrics: Option<MetricsConfig>,
}

/// Where Prometheus reads how the node is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricsConfig {
    /// An address. Whoever reaches it can read names of studies and numbers of sessions, and do nothing.
    pub listen: String,
}

/// How nodes reach each other. Workers use the addresses in the party's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerConfig {
    /// The address on which this node listens for the others.
    pub listen: String,
    /// The addresses of the other parties' nodes, by party.
    pub addresses: BTreeMap<String, String>,
}

impl NodeConfig {
    /// Reads a configuration, and the party's file that it names.
    ///
    /// # Errors
    /// A file cannot be read, is no configuration, or the two do not fit together: says what and where.
    pub fn load(path: &Path) -> Result<(NodeConfig, PartyConfig), Error> {
        let text = fs::read_to_string(path).map_err(|e| Error::file(path, &e))?;
        let wrong =
            |why: &dyn std::fmt::Display| Error::config(format!("{}: {why}", path.display()));
        let mut config: NodeConfig = toml::from_str(&text).map_err(|e| wrong(&e))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let absolute =
            |path: &Path| std::path::absolute(folder.join(path)).map_err(|e| Error::file(path, &e));
        config.party = absolute(&config.party)?;
        config.state = absolute(&config.state)?;
        config.socket = config.socket.as_deref().map(absolute).transpose()?;
        let party = PartyConfig::load(&config.party).map_err(|e| Error::config(e.to_string()))?;
        for peer in party.parties.iter().filter(|peer| peer.name != party.name) {
            if !config.peer.addresses.contains_key(&peer.name) {
                return Err(wrong(&format!(
                    "[peer.addresses] lacks {}, which is in the party's file",
                    peer.name
                )));
            }
        }
        let known = |name: &String| {
            party.parties.iter().any(|peer| peer.name == *name) && *name != party.name
        };
        if let Some(other) = config.peer.addresses.keys().find(|name| !known(name)) {
            return Err(wrong(&format!(
                "[peer.addresses] names {other}, which is no peer in the party's file"
            )));
        }
        if config.limits.running != 1 {
            return Err(wrong(
                &"not supported: [limits] running other than 1, as workers share the port in the party's file",
            ));
        }
        let known = |name: &String| {
            let family = name.split_once(':').map_or(&name[..], |(family, _)| family);
            protocols::all().any(|it| it.name() == family) || protocols::named(name).is_ok()
        };
        if let Some(name) = config.policy.protocols.iter().find(|name| !known(name)) {
            return Err(wrong(&format!(
                "[policy] protocols has {name}, which is no protocol: `tacit protocols` lists them"
            )));
        }
        if config.policy.approvals != 1 {
            return Err(wrong(
                &"not supported: [policy] approvals other than 1, as only one user can open the operators' socket",
            ));
        }
        Ok((config, party))
    }

    /// The socket of the operator's API.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.socket.clone().unwrap_or_else(|| self.state.join("api.sock"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_supported_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = ["alice", "bob"].map(|it| (it.to_owned(), format!("{it}.example.org:7000")));
        tacit_net::config::init(&all, folder.path()).expect("keys");
        let path = folder.path().join("node.toml");
        let error = |more: &str| {
            let text = format!(
                "party = \"alice.toml\"\nstate = \"state\"\n{more}[peer]\nlisten = \"127.0.0.1:0\"\n\
                 [peer.addresses]\nbob = \"bob.example.org:7100\"\n"
            );
            fs::write(&path, text).expect("a file");
            NodeConfig::load(&path).err().map(|error| error.message).unwrap_or_default()
        };
        assert_eq!(error(""), "");
        assert!(error("[policy]\napprovals = 2\n").contains("not supported: [policy] approvals"));
        assert!(error("[limits]\nrunning = 2\n").contains("not supported: [limits] running"));
        assert!(error("[policies]\n").contains("policies"));
    }
}
