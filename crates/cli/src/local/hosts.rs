//! Hosts on which parties are started: by SSH, or by a command of the user's.

use crate::error::{CliError, ErrorKind};
use serde::Deserialize;
use std::path::Path;

/// A file of hosts, one for each party.
///
/// ```toml
/// start = ["ssh", "-o", "BatchMode=yes", "{host}", "{command}"]   # the default
///
/// [[host]]
/// name = "alice@one.example"     # {host}
/// address = "10.0.0.1"           # where the others reach it
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// What starts a command on a host, and connects its standard input, output and error. `{host}` stands
    /// for the host's name, `{command}` for the command, quoted for a shell.
    #[serde(default = "ssh")]
    start: Vec<String>,
    /// Seconds until a host must have started its party.
    #[serde(default = "half_a_minute")]
    pub start_seconds: u64,
    #[serde(rename = "host")]
    pub hosts: Vec<Host>,
}

/// One of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    pub name: String,
    /// Where the other hosts reach it.
    pub address: String,
    /// The port [default: any free one].
    #[serde(default)]
    port: u16,
    /// The address that it listens on, if that is another one.
    listen: Option<String>,
    /// The program there.
    #[serde(default = "tacit")]
    tacit: String,
}

fn ssh() -> Vec<String> {
    ["ssh", "-o", "BatchMode=yes", "{host}", "{command}"].map(String::from).to_vec()
}

fn half_a_minute() -> u64 {
    30
}

fn tacit() -> String {
    "tacit".into()
}

impl Hosts {
    /// Reads a file of as many hosts as there are parties.
    pub fn load(path: &Path, parties: usize) -> Result<Hosts, CliError> {
        let text = std::fs::read_to_string(path).map_err(|e| CliError::file(path, &e))?;
        let wrong = |what: String| CliError {
            kind: ErrorKind::Config,
            message: format!("{}: {what}", path.display()),
        };
        let hosts: Hosts = toml::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        if hosts.hosts.len() != parties {
            let count = hosts.hosts.len();
            return Err(wrong(format!(
                "{count} hosts for {parties} parties: one [[host]] for each"
            )));
        }
        if !hosts.start.iter().any(|part| part.contains("{command}")) {
            return Err(wrong("`start` has no {command}, so that nothing would be started".into()));
        }
        Ok(hosts)
    }

    /// The program and arguments that start a party on its host, which reads these variables.
    pub fn command(
        &self,
        party: usize,
        variables: &[(&str, String)],
        arguments: &[String],
    ) -> Vec<String> {
        let Host { name, tacit, .. } = &self.hosts[party];
        let variables = variables.iter().map(|(name, value)| format!("{name}={value}"));
        let words = std::iter::once("env".to_string()).chain(variables);
        let words = words.chain([tacit.clone()]).chain(arguments.iter().cloned());
        let command = words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ");
        let fill = |part: &String| part.replace("{host}", name).replace("{command}", &command);
        self.start.iter().map(fill).collect()
    }

    /// What a party listens on.
    pub fn listen(&self, party: usize) -> String {
        let Host { address, port, listen, .. } = &self.hosts[party];
        join(listen.as_ref().unwrap_or(address), *port)
    }

    /// Where the others reach a party that listens on a port.
    pub fn address(&self, party: usize, port: u16) -> String {
        join(&self.hosts[party].address, port)
    }
}

/// An address with a port.
fn join(address: &str, port: u16) -> String {
    match address.contains(':') {
        true => format!("[{address}]:{port}"),
        false => format!("{address}:{port}"),
    }
}

/// A word as shells read it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_survive_a_shell() {
        let hosts: Hosts = toml::from_str("[[host]]\nname = 'a b'\naddress = '::1'\n").unwrap();
        let arguments = ["bench".to_string(), "it's".into(), String::new(), "2;1".into()];
        let command = hosts.command(0, &[("X", "1".into())], &arguments);
        assert_eq!(command[..4], ["ssh", "-o", "BatchMode=yes", "a b"]);
        assert_eq!(command[4], r"env X=1 tacit bench 'it'\''s' '' '2;1'");
        assert_eq!([hosts.listen(0), hosts.address(0, 7)], ["[::1]:0", "[::1]:7"]);
    }
}
