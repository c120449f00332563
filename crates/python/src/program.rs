//! Programs, as Python holds them.

use crate::data::{Derived, Raw};
use crate::error::failure;
use crate::run::{network, protocol, threat};
use pyo3::prelude::*;
use std::path::PathBuf;
use tacit_program::{Interval, Meaning, Node, Op, Type, text};

/// A program that was built or read.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Program(pub tacit::Program);

impl Program {
    pub fn new(program: tacit::Program) -> Program {
        Program(program)
    }
}

/// What a query does and discloses: its plan, who learns what, what everybody learns, what is checked, what looks unwise, and
/// what owners compute of texts.
type Disclosed = (String, Vec<String>, Vec<String>, Vec<String>, Vec<String>, Vec<String>);

/// What Python is told of an input: name, number of its party, kind, bits, bits behind the point, lengths of the axes (a
/// number, or the name of a row count), least and greatest raw value, what its numbers stand for, names of those, what it is computed from.
type Input = (
    String,
    Option<u8>,
    (String, u8, u8),
    Vec<String>,
    (i128, i128),
    String,
    Option<Vec<String>>,
    Option<Derived>,
);

/// An operation: name, file and line.
type Within = (&'static str, String, u32);

/// An operation, and those of its body if it is a loop.
fn collect(node: &Node, within: &mut Vec<Within>) {
    within.push((text::op_name(&node.op), node.span.file.to_string(), node.span.line));
    if let Op::Loop(inner) = &node.op {
        inner.body.nodes.iter().for_each(|node| collect(node, within));
    }
}

#[pymethods]
impl Program {
    /// Reads the text form.
    #[staticmethod]
    fn parse(name: &str, source: &str) -> PyResult<Program> {
        tacit::Program::parse(name, source).map(Program).map_err(failure)
    }

    #[staticmethod]
    fn read(path: &str) -> PyResult<Program> {
        tacit::Program::read(path).map(Program).map_err(failure)
    }

    /// Reads a query in SQL.
    #[staticmethod]
    fn parse_sql(name: &str, source: &str) -> PyResult<Program> {
        tacit::Program::parse_sql(name, source).map(Program).map_err(|error| match error.place() {
            Some((file, line, column)) => {
                let place = (file.to_owned(), line, error.to_string(), column);
                crate::error::Mistake::new_err(place)
            }
            None => failure(error),
        })
    }

    /// What a query does and discloses, if it was read from one.
    #[getter]
    fn disclosed(&self) -> Option<Disclosed> {
        let it = self.0.disclosed()?.clone();
        Some((it.plan, it.learned, it.public, it.checked, it.advice, it.computed))
    }

    /// Names of the columns of a query's answer, if it was read from one.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        Some(self.0.shown()?.columns.iter().map(|column| column.result.clone()).collect())
    }

    /// Sets of inputs that no two rows have equal values of.
    #[getter]
    fn unique(&self) -> Vec<Vec<String>> {
        self.0.unique().to_vec()
    }

    /// What a file gives of a party's inputs; of which table, where it has several.
    fn read_table(
        &self,
        py: Python<'_>,
        party: &str,
        rows: Option<&str>,
        path: PathBuf,
    ) -> PyResult<Vec<(String, Raw)>> {
        let read = py.detach(|| self.0.read_table(party, rows, path)).map_err(failure)?;
        Ok(read.into_iter().map(|(name, values)| (name, Raw(values))).collect())
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The canonical text.
    #[getter]
    fn text(&self) -> String {
        self.0.text()
    }

    /// The digest by which parties agree, in hexadecimal.
    #[getter]
    fn digest(&self) -> String {
        hex::encode(text::digest(&self.0))
    }

    /// What it takes, computes and reveals.
    #[getter]
    fn summary(&self) -> String {
        self.0.summary()
    }

    #[getter]
    fn parties(&self) -> Vec<String> {
        self.0.parties().to_vec()
    }

    /// Row counts: name, fewest, most.
    #[getter]
    fn rows(&self) -> Vec<(String, u64, u64)> {
        self.0.dims.iter().map(|dim| (dim.name.clone(), dim.min, dim.max)).collect()
    }

    #[getter]
    fn inputs(&self) -> Vec<Input> {
        let described = |(id, name, party): (u32, &str, Option<tacit_program::PartyId>)| {
            let Type { element, shape, interval: Interval { low, high }, .. } =
                &self.0.body.nodes[id as usize].types[0];
            let kind = match element {
                tacit_program::Element::Bit => ("bit".to_owned(), 1, 0),
                tacit_program::Element::Int { signed: true, bits } => ("int".to_owned(), *bits, 0),
                tacit_program::Element::Int { bits, .. } => ("uint".to_owned(), *bits, 0),
                tacit_program::Element::Fixed { bits, fraction } => {
                    ("fixed".to_owned(), *bits, *fraction)
                }
            };
            let axis = |axis: &tacit_program::Extent| match (axis.known(), &axis.terms[..]) {
                (Some(known), _) => known.to_string(),
                (None, [(dim, 1)]) if axis.constant == 0 => {
                    self.0.dims[dim.0 as usize].name.clone()
                }
                _ => "?".to_owned(),
            };
            let (meaning, names) = match self.0.meaning(id) {
                Meaning::Number => ("number".to_owned(), None),
                Meaning::Date => ("date".to_owned(), None),
                Meaning::Decimal(digits) => (format!("decimal({digits})"), None),
                Meaning::Text | Meaning::Derived(_) => ("text".to_owned(), None),
                Meaning::Padding => ("padding".to_owned(), None),
                Meaning::Domain(domain) => match &domain.members {
                    tacit_program::domain::Members::Names(names) => {
                        (domain.name.clone(), Some(names.clone()))
                    }
                    tacit_program::domain::Members::Numbers { .. } => ("number".to_owned(), None),
                },
            };
            let shape = shape.iter().map(axis).collect();
            let party = party.map(|party| party.0);
            let derived = self.0.meaning(id).derived().cloned().map(Derived);
            (name.to_owned(), party, kind, shape, (*low, *high), meaning, names, derived)
        };
        self.0.inputs().map(described).collect()
    }

    /// Results: name, parties, type, whether it is a promise that they depend on.
    #[getter]
    fn results(&self) -> Vec<(String, Vec<u8>, String)> {
        let described = |reveal: &tacit_program::Reveal| {
            let to = reveal.to.iter().map(|party| party.0).collect();
            let ty = text::type_text(&self.0, self.0.body.type_of(reveal.value));
            (reveal.name.clone(), to, ty)
        };
        self.0.reveals.iter().map(described).collect()
    }

    /// The operations: name, operands by number, and the operations within, if it is a loop: names, files and lines.
    #[getter]
    fn nodes(&self) -> Vec<(&'static str, Vec<u32>, Vec<Within>)> {
        let described = |node: &Node| {
            let operands = node.operands.iter().map(|operand| operand.node).collect();
            let mut within = Vec::new();
            collect(node, &mut within);
            (text::op_name(&node.op), operands, within)
        };
        self.0.body.nodes.iter().map(described).collect()
    }

    /// The operation that each result is of.
    #[getter]
    fn reveal_nodes(&self) -> Vec<(String, u32)> {
        let described = |reveal: &tacit_program::Reveal| (reveal.name.clone(), reveal.value.node);
        self.0.reveals.iter().map(described).collect()
    }

    /// How far each result may be under a protocol from the one in the clear, in units of the last place, for all data in the
    /// declared ranges; nothing where no bound is known.
    #[getter]
    fn reveal_bounds(&self) -> Vec<(String, Option<i128>)> {
        // Where parties may cheat, what one could compute alone is computed of its shares, and rounded as secrets are.
        let sealed = tacit_program::seal::seal(&self.0, |_| true);
        let bounds = tacit_program::bounds::reveal_bounds(&sealed);
        // What is not known is the largest number.
        bounds
            .into_iter()
            .map(|(name, bound)| (name.to_owned(), i128::try_from(bound).ok()))
            .collect()
    }

    /// The results that have a value for every row.
    #[getter]
    fn reveal_rows(&self) -> Vec<String> {
        let by_row = |reveal: &&tacit_program::Reveal| {
            let shape = &self.0.body.type_of(reveal.value).shape;
            shape.iter().any(|axis| axis.known().is_none())
        };
        self.0.reveals.iter().filter(by_row).map(|reveal| reveal.name.clone()).collect()
    }

    /// What each operation would take under a protocol, as JSON.
    fn explain(
        &self,
        py: Python<'_>,
        network: &str,
        protocol: &str,
        rows: Vec<(String, u64)>,
    ) -> PyResult<String> {
        let protocol = self::protocol(protocol)?;
        let rows: Vec<(&str, u64)> = rows.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let explained = py.detach(|| self.0.explain(network, protocol, &rows)).map_err(failure)?;
        Ok(serde_json::to_string(&explained).expect("what operations take is numbers and texts"))
    }

    /// What it would take under each protocol, as JSON.
    fn plan(
        &self,
        py: Python<'_>,
        network: &str,
        malicious: bool,
        corruptions: usize,
        rows: Vec<(String, u64)>,
    ) -> PyResult<String> {
        let network = self::network(network)?;
        let rows: Vec<(&str, u64)> = rows.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let threat = threat(malicious, corruptions);
        let plan = py.detach(|| self.0.plan(&network, threat, &rows)).map_err(failure)?;
        Ok(serde_json::to_string(&plan).expect("a plan is numbers and texts"))
    }
}
