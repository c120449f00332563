//! Starting local parties.

use super::{Launch, Outcome, PARTY_VARIABLE, Ready, Transport};
use crate::error::{CliError, ErrorKind};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use tacit_net::Identity;
use zeroize::Zeroizing;

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
        let ready = local.read_ready(party)?;
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
        let program = std::env::current_exe()
            .map_err(|e| CliError::system(format!("cannot find this program: {e}")))?;
        let mut child = Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(PARTY_VARIABLE, party.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| CliError::system(format!("cannot start a party: {e}")))?;
        let output = child.stdout.take().ok_or_else(|| bug("a party has no output"))?;
        self.lines.push(BufReader::new(output).lines());
        self.children.push(child);
        Ok(())
    }

    fn read_ready(&mut self, party: usize) -> Result<Ready, CliError> {
        match self.lines[party].next() {
            Some(Ok(line)) => match parse::<Ready>(party, &line) {
                Ok(ready) => Ok(ready),
                // A party that cannot even open a port says why.
                Err(error) => Err(parse::<Outcome<()>>(party, &line)
                    .and_then(finished)
                    .err()
                    .unwrap_or(error)),
            },
            _ => Err(bug(&format!("party {party}'s process ended before it was ready"))),
        }
    }

    /// Waits for all parties and returns their results, or the error that tells most. When one
    /// party fails, the others get a moment to notice and are ended then.
    pub fn results<T: serde::de::DeserializeOwned>(mut self) -> Result<Vec<T>, CliError> {
        let (sender, outcomes) = mpsc::channel();
        for (party, mut lines) in std::mem::take(&mut self.lines).into_iter().enumerate() {
            let sender = sender.clone();
            std::thread::spawn(move || sender.send((party, lines.next())));
        }
        drop(sender);
        let mut results: Vec<Option<T>> = self.children.iter().map(|_| None).collect();
        let mut errors: Vec<CliError> = Vec::new();
        loop {
            let wait = if errors.is_empty() { Duration::MAX } else { AFTER_FAILURE };
            let Ok((party, line)) = outcomes.recv_timeout(wait) else { break };
            match self.outcome(party, line).and_then(finished) {
                Ok(result) => results[party] = Some(result),
                Err(error) => errors.push(error),
            }
        }
        // One party's own trouble makes the others lose it as a peer.
        errors.sort_by_key(|error| error.kind == ErrorKind::Network);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(results.into_iter().flatten().collect()),
        }
    }

    fn outcome<T: serde::de::DeserializeOwned>(
        &mut self,
        party: usize,
        line: Option<std::io::Result<String>>,
    ) -> Result<Outcome<T>, CliError> {
        if let Some(Ok(line)) = line {
            return parse(party, &Zeroizing::new(line));
        }
        let code = self.children[party].wait().ok().and_then(|status| status.code());
        let Some(code) = code else {
            let message = format!("party {party}'s process was killed: is memory short?");
            return Err(CliError::system(message));
        };
        let kind = u8::try_from(code).map_or(ErrorKind::Bug, ErrorKind::of_code);
        let message = format!("party {party}'s process ended without a result");
        Err(CliError { kind, message })
    }
}

/// Time for the other parties to say what they saw of a failure.
const AFTER_FAILURE: Duration = Duration::from_secs(2);

fn parse<T: serde::de::DeserializeOwned>(party: usize, line: &str) -> Result<T, CliError> {
    serde_json::from_str(line)
        .map_err(|e| bug(&format!("party {party} printed something else than expected: {e}")))
}

fn finished<T>(outcome: Outcome<T>) -> Result<T, CliError> {
    match outcome {
        Outcome::Done(value) => Ok(value),
        Outcome::Failed(code, message) => Err(CliError { kind: ErrorKind::of_code(code), message }),
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
