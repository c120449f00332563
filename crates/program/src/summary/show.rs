//! A summary for people to read.

use super::{Count, Output, Summary};
use crate::text::names;
use std::fmt;

/// First what each party learns, then what is taken from whom, then what is computed.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", names::show(&self.name))?;
        writeln!(f, "digest  {}", self.digest.map(|b| format!("{b:02x}")).concat())?;
        self.learned(f)?;
        self.taken(f)?;
        self.checked(f)?;
        self.domains(f)?;
        self.computed(f)?;
        self.repeated(f)
    }
}

impl Summary {
    fn learned(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nREVEALED, and nothing else")?;
        let mut lines = Vec::new();
        for party in &self.parties {
            let mine: Vec<&Output> = self.outputs.iter().filter(|o| o.to.contains(party)).collect();
            let learns = format!("{} learns", names::show(party));
            if mine.is_empty() {
                lines.push([learns, "no result".into(), String::new(), String::new()]);
                continue;
            }
            for (i, output) in mine.into_iter().enumerate() {
                let learns = if i == 0 { learns.clone() } else { String::new() };
                let range = format!("in {}", output.range);
                lines.push([learns, names::show(&output.name), output.array.clone(), range]);
            }
        }
        for (i, (name, rows)) in self.rows.iter().enumerate() {
            let learns = if i == 0 { "everybody learns" } else { "" };
            let count = format!("row count {}", names::show(name));
            let range = format!("in {}..{}", rows.start(), rows.end());
            lines.push([learns.into(), count, String::new(), range]);
        }
        table(f, &lines)
    }

    fn taken(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nTAKEN")?;
        let line = |input: &super::Input| {
            let from = match &input.party {
                Some(party) => format!("from {}", names::show(party)),
                None => "public".into(),
            };
            let range = format!("in {}", input.range);
            [from, names::show(&input.name), input.array.clone(), range]
        };
        let lines: Vec<_> = self.inputs.iter().map(line).collect();
        if lines.is_empty() { writeln!(f, "  nothing") } else { table(f, &lines) }
    }

    fn checked(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.checks.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nCHECKED IN THE RUN: 1 bit for all checks together, to everybody")?;
        let line = |check: &super::Checked| {
            let place = check.place.chars().map(visible).collect();
            let when = if check.repeated { "in each iteration" } else { "" };
            [place, check.array.clone(), format!("in {}", check.range), when.into()]
        };
        table(f, &self.checks.iter().map(line).collect::<Vec<_>>())
    }

    fn domains(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |(name, members): &(String, String)| {
            let members = members.chars().map(visible).collect();
            [names::show(name), members, String::new(), String::new()]
        };
        let lines: Vec<_> = self.domains.iter().map(line).collect();
        if lines.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nDOMAINS, what numbers stand for")?;
        table(f, &lines)
    }

    fn computed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (secret, title) in [(true, "COMPUTED on secrets"), (false, "COMPUTED in the clear")] {
            let lines: Vec<_> = self
                .operations
                .iter()
                .filter(|operation| operation.secret == secret)
                .map(|operation| {
                    let elements = format!("on {} elements", self.count(&operation.elements));
                    let name = operation.name.chars().map(visible).collect();
                    [name, format!("{} x", operation.uses), elements, String::new()]
                })
                .collect();
            if !lines.is_empty() {
                writeln!(f, "\n{title}")?;
                table(f, &lines)?;
            }
        }
        writeln!(f, "\nnonlinear on secrets: {} elements", self.count(&self.nonlinear))
    }

    fn repeated(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for repeated in &self.loops {
            let (indent, carried) = (2 * repeated.depth, repeated.carried);
            let (trips, operations) = (&repeated.trips, repeated.operations);
            let body = format!("{operations} operations, carries {carried} values");
            writeln!(f, "{:indent$}loop of {trips} iterations: {body}", "")?;
        }
        Ok(())
    }

    fn count(&self, count: &Count) -> String {
        count.text(|dim| names::show(&self.rows[dim.0 as usize].0))
    }
}

fn visible(c: char) -> char {
    if names::is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// Lines with their columns aligned.
fn table(f: &mut fmt::Formatter<'_>, lines: &[[String; 4]]) -> fmt::Result {
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
    let [a, b, c] = [width(0), width(1), width(2)];
    for [first, second, third, last] in lines {
        let line = format!("  {first:a$}  {second:b$}  {third:c$}  {last}");
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
