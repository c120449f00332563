//! Starting parties, on this machine or on hosts.

use super::hosts::Hosts;
use super::{LISTEN_VARIABLE, Launch, Outcome, PARTY_VARIABLE, Ready, Transport};
use crate::error::{CliError, ErrorKind};
use crate::invocation;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tacit_net::Identity;
use zeroize::Zeroizing;

/// Running parties; killed when dropped.
pub struct Local {
    children: Vec<Child>,
    /// Open for as long as parties are to run: they end with this process.
    inputs: Vec<ChildStdin>,
    /// Lines that they print, by party; none at the end of each.
    lines: mpsc::Receiver<(usize, Option<Line>)>,
    sender: Option<mpsc::Sender<(usize, Option<Line>)>>,
    /// On hosts: what parties printed on standard error last.
    complaints: Vec<Arc<Mutex<String>>>,
    hosts: Option<Hosts>,
}

type Line = std::io::Result<Zeroizing<String>>;

/// Starts `parties` processes with this process's arguments and connects them.
pub fn launch(parties: usize, transport: Transport) -> Result<Local, CliError> {
    connected(parties, transport, None)
}

/// Starts a party on each host with this process's arguments, and connects them over TLS.
pub fn launch_on(hosts: Hosts) -> Result<Local, CliError> {
    connected(hosts.hosts.len(), Transport::Tls, Some(hosts))
}

fn connected(
    parties: usize,
    transport: Transport,
    hosts: Option<Hosts>,
) -> Result<Local, CliError> {
    let (sender, lines) = mpsc::channel();
    let (children, complaints, sender) = (Vec::new(), Vec::new(), Some(sender));
    let mut local = Local { children, inputs: Vec::new(), lines, sender, complaints, hosts };
    for party in 0..parties {
        local.start(party)?;
    }
    // Then the channel ends with the last of them.
    local.sender = None;
    let ports = local.read_ready(parties)?;
    let identities: Vec<Identity> = (0..parties)
        .map(|party| Identity::generate(&format!("party{party}")))
        .collect::<Result<_, _>>()?;
    let fingerprints: Vec<String> =
        identities.iter().map(|i| i.fingerprint().to_string()).collect();
    let session = format!("local {} {}", std::process::id(), fingerprints.concat());
    let addresses: Vec<String> =
        (0..).zip(&ports).map(|(p, port)| local.address(p, *port)).collect();
    for (party, identity) in identities.iter().enumerate() {
        let launch = Launch {
            session: session.clone(),
            transport,
            addresses: addresses.clone(),
            fingerprints: fingerprints.clone(),
            certificate: identity.certificate_pem().to_string(),
            key: identity.key_pem().to_string(),
        };
        let input = local.children[party].stdin.take();
        let mut input = input.ok_or_else(|| bug("a party has no input"))?;
        let written = serde_json::to_writer(&mut input, &launch).map_err(std::io::Error::from);
        let written = written.and_then(|()| input.write_all(b"\n"));
        written.map_err(|e| bug(&format!("{} ended early: {e}", local.name(party))))?;
        local.inputs.push(input);
    }
    Ok(local)
}

/// The arguments of this process, without those that say where parties are started.
fn arguments() -> Result<Vec<String>, CliError> {
    let mut kept = Vec::new();
    let mut all = invocation::arguments().iter();
    while let Some(argument) = all.next() {
        let text = argument.clone().into_string();
        let text = text.map_err(|_| CliError::input("arguments for hosts must be Unicode"))?;
        match text.as_str() {
            "--hosts" => drop(all.next()),
            other if other.starts_with("--hosts=") => {}
            _ => kept.push(text),
        }
    }
    Ok(kept)
}

impl Local {
    /// How a party is called in messages.
    fn name(&self, party: usize) -> String {
        match &self.hosts {
            None => format!("party {party}"),
            Some(hosts) => format!("party {party} on host {}", hosts.hosts[party].name),
        }
    }

    fn address(&self, party: usize, port: u16) -> String {
        match &self.hosts {
            None => format!("127.0.0.1:{port}"),
            Some(hosts) => hosts.address(party, port),
        }
    }

    /// What starts a party.
    fn command(&self, party: usize) -> Result<Command, CliError> {
        let Some(hosts) = &self.hosts else {
            let unknown = || CliError::system("cannot find this program, to start it once more");
            let mut command = invocation::another().ok_or_else(unknown)?;
            command.args(invocation::arguments()).env(PARTY_VARIABLE, party.to_string());
            return Ok(command);
        };
        let variables =
            [(PARTY_VARIABLE, party.to_string()), (LISTEN_VARIABLE, hosts.listen(party))];
        let words = hosts.command(party, &variables, &arguments()?);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stderr(Stdio::piped());
        Ok(command)
    }

    fn start(&mut self, party: usize) -> Result<(), CliError> {
        let mut command = self.command(party)?;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|e| {
            let program = command.get_program().to_string_lossy().into_owned();
            CliError::system(format!("cannot start {} with `{program}`: {e}", self.name(party)))
        })?;
        let output = child.stdout.take().ok_or_else(|| bug("a party has no output"))?;
        let sender = self.sender.clone().ok_or_else(|| bug("parties that are started late"))?;
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                // Nobody listens any more when another party has failed.
                let _ = sender.send((party, Some(line.map(Zeroizing::new))));
            }
            let _ = sender.send((party, None));
        });
        self.complaints.push(Arc::default());
        if let Some(errors) = child.stderr.take() {
            let complaints = self.complaints[party].clone();
            std::thread::spawn(move || listen_to(errors, &complaints));
        }
        self.children.push(child);
        Ok(())
    }

    /// The ports on which parties wait, once all do.
    fn read_ready(&mut self, parties: usize) -> Result<Vec<u16>, CliError> {
        let seconds = self.hosts.as_ref().map_or(u64::MAX >> 32, |hosts| hosts.start_seconds);
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut ports: Vec<Option<u16>> = vec![None; parties];
        while let Some(missing) = ports.iter().position(Option::is_none) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok((party, line)) = self.lines.recv_timeout(left) else {
                return Err(CliError {
                    kind: ErrorKind::Network,
                    message: format!(
                        "{} was not started within {seconds} seconds (start_seconds in the file of hosts){}",
                        self.name(missing),
                        self.complaint(missing)
                    ),
                });
            };
            let Some(Ok(line)) = line else { return Err(self.ended(party)) };
            if self.is_greeting(party, &line) {
                continue;
            }
            let ready = parse::<Ready>(party, &line).map_err(|error| {
                // A party that cannot even open a port says why.
                let outcome = parse::<Outcome<()>>(party, &line).and_then(finished);
                let CliError { kind, message } = outcome.err().unwrap_or(error);
                match &self.hosts {
                    None => CliError { kind, message },
                    Some(_) => {
                        CliError { kind, message: format!("{}: {message}", self.name(party)) }
                    }
                }
            })?;
            ports[party] = Some(ready.port);
        }
        Ok(ports.into_iter().flatten().collect())
    }

    /// What hosts print before a party does is kept for messages.
    fn is_greeting(&self, party: usize, line: &str) -> bool {
        let greets = self.hosts.is_some() && !line.starts_with('{');
        if let (true, Ok(mut said)) = (greets, self.complaints[party].lock()) {
            said.push_str(&line.chars().take(200).collect::<String>());
            said.push('\n');
        }
        greets
    }

    /// What a party on a host said last.
    fn complaint(&self, party: usize) -> String {
        let said = self.complaints[party].lock().map(|said| said.clone()).unwrap_or_default();
        let said = said.trim();
        if said.is_empty() { String::new() } else { format!("; it said: {said}") }
    }

    /// A party whose process ended before it was ready.
    fn ended(&mut self, party: usize) -> CliError {
        let code = self.children[party].wait().ok().and_then(|status| status.code());
        let name = self.name(party);
        if self.hosts.is_none() {
            return bug(&format!("{name}'s process ended before it was ready"));
        }
        // What it said may still be on its way.
        std::thread::sleep(Duration::from_millis(100));
        let code = code.map_or_else(String::new, |code| format!(" with exit code {code}"));
        let message = format!(
            "{name} could not be started: the command that starts it ended{code}{}",
            self.complaint(party)
        );
        CliError { kind: ErrorKind::Network, message }
    }

    /// Waits for all parties and returns their results, or the error that tells most. When one
    /// party fails, the others get a moment to notice and are ended then.
    pub fn results<T: serde::de::DeserializeOwned>(mut self) -> Result<Vec<T>, CliError> {
        let mut results: Vec<Option<T>> = self.children.iter().map(|_| None).collect();
        let mut errors: Vec<CliError> = Vec::new();
        let mut told = vec![false; self.children.len()];
        while !told.iter().all(|told| *told) {
            // Whoever was only told of an end, or lost a peer, may be heard before the one that knows why.
            let wait = match &errors[..] {
                [] => Duration::MAX,
                errors if errors.iter().all(is_echo) => AFTER_FAILURE,
                _ => Duration::ZERO,
            };
            let Ok((party, line)) = self.lines.recv_timeout(wait) else { break };
            if std::mem::replace(&mut told[party], true) {
                continue;
            }
            match self.outcome(party, line).and_then(finished) {
                Ok(result) => results[party] = Some(result),
                Err(error) => errors.push(self.located(party, error)),
            }
        }
        errors.sort_by_key(is_echo);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(results.into_iter().flatten().collect()),
        }
    }

    /// An error with the host that it happened on.
    fn located(&self, party: usize, error: CliError) -> CliError {
        match &self.hosts {
            None => error,
            Some(_) => {
                let message = format!("{}: {}", self.name(party), error.message);
                CliError { message, ..error }
            }
        }
    }

    fn outcome<T: serde::de::DeserializeOwned>(
        &mut self,
        party: usize,
        line: Option<Line>,
    ) -> Result<Outcome<T>, CliError> {
        if let Some(Ok(line)) = line {
            return parse(party, &line);
        }
        let code = self.children[party].wait().ok().and_then(|status| status.code());
        let Some(code) = code else {
            let message = format!("party {party}'s process was killed: is memory short?");
            return Err(CliError::system(message));
        };
        let kind = u8::try_from(code).map_or(ErrorKind::Bug, ErrorKind::of_code);
        // Whatever ended it there, it is not known to be Tacit.
        let lost = self.hosts.is_some() && kind == ErrorKind::Bug;
        let kind = if lost { ErrorKind::Network } else { kind };
        let complaint = self.complaint(party);
        let message = format!("party {party}'s process ended without a result{complaint}");
        Err(CliError { kind, message })
    }
}

/// Whether another party knows more about an error: one's own trouble makes the others lose it as a peer.
fn is_echo(error: &CliError) -> bool {
    matches!(error.kind, ErrorKind::Network | ErrorKind::Peer)
}

/// Keeps the end of what a party prints on standard error.
fn listen_to(mut errors: ChildStderr, complaints: &Mutex<String>) {
    const MOST: usize = 2000;
    let mut bytes = [0; 512];
    while let Ok(count @ 1..) = errors.read(&mut bytes) {
        let Ok(mut said) = complaints.lock() else { return };
        said.push_str(&String::from_utf8_lossy(&bytes[..count]));
        let surplus = said.len().saturating_sub(MOST);
        let from = (surplus..=said.len()).find(|at| said.is_char_boundary(*at)).unwrap_or(0);
        said.drain(..from);
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
