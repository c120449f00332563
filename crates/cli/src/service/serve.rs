//! `tacit serve`.

use crate::error::CliError;
use crate::invocation;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tacit_net::config;
use tacit_serve::client::Client;
use tacit_serve::config::NodeConfig;
use tacit_serve::daemon;

/// How long local nodes may take to come up.
const COME_UP: Duration = Duration::from_secs(30);

/// Arguments of `tacit serve`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit serve --config /etc/tacit/node.toml -v
  tacit serve --local --parties council,chamber,university --into demo   # three nodes on this machine, to try it
  tacit node status --node demo/council

docs/operations.md says how nodes are set up, and what each refusal of a session means.")]
pub struct ServeArgs {
    /// The node's configuration
    #[arg(long, value_name = "FILE", required_unless_present = "local")]
    config: Option<PathBuf>,

    /// Make keys and configurations of several parties on this machine, and run all their nodes: for trials
    #[arg(long, conflicts_with = "config", requires = "parties", requires = "into")]
    local: bool,

    /// The parties of --local
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    parties: Vec<String>,

    /// The folder of --local: what is there of an earlier time is used again
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Protocols that the nodes of --local allow
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        requires = "local",
        default_value = "lift,quad"
    )]
    protocols: Vec<String>,

    /// End when standard input does: for nodes of --local
    #[arg(long, hide = true)]
    with_launcher: bool,
}

/// Nodes that are up.
#[derive(Serialize)]
struct Up {
    nodes: Vec<LocalNode>,
}

#[derive(Serialize)]
struct LocalNode {
    party: String,
    socket: PathBuf,
}

impl Report for Up {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for node in &self.nodes {
            writeln!(out, "{}: --node {}", node.party, node.socket.display())?;
        }
        writeln!(out, "For trials: you have the keys of all parties. Ctrl-C ends all nodes.")
    }
}

/// Runs the command, until it is ended.
pub fn run(args: &ServeArgs, output: Output) -> Result<(), CliError> {
    if let (true, Some(into)) = (args.local, &args.into) {
        return local(&args.parties, into, &args.protocols, output);
    }
    if args.with_launcher {
        std::thread::spawn(|| {
            // Nothing comes, and then the launcher is gone.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            std::process::exit(0);
        });
    }
    let Some(path) = &args.config else { return Err(CliError::input("add --config FILE")) };
    let (config, party) = NodeConfig::load(path)?;
    let start = || {
        let mut worker = invocation::another()?;
        worker.arg("worker");
        Some(worker)
    };
    Ok(daemon::run(&config, &party, Arc::new(start))?)
}

/// Ends all nodes when it is dropped.
struct Children(Vec<(String, Child)>);

impl Drop for Children {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            // Who has ended needs no signal.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn local(
    parties: &[String],
    into: &Path,
    protocols: &[String],
    output: Output,
) -> Result<(), CliError> {
    let configs = configured(parties, into, protocols)?;
    let mut children = Children(Vec::new());
    for (party, path) in parties.iter().zip(&configs) {
        let mut command = invocation::another()
            .ok_or_else(|| CliError::system("it is not known how this program is started"))?;
        command.arg("serve").arg("--with-launcher").arg("--config").arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let child = command.spawn();
        let child = child.map_err(|e| CliError::system(format!("cannot start a node: {e}")))?;
        children.0.push((party.clone(), child));
    }
    let nodes: Vec<LocalNode> = parties
        .iter()
        .map(|party| LocalNode { party: party.clone(), socket: into.join(party).join("api.sock") })
        .collect();
    let since = Instant::now();
    while !nodes.iter().all(|node| Client::new(&node.socket).get("/readyz").is_ok()) {
        children.look()?;
        if since.elapsed() > COME_UP {
            return Err(CliError::system("the nodes do not come up: start one by itself, with -v"));
        }
        sleep(Duration::from_millis(50));
    }
    output.print(&Up { nodes })?;
    loop {
        children.look()?;
        sleep(Duration::from_millis(200));
    }
}

impl Children {
    /// Whether all are there.
    fn look(&mut self) -> Result<(), CliError> {
        for (party, child) in &mut self.0 {
            if let Ok(Some(status)) = child.try_wait() {
                return Err(CliError::system(format!("the node of {party} has ended: {status}")));
            }
        }
        Ok(())
    }
}

/// A free address of loopback. Somebody else may take it before the node does: then the node says so.
fn free() -> Result<(TcpListener, String), CliError> {
    let wrong = |e: io::Error| CliError::system(format!("no free port: {e}"));
    let listener = TcpListener::bind("127.0.0.1:0").map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?.to_string();
    Ok((listener, address))
}

/// Configurations of all nodes: those that are there, or new ones with new keys.
fn configured(
    parties: &[String],
    into: &Path,
    protocols: &[String],
) -> Result<Vec<PathBuf>, CliError> {
    let file = |party: &String| into.join(format!("{party}.node.toml"));
    let files: Vec<PathBuf> = parties.iter().map(file).collect();
    if files.iter().all(|file| file.exists()) {
        return Ok(files);
    }
    fs::create_dir_all(into).map_err(|e| CliError::file(into, &e))?;
    let all: Vec<_> =
        parties.iter().map(|_| Ok((free()?, free()?))).collect::<Result<_, CliError>>()?;
    let data = |((_, address), _): &((_, String), _)| address.clone();
    let named: Vec<(String, String)> = parties.iter().cloned().zip(all.iter().map(data)).collect();
    config::init(&named, into)?;
    let links: Vec<String> = all.iter().map(|(_, (_, address))| address.clone()).collect();
    for (party, file) in parties.iter().zip(&files) {
        let own = parties.iter().position(|other| other == party).unwrap_or(0);
        let mut text = format!(
            "party = \"{party}.toml\"\nstate = \"{party}\"\n\n[policy]\nprotocols = {protocols:?}\n\n"
        );
        text += &format!("[peer]\nlisten = \"{}\"\n\n[peer.addresses]\n", links[own]);
        for (peer, address) in parties.iter().zip(&links).filter(|(peer, _)| *peer != party) {
            text += &format!("{peer} = \"{address}\"\n");
        }
        fs::write(file, text).map_err(|e| CliError::file(file, &e))?;
    }
    Ok(files)
}
