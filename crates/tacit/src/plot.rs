//! Plots as SVG: what a run took, what protocols would take, and what a program's operations cost.
//!
//! Bars lie, so that names have room, and each has its number beside it. Colours are those of M. Okabe and K. Ito, which
//! colour-blind people tell apart; none is told by its colour alone.
//!
//! ```
//! use tacit::{Network, Program, Threat, plot};
//!
//! let program = Program::parse("less", r#"
//!     program less
//!     parties alice, bob, carol
//!     input a: u32 from alice
//!     input b: u32 from bob
//!     reveal a < b to all as "bob has more"
//! "#)?;
//! let plan = program.plan(&Network::LAN, Threat::semi_honest(1), &[])?;
//! let svg = plot::plan(&plan, "lan")?;
//! assert!(svg.starts_with("<svg") && svg.contains("trio"));
//! # Ok::<(), tacit::Error>(())
//! ```

use crate::candidate::{Candidate, Choice};
use crate::error::{Error, ErrorKind, Result};
use crate::explain::Explained;
use crate::outcome::Report;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::collections::BTreeMap;

const WIDTH: i32 = 760;
const MARGIN: i32 = 16;
/// Sizes of text; the SVG says them divided by 1.24, in pixels.
const TEXT: i32 = 15;
const TITLE: i32 = 18;
/// Pixels that a character takes, about, at most.
const CHARACTER: f64 = 7.5;
/// Characters of a name that are shown.
const NAME: usize = 38;
const ROW: i32 = 24;

const DARK: RGBColor = RGBColor(34, 34, 34);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const SKY: RGBColor = RGBColor(86, 180, 233);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const GREY: RGBColor = RGBColor(153, 153, 153);

/// What seconds consist of, in all plots.
const WAITING: (&str, RGBColor) = ("waiting", SKY);
const SENDING: (&str, RGBColor) = ("sending", ORANGE);
const COMPUTING: (&str, RGBColor) = ("computing", BLUE);
const SET_UP: (&str, RGBColor) = ("set-up", GREY);

/// Bars that are shown one by one: of more, the last stands for the rest.
const BARS: usize = 20;

/// A part of a plot: bars with one scale.
struct Panel {
    title: String,
    legend: Vec<(&'static str, RGBColor)>,
    bars: Vec<Bar>,
}

/// A bar: its name, the lengths of its parts, that of a thin one beneath it, and what stands behind it.
struct Bar {
    name: String,
    parts: Vec<(f64, RGBColor)>,
    beneath: Option<f64>,
    note: String,
}

/// Traffic by link, and what the seconds of each party consist of. `names` are those of the session's parties. What was
/// `predicted` stands beside it. `here` are the seconds that all parties took in one process, where links take no time.
///
/// # Errors
/// An [`ErrorKind::Bug`], where it cannot be drawn.
pub fn run(
    report: &Report,
    names: &[String],
    predicted: Option<&Candidate>,
    here: Option<f64>,
) -> Result<String> {
    let links = traffic(report, names);
    let mut bars = match here {
        Some(here) => vec![bar("all parties, here", [(here, BLUE)])],
        None => parties(report, names),
    };
    let mut legend = match here {
        Some(_) => vec![COMPUTING],
        None => vec![SET_UP, WAITING, ("computing and sending", BLUE)],
    };
    if let Some(predicted) = predicted {
        bars.push(bar("by the plan", consists(predicted)));
        legend = if here.is_some() { Vec::new() } else { vec![SET_UP] };
        legend.extend([WAITING, SENDING, ("computing (and, where measured, sending)", BLUE)]);
    }
    let title = format!("{}: seconds of each party", report.protocol);
    draw(&[links, Panel { title, legend, bars }])
}

/// What each candidate of a plan would take on a network.
///
/// # Errors
/// An [`ErrorKind::Bug`], where it cannot be drawn.
pub fn plan(plan: &Choice, network: &str) -> Result<String> {
    let row = |it: &Candidate| {
        let name = format!("{} by {}", it.protocol, it.by);
        let name = if it.by.is_empty() { it.protocol.clone() } else { name };
        let note = format!("{}, {}", seconds(it.seconds), bytes(it.bytes));
        Bar { note, ..bar(&name, consists(it)) }
    };
    let title = format!("Seconds against {}, predicted on {network}", plan.against);
    let bars = few(plan.candidates.iter().map(row).collect(), "slower ones", false);
    draw(&[Panel { title, legend: vec![WAITING, SENDING, COMPUTING], bars }])
}

/// What each operation of a program takes, the worst first.
///
/// # Errors
/// An [`ErrorKind::Bug`], where it cannot be drawn.
pub fn operations(explained: &Explained) -> Result<String> {
    let row = |it: &crate::explain::Operation| {
        let parts =
            [(it.waiting_seconds, SKY), (it.sending_seconds, ORANGE), (it.computing_seconds, BLUE)];
        let name = match it.line {
            0 => it.name.clone(),
            line => {
                let file = it.file.rsplit(['/', '\\']).next().unwrap_or_default();
                format!("{} · {file}:{line}", it.name)
            }
        };
        let note = format!("{}, {}", seconds(it.seconds()), bytes(it.bytes));
        Bar { note, ..bar(&name, parts) }
    };
    let title = format!(
        "Seconds by operation under {}, predicted on {}",
        explained.protocol, explained.network
    );
    let bars = few(explained.operations.iter().map(row).collect(), "others", true);
    draw(&[Panel { title, legend: vec![WAITING, SENDING, COMPUTING], bars }])
}

fn bar(name: &str, parts: impl Into<Vec<(f64, RGBColor)>>) -> Bar {
    let parts = parts.into();
    let note = seconds(parts.iter().map(|part| part.0).sum());
    Bar { name: name.to_owned(), parts, beneath: None, note }
}

fn consists(it: &Candidate) -> [(f64, RGBColor); 3] {
    [(it.waiting_seconds, SKY), (it.sending_seconds, ORANGE), (it.computing_seconds, BLUE)]
}

/// The first bars; the last is the sum of the rest, if there is one, or says how many there are.
fn few(mut bars: Vec<Bar>, others: &str, sum: bool) -> Vec<Bar> {
    if bars.len() <= BARS {
        return bars;
    }
    let rest = bars.split_off(BARS - 1);
    let name = format!("{} {others}", rest.len());
    let parts = rest.into_iter().flat_map(|bar| bar.parts);
    bars.push(match sum {
        true => bar(&name, parts.collect::<Vec<_>>()),
        false => Bar { note: String::new(), ..bar(&name, Vec::new()) },
    });
    bars
}

fn named(names: &[String], party: u8) -> String {
    names.get(usize::from(party)).cloned().unwrap_or_else(|| format!("party{party}"))
}

/// Bytes over each directed link, with those that were predicted.
fn traffic(report: &Report, names: &[String]) -> Panel {
    let mut links: BTreeMap<(u8, u8), [f64; 2]> = BTreeMap::new();
    for link in &report.cost.links {
        let known = links.entry((link.from, link.to)).or_default();
        known[0] += link.bytes as f64;
        known[1] += link.predicted_bytes as f64;
    }
    let mut links: Vec<((u8, u8), [f64; 2])> = links.into_iter().collect();
    if links.len() > BARS {
        links.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
    }
    let row = |((from, to), [measured, predicted]): ((u8, u8), [f64; 2])| {
        let note = match measured == predicted {
            true => format!("{}, as predicted", bytes(measured)),
            false => format!("{}, predicted {}", bytes(measured), bytes(predicted)),
        };
        let name = format!("{} → {}", named(names, from), named(names, to));
        Bar { name, parts: vec![(measured, BLUE)], beneath: Some(predicted), note }
    };
    let all: f64 = links.iter().map(|link| link.1[0]).sum();
    let bars = few(links.into_iter().map(row).collect(), "other links, each with less", false);
    let title = format!("{}: {} sent in all", report.protocol, bytes(all));
    Panel { title, legend: vec![("measured", BLUE), ("predicted", GREY)], bars }
}

/// What the seconds of each party consist of. All start and end together, so that the reporting party's are those of all.
fn parties(report: &Report, names: &[String]) -> Vec<Bar> {
    let many = report.cost.links.iter().map(|link| link.from.max(link.to) + 1).max().unwrap_or(0);
    let many = many.max(u8::try_from(names.len()).unwrap_or(u8::MAX));
    let (set_up, all) =
        (report.cost.setup_seconds, report.cost.offline_seconds + report.cost.online_seconds);
    let row = |party: u8| {
        let links = report.cost.links.iter().filter(|link| link.to == party);
        let waited: f64 = links.map(|link| link.waited_seconds).sum();
        // Threads wait side by side.
        let waited = (waited / report.threads.max(1) as f64).min(all);
        bar(&named(names, party), [(set_up, GREY), (waited, SKY), (all - waited, BLUE)])
    };
    few((0..many).map(row).collect(), "other parties", false)
}

/// A time as people read it.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 10.0 => format!("{s:.0} s"),
        s if s >= 0.1 => format!("{s:.2} s"),
        s => format!("{:.1} ms", s * 1e3),
    }
}

/// A size as people read it.
fn bytes(bytes: f64) -> String {
    match bytes {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b:.0} B"),
    }
}

/// A name that has room.
fn short(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

fn width(text: &str, size: i32) -> i32 {
    (text.chars().count() as f64 * CHARACTER * f64::from(size) / f64::from(TEXT)).ceil() as i32
}

impl Panel {
    fn height(&self) -> i32 {
        let legend = if self.legend.is_empty() { 0 } else { 26 };
        34 + legend + ROW * self.bars.len() as i32 + MARGIN
    }
}

fn draw(panels: &[Panel]) -> Result<String> {
    let height = MARGIN + panels.iter().map(Panel::height).sum::<i32>();
    let mut svg = String::new();
    let drawn = {
        let area =
            SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32)).into_drawing_area();
        on_area(&area, panels)
    };
    let bug = |error| Error::new(ErrorKind::Bug, format!("a plot cannot be drawn: {error}"));
    drawn.map_err(bug)?;
    Ok(svg)
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;

fn on_area(area: &Area<'_>, panels: &[Panel]) -> std::result::Result<(), String> {
    area.fill(&WHITE).map_err(|e| e.to_string())?;
    let mut top = MARGIN;
    for panel in panels {
        on_panel(area, panel, top).map_err(|e| e.to_string())?;
        top += panel.height();
    }
    area.present().map_err(|e| e.to_string())
}

fn on_panel(
    area: &Area<'_>,
    panel: &Panel,
    top: i32,
) -> std::result::Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let text = |text: &str, at: (i32, i32), size: i32, side: HPos| {
        let style = TextStyle::from(("sans-serif", size)).color(&DARK);
        area.draw(&Text::new(text.to_owned(), at, style.pos(Pos::new(side, VPos::Center))))
    };
    let block = |from: (i32, i32), to: (i32, i32), color: RGBColor| {
        area.draw(&Rectangle::new([from, to], color.filled()))
    };
    text(&panel.title, (MARGIN, top + 10), TITLE, HPos::Left)?;
    let (mut x, mut y) = (MARGIN, top + 34);
    for (name, color) in &panel.legend {
        block((x, y), (x + 12, y + 12), *color)?;
        text(name, (x + 18, y + 6), TEXT, HPos::Left)?;
        x += 18 + width(name, TEXT) + 20;
    }
    y += if panel.legend.is_empty() { 0 } else { 26 };
    let names: Vec<String> = panel.bars.iter().map(|bar| short(&bar.name)).collect();
    let widest = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| width(text, TEXT)).max().unwrap_or(0)
    };
    let left = MARGIN + widest(&mut names.iter().map(String::as_str)) + 8;
    let right = WIDTH - MARGIN - widest(&mut panel.bars.iter().map(|bar| &*bar.note)) - 8;
    let length = |bar: &Bar| -> f64 {
        bar.parts.iter().map(|part| part.0).sum::<f64>().max(bar.beneath.unwrap_or(0.0))
    };
    let longest = panel.bars.iter().map(length).fold(0.0, f64::max);
    let scale = if longest > 0.0 { f64::from(right - left) / longest } else { 0.0 };
    for (bar, name) in panel.bars.iter().zip(&names) {
        text(name, (left - 8, y + 8), TEXT, HPos::Right)?;
        let thick = if bar.beneath.is_some() { 11 } else { 16 };
        let (mut sum, mut end) = (0.0, left);
        for (part, color) in &bar.parts {
            sum += part;
            let to = left + (sum * scale).round() as i32;
            if to > end {
                block((end, y), (to, y + thick), *color)?;
            }
            end = to;
        }
        if let Some(beneath) = bar.beneath {
            let to = left + (beneath * scale).round() as i32;
            block((left, y + thick), (to, y + thick + 5), GREY)?;
            end = end.max(to);
        }
        text(&bar.note, (end + 8, y + 8), TEXT, HPos::Left)?;
        y += ROW;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(protocol: &str, [waiting, sending, computing]: [f64; 3]) -> Candidate {
        Candidate {
            protocol: protocol.into(),
            by: "rings".into(),
            roles: vec![0, 1, 2],
            assignments: 1,
            threads: 1,
            seconds: waiting + sending + computing,
            waiting_seconds: waiting,
            sending_seconds: sending,
            computing_seconds: computing,
            bound: "latency".into(),
            steps: 7,
            bytes: 1500.0,
        }
    }

    fn choice(candidates: Vec<Candidate>) -> Choice {
        Choice {
            against: "one semi-honest party".into(),
            candidates,
            left_out: Vec::new(),
            links: Vec::new(),
            measuring_seconds: 0.0,
            planning_seconds: 0.0,
        }
    }

    /// The widths of rectangles of a colour.
    fn widths(svg: &str, color: &str) -> Vec<u32> {
        let of = |line: &str| -> Option<u32> {
            let (_, rest) = line.split_once("width=\"")?;
            rest.split('"').next()?.parse().ok()
        };
        svg.lines()
            .filter(|it| it.starts_with("<rect") && it.contains(color))
            .filter_map(of)
            .collect()
    }

    #[test]
    fn bars_are_as_long_as_what_they_stand_for() {
        let svg = plan(
            &choice(vec![candidate("trio", [1.0, 0.0, 1.0]), candidate("lift", [2.0, 1.0, 1.0])]),
            "lan",
        )
        .unwrap();
        // The first of each colour is in the legend.
        let [waiting, sending, computing] =
            ["#56B4E9", "#E69F00", "#0072B2"].map(|color| widths(&svg, color)[1..].to_vec());
        let [short, long] = waiting[..] else { panic!("{waiting:?}") };
        assert!(short > 40 && long.abs_diff(2 * short) <= 1, "{waiting:?}");
        assert_eq!((sending.len(), computing.len()), (1, 2));
        assert!(sending[0].abs_diff(short) <= 1 && computing[0].abs_diff(short) <= 1);
        assert!(svg.contains("4.00 s, 1.5 kB"), "{svg}");
    }

    #[test]
    fn text_is_large_enough_and_escaped() {
        let svg = plan(&choice(vec![candidate("<script>", [1.0, 0.0, 0.0])]), "a & b").unwrap();
        assert!(
            !svg.contains("<script") && svg.contains("&lt;script&gt;") && svg.contains("a &amp; b")
        );
        let sizes = svg.split("font-size=\"").skip(1);
        let sizes: Vec<f64> =
            sizes.map(|it| it.split('"').next().unwrap().parse().unwrap()).collect();
        assert!(sizes.len() > 4 && sizes.iter().all(|size| *size >= 11.0), "{sizes:?}");
    }

    #[test]
    fn many_bars_end_in_one_for_the_rest() {
        let many = (0..50).map(|i| candidate(&format!("p{i}"), [1.0, 1.0, 1.0])).collect();
        let svg = plan(&choice(many), "lan").unwrap();
        assert!(svg.contains("31 slower ones") && svg.contains("p18") && !svg.contains("p19"));
    }
}
