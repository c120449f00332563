//! A circuit with every kind of gate, and who gives and learns what.

use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, Circuit, passes};
use tacit_garbling::Bits;
use tacit_net::PartyId;

pub fn places(parties: usize) -> Vec<PartyId> {
    PartyId::all(parties).collect()
}

pub fn schedule(circuit: &Circuit) -> Schedule {
    Schedule::new(&passes::lower(&passes::fold(circuit), 2))
}

/// Every kind of gate, also with negated inputs, and an output that is an input.
pub fn circuit() -> Circuit {
    let mut b = Builder::new();
    let (x, y) = (b.input(2), b.input(2));
    let not = b.not(x[0]);
    let and = b.and2(not, y[0]);
    let sum = b.xor(and, y[1]);
    let not_sum = b.not(sum);
    let again = b.and2(not_sum, x[1]);
    let deep = b.and2(again, y[0]);
    b.output(&[and, sum, not_sum]);
    b.output(&[again, deep, x[0]]);
    b.finish()
}

pub fn in_the_clear([x0, x1, y0, y1]: [bool; 4]) -> Vec<bool> {
    let and = !x0 & y0;
    let sum = and ^ y1;
    let again = !sum & x1;
    vec![and, sum, !sum, again, again & y0, x0]
}

/// This party's bits of both inputs: party 0 gives the first, the last party the second.
pub fn given(me: usize, parties: usize, values: [bool; 4]) -> Bits {
    let mut mine: Vec<bool> = Vec::new();
    if me == 0 {
        mine.extend(&values[..2]);
    }
    if me == parties - 1 {
        mine.extend(&values[2..]);
    }
    let mut bits = Bits::zeros(mine.len());
    mine.iter().enumerate().for_each(|(i, bit)| bits.flip_if(i, *bit));
    bits
}
