//! Circuits of a program text: designs of the library by name, all others as a whole.
//!
//! A design is written `circuit("add", width 32)`. The canonical form adds the digest of what
//! was built, so that parties whose libraries differ find out before they start. A circuit
//! from elsewhere stands in the text itself, in its binary form:
//! `circuit popcount "name" ("hexadecimal" ...)`.

use super::names;
use crate::ir::{Block, Op, Program};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use tacit_circuit::Circuit;
use tacit_circuit::formats::{ReadOptions, binary};
use tacit_circuit::library::{self, BuildError, Params};

/// Digits per line of an embedded circuit.
const DIGITS_PER_LINE: usize = 96;

/// A design of the library and its parameters, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Recipe {
    pub design: String,
    pub params: Vec<(String, String)>,
}

impl Recipe {
    pub fn build(&self) -> Result<Circuit, BuildError> {
        let mut params = Params::new();
        for (name, value) in &self.params {
            params.set(name, value)?;
        }
        library::build(&self.design, &params)
    }

    /// The circuit's name in the program: `add(width 32)`.
    pub fn name(&self) -> String {
        if self.params.is_empty() {
            return self.design.clone();
        }
        let params = self.params.iter().map(|(name, value)| format!("{name} {value}"));
        format!("{}({})", self.design, params.collect::<Vec<_>>().join(", "))
    }

    /// Reads [`Self::name`].
    fn parse(name: &str) -> Option<Recipe> {
        let Some((design, rest)) = name.split_once('(') else {
            return Some(Recipe { design: name.into(), params: Vec::new() });
        };
        let params = rest.strip_suffix(')')?.split(", ").map(|param| {
            let (name, value) = param.split_once(' ')?;
            names::is_plain(name).then(|| (name.to_owned(), value.to_owned()))
        });
        Some(Recipe { design: design.into(), params: params.collect::<Option<_>>()? })
    }
}

/// A parameter's value as it stands in a text.
fn show_value(value: &str) -> String {
    let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    let is_bare = is_number || matches!(value, "true" | "false");
    if is_bare { value.to_owned() } else { names::show(value) }
}

/// A circuit and its name in the program.
#[derive(Clone)]
pub(super) struct Named {
    pub name: String,
    pub circuit: Arc<Circuit>,
}

/// Reads a circuit from its hexadecimal binary form.
pub(super) fn from_hex(name: &str, digits: &str) -> Result<Circuit, String> {
    let bytes = hex::decode(digits).map_err(|e| format!("circuit `{name}`: {e}"))?;
    from_bytes(name, &bytes)
}

/// Reads a circuit file.
pub(super) fn from_bytes(name: &str, bytes: &[u8]) -> Result<Circuit, String> {
    tacit_circuit::formats::parse(name, bytes, &ReadOptions::default()).map_err(|e| e.to_string())
}

/// How the circuits of a program are written.
#[derive(Default)]
pub(super) struct Printed {
    /// By name and digest: what a call is written like.
    references: HashMap<(String, [u8; 32]), String>,
    definitions: Vec<String>,
}

impl Printed {
    pub fn of(program: &Program) -> Self {
        let mut printed = Printed::default();
        printed.add_block(&program.body);
        printed
    }

    pub fn definitions(&self) -> impl Iterator<Item = String> + '_ {
        self.definitions.iter().cloned()
    }

    pub fn reference(&self, name: &str, circuit: &Circuit) -> &str {
        &self.references[&(name.to_owned(), circuit.digest())]
    }

    fn add_block(&mut self, block: &Block) {
        for node in &block.nodes {
            match &node.op {
                Op::Circuit { name, circuit } => self.add(name, circuit),
                Op::Loop(inner) => self.add_block(&inner.body),
                _ => {}
            }
        }
    }

    fn add(&mut self, name: &str, circuit: &Arc<Circuit>) {
        let key = (name.to_owned(), circuit.digest());
        if self.references.contains_key(&key) {
            return;
        }
        let recipe = Recipe::parse(name).filter(|r| r.build().is_ok_and(|c| c == **circuit));
        let reference = match recipe {
            Some(recipe) => library_reference(&recipe, &key.1),
            None => {
                let label = format!("c{}", self.definitions.len());
                self.definitions.push(definition(&label, name, circuit));
                format!("circuit({label})")
            }
        };
        self.references.insert(key, reference);
    }
}

fn library_reference(recipe: &Recipe, digest: &[u8; 32]) -> String {
    let mut text = format!("circuit({}", names::quote(&recipe.design));
    for (name, value) in &recipe.params {
        let _ = write!(text, ", {name} {}", show_value(value));
    }
    let _ = write!(text, ", digest \"{}\")", hex::encode(digest));
    text
}

fn definition(label: &str, name: &str, circuit: &Circuit) -> String {
    let digits = hex::encode(binary::write(circuit));
    let mut text = format!("circuit {label} {} (", names::quote(name));
    for line in digits.as_bytes().chunks(DIGITS_PER_LINE) {
        let _ = write!(text, "\n  \"{}\"", String::from_utf8_lossy(line));
    }
    text.push_str("\n)");
    text
}
