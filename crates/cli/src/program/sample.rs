//! Arguments that give a program its inputs, for commands that are shown: files named after parties, and values.

use std::path::Path;
use tacit_program::{PartyId, Program, Type};

/// What gives one input, or all of a party that have the same rows.
pub struct Sample {
    /// Whose: nobody's if it is public.
    pub party: Option<PartyId>,
    /// For which row count, where a party has several.
    rows: Option<String>,
    given: Given,
}

enum Given {
    /// A table.
    Table(String),
    /// A value for a named input.
    Value(String, String),
}

impl Sample {
    /// The words of the argument, where all parties are on one machine or one party is alone.
    pub fn words(&self, program: &Program, local: bool) -> [String; 2] {
        match (&self.given, self.party) {
            (Given::Value(name, value), _) => ["--value".into(), format!("{name}={value}")],
            (Given::Table(path), Some(party)) => {
                let party = if local { program.parties[usize::from(party.0)].as_str() } else { "" };
                let rows = self.rows.iter().map(|rows| format!("/{rows}")).collect::<String>();
                let who = format!("{party}{rows}");
                let named = if who.is_empty() { path.clone() } else { format!("{who}={path}") };
                ["--table".into(), named]
            }
            (Given::Table(path), None) => ["--table".into(), path.clone()],
        }
    }
}

/// What gives all inputs of a program: tables beside it, `alice.csv` or, of several row counts, `alice-n.csv`; and of
/// inputs without rows the values next to zero.
pub fn samples(program: &Program, path: &Path) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for (id, name, party) in program.inputs() {
        let ty = &program.body.nodes[id as usize].types[0];
        let dim = ty.shape.first().and_then(|extent| extent.terms.first());
        let (Some((dim, _)), Some(owner)) = (dim, party) else {
            let given = Given::Value(name.to_owned(), value(ty));
            samples.push(Sample { party, rows: None, given });
            continue;
        };
        let rows = program.dims[dim.0 as usize].name.clone();
        let known = |s: &Sample| s.party == party && s.rows.as_ref() == Some(&rows);
        if !samples.iter().any(known) {
            let file = format!("{}-{rows}.csv", program.parties[usize::from(owner.0)]);
            let file = path.with_file_name(file).display().to_string();
            samples.push(Sample { party, rows: Some(rows), given: Given::Table(file) });
        }
    }
    for (number, party) in program.parties.iter().enumerate() {
        let is_own = |s: &&mut Sample| {
            s.rows.is_some() && s.party.is_some_and(|p| usize::from(p.0) == number)
        };
        let mut own: Vec<&mut Sample> = samples.iter_mut().filter(is_own).collect();
        if let [only] = &mut own[..] {
            let file = path.with_file_name(format!("{party}.csv")).display().to_string();
            (only.rows, only.given) = (None, Given::Table(file));
        }
    }
    samples
}

/// As many values next to zero as an input has elements.
fn value(ty: &Type) -> String {
    let raw = 0.clamp(ty.interval.low, ty.interval.high);
    let one = (raw as f64 / (1u128 << ty.element.fraction()) as f64).to_string();
    let elements: u64 = ty.shape.iter().filter_map(|extent| extent.known()).product();
    vec![one; elements as usize].join(",")
}
