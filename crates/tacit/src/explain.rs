//! What each operation of a program costs.

use crate::auto;
use crate::candidate::Candidate;
use crate::error::{Error, Result};
use crate::network::Network;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_engine::program::{ALL_LINES, LINE_OF_CHECKS};
use tacit_planner::Line;
use tacit_program::{self as form, Block, Element, Node, Op, Span, Type, text};
use tacit_protocol::Protocol;
use tacit_query::lower::Steps;

/// What a program would take under a protocol, operation by operation: [`Program::explain`](crate::Program::explain) gives it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explained {
    /// The protocol.
    pub protocol: String,
    /// The network, as it was named.
    pub network: String,
    /// What it takes in all: what [`Program::plan`](crate::Program::plan) says of the protocol.
    pub total: Candidate,
    /// Of a query, its operators as `tacit sql` prints them, in front of them what shows the rows, and behind them what is of no operator.
    /// Together they take what the program does. Of other programs: none.
    pub plan: Vec<Operation>,
    /// What takes something, the most seconds first. Together they take what the program does.
    pub operations: Vec<Operation>,
    /// How many operations take nothing.
    pub free: usize,
}

/// What an operation takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// Its name in the language; or what else takes something, without a line.
    pub name: String,
    /// The file that it is written in.
    pub file: String,
    /// The line, from 1; 0 if it has none.
    pub line: u32,
    /// Rows of the longest value that it takes or makes.
    pub rows: u64,
    /// Bits of the widest.
    pub bits: u8,
    /// How often it is done: more than once in loops.
    pub times: u64,
    /// Seconds of waiting for messages that are on their way.
    pub waiting_seconds: f64,
    /// Seconds of sending.
    pub sending_seconds: f64,
    /// Seconds of computing.
    pub computing_seconds: f64,
    /// Steps in which somebody waits.
    pub rounds: f64,
    /// Bytes that all parties send.
    pub bytes: f64,
}

impl Operation {
    /// All its seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.waiting_seconds + self.sending_seconds + self.computing_seconds
    }

    fn take(&mut self, line: &Line) {
        self.waiting_seconds += line.seconds.latency;
        self.sending_seconds += line.seconds.bandwidth;
        self.computing_seconds += line.seconds.computing;
        self.rounds += line.steps;
        self.bytes += line.bytes;
    }

    fn takes(&self) -> bool {
        self.seconds() > 0.0 || self.bytes > 0.0 || self.rounds > 0.0
    }
}

/// What a program with so many rows would take under a protocol.
pub fn explain(
    program: &form::Program,
    network: (&Network, &str),
    protocol: Protocol,
    rows: &[u64],
    steps: Option<&Steps>,
) -> Result<Explained> {
    if crate::names::is_trusted(protocol) {
        return Err(Error::input(format!(
            "{protocol} computes in the clear: its operations take nothing that can be told apart"
        )));
    }
    let mut numbered = program.clone();
    let mut operations = Vec::new();
    number(&mut numbered.body, None, 1, rows, &mut operations);
    let (total, lines) = auto::lines(&numbered, network.0, protocol, rows)?;
    let plan =
        steps.map_or(Vec::new(), |steps| by_operator(steps, &program.body, &operations, &lines));
    let line = |(at, line): (u32, Line)| {
        let mut known = of_none(at).unwrap_or_else(|| operations[at as usize - 1].clone());
        known.take(&line);
        known
    };
    let mut found: Vec<Operation> = lines.into_iter().map(line).filter(Operation::takes).collect();
    found.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
    let taking = found.iter().filter(|it| it.line > 0 || !it.file.is_empty()).count();
    let free = operations.iter().filter(|it| it.times > 0).count().saturating_sub(taking);
    Ok(Explained {
        protocol: protocol.to_string(),
        network: network.1.to_owned(),
        total,
        plan,
        operations: found,
        free,
    })
}

/// What a line stands for that is of no operation.
fn of_none(line: u32) -> Option<Operation> {
    match line {
        ALL_LINES => Some(pseudo("set-up, results and proofs")),
        LINE_OF_CHECKS => Some(pseudo("comparisons of all checks")),
        _ => None,
    }
}

/// What each operator of a query takes.
fn by_operator(
    steps: &Steps,
    body: &Block,
    operations: &[Operation],
    lines: &BTreeMap<u32, Line>,
) -> Vec<Operation> {
    let mut found: Vec<Operation> = steps.lines.iter().map(|line| pseudo(line)).collect();
    let mut others = Vec::new();
    // The number of the last operation of each one in the program's body, with those in it.
    let mut last = 0;
    let ends: Vec<u32> = body
        .nodes
        .iter()
        .map(|node| {
            last += nodes_in(node);
            last
        })
        .collect();
    let operator = |at: u32| steps.of.get(ends.partition_point(|end| *end < at)).copied();
    for (number, operation) in operations.iter().enumerate() {
        let Some(it) = operator(number as u32 + 1).and_then(|at| found.get_mut(at)) else {
            continue;
        };
        it.rows = it.rows.max(operation.rows);
        it.bits = it.bits.max(operation.bits);
    }
    for (at, line) in lines {
        match of_none(*at) {
            Some(mut other) => {
                other.take(line);
                others.push(other);
            }
            None => {
                if let Some(it) = operator(*at).and_then(|at| found.get_mut(at)) {
                    it.take(line);
                }
            }
        }
    }
    found.extend(others.into_iter().filter(Operation::takes));
    found
}

fn nodes_in(node: &Node) -> u32 {
    match &node.op {
        Op::Loop(inner) => 1 + inner.body.nodes.iter().map(nodes_in).sum::<u32>(),
        _ => 1,
    }
}

fn bits(element: Element) -> u8 {
    match element {
        Element::Bit => 1,
        Element::Int { bits, .. } | Element::Fixed { bits, .. } => bits,
    }
}

/// What is no operation of the program.
fn pseudo(name: &str) -> Operation {
    Operation {
        name: name.to_owned(),
        file: String::new(),
        line: 0,
        rows: 0,
        bits: 0,
        times: 1,
        waiting_seconds: 0.0,
        sending_seconds: 0.0,
        computing_seconds: 0.0,
        rounds: 0.0,
        bytes: 0.0,
    }
}

/// Numbers the operations from 1 on, as lines, and says what each was. Parameters of a loop are of the loop itself.
fn number(
    block: &mut Block,
    parameters: Option<u32>,
    times: u64,
    rows: &[u64],
    operations: &mut Vec<Operation>,
) {
    let types: Vec<Vec<Type>> = block.nodes.iter().map(|node| node.types.clone()).collect();
    for node in &mut block.nodes {
        let operands = node.operands.iter().map(|it| &types[it.node as usize][it.index as usize]);
        let values: Vec<&Type> = operands.chain(&node.types).collect();
        let length = |ty: &&Type| ty.shape.first().map_or(Some(1), |axis| axis.bound(rows));
        operations.push(Operation {
            name: text::op_name(&node.op).to_owned(),
            file: node.span.file.to_string(),
            line: node.span.line,
            rows: values.iter().filter_map(length).max().unwrap_or(1),
            bits: values.iter().map(|ty| bits(ty.element)).max().unwrap_or(0),
            // What says what a loop is given is no operation.
            times: if matches!(node.op, Op::Parameter(_)) { 0 } else { times },
            ..pseudo("")
        });
        let own = operations.len() as u32;
        let at = match node.op {
            Op::Parameter(_) => parameters.unwrap_or(own),
            _ => own,
        };
        node.span = Span { file: Arc::from(""), line: at, column: 0 };
        if let Op::Loop(inner) = &mut node.op {
            let trips = inner.trips.bound(rows).unwrap_or(0);
            number(&mut inner.body, Some(at), times.saturating_mul(trips), rows, operations);
        }
    }
}
