mod errors;
mod examples;
mod guide;
mod random;
mod robust;

use super::{parse, print};
use crate::ir::{Block, Op, Program, Span};
use tacit_circuit::Circuit;

/// Every kind of statement and most functions.
pub(super) const TOUR: &str = include_str!("tour.tacit");

/// Reads a text that must be right.
fn read(text: &str) -> Program {
    parse("test.tacit", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The program without places, and its circuits.
fn essence(program: &Program) -> (String, Vec<Circuit>) {
    let (mut program, mut circuits) = (program.clone(), Vec::new());
    strip(&mut program.body, &mut circuits);
    (format!("{program:?}"), circuits)
}

fn strip(block: &mut Block, circuits: &mut Vec<Circuit>) {
    for node in &mut block.nodes {
        node.span = Span::default();
        match &mut node.op {
            Op::Loop(inner) => strip(&mut inner.body, circuits),
            Op::Circuit { circuit, .. } => circuits.push((**circuit).clone()),
            _ => {}
        }
    }
}

/// Whether the canonical text reads back as the same program and prints the same.
fn assert_round_trip(program: &Program) {
    let text = print(program);
    let again = read(&text);
    assert_eq!(essence(&again), essence(program), "{text}");
    assert_eq!(print(&again), text);
}
