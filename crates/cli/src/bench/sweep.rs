//! `tacit bench --plot`: one operation under several protocols while links get slower, as a plot.
//!
//! Every point is a benchmark of its own, with a network of its own: links that are kept have the
//! full rate, all others a part of it.

use super::args::{BenchArgs, Operation, Pair, SweepArgs};
use super::chart::Chart;
use crate::error::CliError;
use crate::invocation;
use crate::output::Report;
use crate::progress::Progress;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tacit_backend::cost::{self, Traffic};
use tacit_sharing::Protocol;
use tacit_sharing::balance::Way;

/// A benchmark on one network.
#[derive(Clone, Debug, Serialize)]
struct Point {
    protocol: String,
    /// Rate of the links that are not kept.
    percent: f64,
    per_second: f64,
    /// What the links allow.
    limit_per_second: Option<f64>,
}

/// All points of a plot.
#[derive(Serialize)]
pub struct Sweep {
    op: Operation,
    shape: String,
    plot: PathBuf,
    points: Vec<Point>,
}

/// Measures all points and writes the plot.
pub fn sweep(args: &BenchArgs, plot: &Path) -> Result<Sweep, CliError> {
    let SweepArgs { keep, throttle, .. } = &args.sweep;
    let (shape, protocols) = (args.network.clone().unwrap_or_default(), args.protocols.clone());
    if throttle.iter().any(|percent| !(*percent > 0.0 && *percent <= 100.0)) {
        return Err(CliError::input("--throttle has percents above 0 and up to 100"));
    }
    let rate = full_rate(&shape)?;
    let folder = tempfile::tempdir().map_err(|e| CliError::system(e.to_string()))?;
    let progress = Progress::new(true);
    progress.set_length((protocols.len() * throttle.len()) as u64);
    let mut points = Vec::new();
    for protocol in protocols {
        for percent in throttle {
            progress.step(&format!("{protocol} at {percent} %"));
            let network = folder.path().join("network.toml");
            let links = network_file(rate, *percent, keep);
            std::fs::write(&network, links).map_err(|e| CliError::file(&network, &e))?;
            points.push(point(args, protocol, *percent, &network)?);
            progress.add(1);
        }
    }
    drop(progress);
    let sweep = Sweep { op: args.operation, shape, plot: plot.into(), points };
    draw(&sweep).map_err(|e| CliError::system(format!("{}: {e}", plot.display())))?;
    Ok(sweep)
}

/// Megabits per second of the links that are kept.
fn full_rate(shape: &str) -> Result<f64, CliError> {
    let profile = tacit::runtime::Profile::load(shape)?;
    let parties = || tacit_net::PartyId::all(profile.parties());
    let links = parties().flat_map(|a| parties().filter(move |b| *b != a).map(move |b| (a, b)));
    let mut rates: Vec<Option<u64>> =
        links.map(|(a, b)| profile.link(a, b).bits_per_second).collect();
    rates.dedup();
    match rates[..] {
        [Some(rate)] => Ok(rate as f64 * 1e-6),
        _ => Err(CliError::input(
            "a plot throttles a network whose links are alike: --network 1gbit",
        )),
    }
}

/// A network of four parties.
fn network_file(rate: f64, percent: f64, keep: &[Pair]) -> String {
    let mut text = format!("name = \"throttled to {percent} %\"\nlinks = [\n");
    for (a, b) in (0..4u8).flat_map(|a| (a + 1..4).map(move |b| (a, b))) {
        let kept = keep.iter().any(|pair| pair.is(a, b));
        let rate = if kept { rate } else { rate * percent / 100.0 };
        text.push_str(&format!("    {{ between = [{a}, {b}], mbit_per_s = {rate} }},\n"));
    }
    text.push_str("]\n");
    text
}

/// One benchmark, by this program itself.
fn point(
    args: &BenchArgs,
    protocol: Protocol,
    percent: f64,
    network: &Path,
) -> Result<Point, CliError> {
    let fail = |what: String| CliError::system(format!("a benchmark of {protocol}: {what}"));
    let mut command =
        invocation::another().ok_or_else(|| fail("this program cannot be found".into()))?;
    let pace = if keeps_its_pace(args, protocol) { 100.0 } else { percent };
    command.args(args.of_point(protocol, pace)).arg("--network").arg(network);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let run = command.output().map_err(|e| fail(e.to_string()))?;
    if !run.status.success() {
        return Err(fail(format!("it ended with {}", run.status)));
    }
    let result: serde_json::Value =
        serde_json::from_slice(&run.stdout).map_err(|e| fail(e.to_string()))?;
    let per_second = result["per_second"].as_f64().ok_or_else(|| fail("no speed".into()))?;
    let limit_per_second = result["limit"]["per_second"].as_f64();
    Ok(Point { protocol: protocol.to_string(), percent, per_second, limit_per_second })
}

/// Whether products go over links that are kept, in a way that is theirs to choose or in all: who does not use the
/// throttled links does not slow down with them.
fn keeps_its_pace(args: &BenchArgs, protocol: Protocol) -> bool {
    let kept = |product: Traffic| {
        let mut used = cost::links().filter(|(from, to)| product.link(*from, *to) > 0);
        used.all(|(a, b)| args.sweep.keep.iter().any(|pair| pair.is(a as u8, b as u8)))
    };
    let mut ways = Way::all(protocol).into_iter();
    match args.balance.given(protocol) {
        Ok(Some(balance)) => kept(cost::balanced(&balance, protocol).0),
        _ if args.balance.is_none() => kept(tacit_planner::product(protocol)),
        _ => ways.any(|way| kept(cost::product_in(way))),
    }
}

fn draw(sweep: &Sweep) -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<&str> = sweep.points.iter().map(|point| &*point.protocol).collect();
    names.dedup();
    let curve = |name: &str| {
        let own = sweep.points.iter().filter(|point| point.protocol == name);
        own.map(|point| (point.percent, point.per_second.max(1.0))).collect()
    };
    let chart = Chart {
        title: format!("{:?}: all links of {}, some throttled", sweep.op, sweep.shape),
        axes: ["rate of the throttled links, percent".into(), "results per second".into()],
        curves: names.into_iter().map(|name| (name.to_owned(), curve(name))).collect(),
    };
    chart.draw(&sweep.plot)
}

impl Report for Sweep {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Point { protocol, percent, per_second, .. } in &self.points {
            let speed = super::result::short(*per_second);
            writeln!(out, "{protocol:>14}, other links at {percent:>5} %: {speed} per second")?;
        }
        writeln!(out, "plotted in {}", self.plot.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throttled_network_is_one_that_tacit_reads() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("network.toml");
        std::fs::write(&file, network_file(1000.0, 1.0, &[Pair(0, 2), Pair(2, 1)])).unwrap();
        let profile = tacit::runtime::Profile::load(file.to_str().unwrap()).unwrap();
        let rate =
            |a, b| profile.link(tacit_net::PartyId(a), tacit_net::PartyId(b)).bits_per_second;
        assert_eq!([rate(2, 0), rate(1, 2)], [Some(1_000_000_000); 2]);
        assert_eq!([rate(0, 1), rate(3, 2)], [Some(10_000_000); 2]);
    }

    #[test]
    fn links_are_read() {
        assert_eq!("0-2".parse(), Ok(Pair(0, 2)));
        assert!(["0", "0-0", "0-4", "a-b"].iter().all(|text| text.parse::<Pair>().is_err()));
    }

    #[test]
    fn a_plot_has_a_line_for_every_protocol() {
        let folder = tempfile::tempdir().unwrap();
        let plot = folder.path().join("plot.svg");
        let point = |protocol: &str, percent: f64| Point {
            protocol: protocol.into(),
            percent,
            per_second: 1e6 * percent,
            limit_per_second: None,
        };
        let points = vec![point("one", 100.0), point("one", 1.0), point("two", 100.0)];
        let shape = "1gbit".into();
        draw(&Sweep { op: Operation::And, shape, plot: plot.clone(), points }).unwrap();
        let text = std::fs::read_to_string(plot).unwrap();
        assert!(text.contains("one") && text.contains("two") && text.contains("polyline"));
    }
}
