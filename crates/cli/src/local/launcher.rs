//! Starting local parties.

use super::{Launch, Outcome, PARTY_VARIABLE, Ready, Transport};
use crate::error::{CliError, ErrorKind};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use tacit_net::Identity;

/// Running parties; killed when dropped.
pub struct Local {
    children: Vec<Child>,
    lines: Vec<Lines<BufReader<ChildStdout>>>,
}

/// Starts `parties` processes with this process's arguments and connects them.
pub fn launch(parties: usize, transport: Transport) -> Result<Local, CliError> {
    let mut local = Local { children: Vec::new(), lines: Vec::new() };
    for party in 0..parties {
        local.start(party)?;
    }
    let mut ports = Vec::new();
    for party in 0..parties {
        let ready: Ready = local.read(party)?;
        ports.push(ready.port);
    }
    let identities: Vec<Identity> = (0..parties)
        .map(|party| Identity::generate(&format!("party{party}")))
        .collect::<Result<_, _>>()?;
    let fingerprints: Vec<String> =
        identities.iter().map(|i| i.fingerprint().to_string()).collect();
    let session = format!("local {} {}", std::process::id(), fingerprints.concat());
    for (child, identity) in local.children.iter_mut().zip(&identities) {
        let launch = Launch {
            session: session.clone(),
            transport,
            ports: ports.clone(),
            fingerprints: fingerprints.clone(),
            certificate: identity.certificate_pem().to_string(),
            key: identity.key_pem().to_string(),
        };
        let mut input = child.stdin.take().ok_or_else(|| bug("a party has no input"))?;
        let written = serde_json::to_writer(&mut input, &launch).map_err(std::io::Error::from);
        written
            .and_then(|()| input.write_all(b"\n"))
            .map_err(|e| bug(&format!("a local party ended early: {e}")))?;
    }
    Ok(local)
}

impl Local {
    fn start(&mut self, party: usize) -> Result<(), CliError> {
        let program =
            std::env::current_exe().map_err(|e| bug(&format!("cannot find this program: {e}")))?;
        let mut child = Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(PARTY_VARIABLE, party.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| bug(&format!("cannot start a party: {e}")))?;
        let output = child.stdout.take().ok_or_else(|| bug("a party has no output"))?;
        self.lines.push(BufReader::new(output).lines());
        self.children.push(child);
        Ok(())
    }

    fn read<T: serde::de::DeserializeOwned>(&mut self, party: usize) -> Result<T, CliError> {
        let line = match self.lines[party].next() {
            Some(Ok(line)) => line,
            _ => {
                return Err(CliError {
                    kind: ErrorKind::Network,
                    message: format!("party {party}'s process ended without a result"),
                });
            }
        };
        serde_json::from_str(&line)
            .map_err(|e| bug(&format!("party {party} printed something else than expected: {e}")))
    }

    /// Waits for all parties and returns their results, or the error that tells most.
    pub fn results<T: serde::de::DeserializeOwned>(mut self) -> Result<Vec<T>, CliError> {
        let mut results = Vec::new();
        let mut errors = Vec::new();
        for party in 0..self.children.len() {
            match self.read::<Outcome>(party) {
                Ok(Outcome::Done(value)) => results.push(
                    serde_json::from_value(value)
                        .map_err(|e| bug(&format!("party {party}'s result: {e}")))?,
                ),
                Ok(Outcome::Failed(code, message)) => {
                    errors.push(CliError { kind: ErrorKind::of_code(code), message });
                }
                Err(error) => errors.push(error),
            }
        }
        // One party's own trouble makes the others lose it as a peer.
        errors.sort_by_key(|error| error.kind == ErrorKind::Network);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(results),
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        for child in &mut self.children {
            // A child that has ended already cannot be killed, and needs not.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn bug(message: &str) -> CliError {
    CliError { kind: ErrorKind::Bug, message: message.to_string() }
}
