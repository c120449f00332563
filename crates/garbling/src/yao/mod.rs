//! Yao's garbled circuits for two parties, with half gates. Role 0 garbles, role 1 evaluates. Secure
//! against either of them, if it follows the protocol.
//!
//! Role 0 has an offset `R` whose lowest bit is set, and for every wire a zero label; the other label is
//! `R` more. XOR adds labels; negation adds `R` to the zero label. An AND of wires `a` and `b` with zero
//! labels `A`, `B` and lowest bits `p`, `q` has two blocks:
//!
//! ```text
//! T = H(A, 2g) + H(A + R, 2g) + q R             U = H(B, 2g+1) + H(B + R, 2g+1) + A
//! zero label  H(A, 2g) + p T + H(B, 2g+1) + q (U + A)
//! evaluated   H(A', 2g) + s T + H(B', 2g+1) + t (U + A')     for labels A', B' with lowest bits s, t
//! H(x, i) = AES_{k_i}(f(x)) + f(x),   k_i = AES_S(i),   f(h, l) = (h + l, h) on halves
//! ```
//!
//! Labels of role 1's inputs come by correlated OT with `Delta = R`, on random choices ahead of time: online
//! role 1 sends its bit plus the random one, role 0 answers with a block that turns the OT's block into the
//! label.
//!
//! | | ahead | online |
//! | --- | --- | --- |
//! | AND | 256 bits, 0 to 1 | 0 |
//! | input of role 0 | 0 | 128 bits, 0 to 1 |
//! | input of role 1 | 32 bits, 1 to 0 | 1 bit, 1 to 0, then 128 bits, 0 to 1 |
//! | output to role 1 | 1 bit, 0 to 1 | 0 |
//! | output to role 0 | 0 | 1 bit, 1 to 0 |
//! | rounds | 2 | 2, and 1 if role 0 learns anything |
//!
//! With silent transfers (`yao-silent`) random choices come out of trees, of which role 0 sends 0.78 bits per input;
//! role 1 sends 166 kB at the start, and role 0 138 kB.
//!
//! Sources: A. Yao (FOCS 1986); S. Zahur, M. Rosulek, D. Evans, "Two Halves Make a Whole" (Eurocrypt 2015);
//! C. Guo, J. Katz, X. Wang, C. Weng, Y. Yu, "Better Concrete Security for Half-Gates Garbling" (CRYPTO
//! 2020) for the hash.

mod gates;
mod party;
pub mod streamed;
pub mod three;
#[cfg(test)]
mod timing;
mod two;

pub use party::{Ready, Yao};

use crate::garbler::Form;
use crate::garbler::{
    AnyReady, Counter, Each, Garbler, Kept, Parties, Seat, Terms, correlations, seats,
};
use crate::{Evaluate, Ports};
use gates::GARBLER;
use party::bytes;
use tacit_gmw::{FAN, silent_bytes};
use tacit_net::{Mesh, Stream};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::cost::Traffic;
use tacit_sharing::latencies::Latencies;
use tacit_sharing::work::Work;
use tacit_sharing::{RoleId, SharingError};

/// Yao between two parties.
struct Yaos {
    silent: bool,
}

/// With ordinary transfers.
pub(crate) static YAO: &dyn Garbler = &Yaos { silent: false };

/// With silent ones.
pub(crate) static YAO_SILENT: &dyn Garbler = &Yaos { silent: true };

/// What circuits send with silent transfers.
#[derive(Default)]
struct SilentCounter {
    /// Without what transfers take.
    sum: Traffic,
    /// Bits of role 1.
    chosen: usize,
}

impl Counter for SilentCounter {
    fn add(&mut self, ports: Ports<'_>, instances: usize) {
        self.sum += bytes(ports, 0) * instances as u64;
        self.chosen += instances * ports.given_by(1);
    }

    fn bytes(&self) -> Traffic {
        let [start, trees] = silent_bytes(self.chosen);
        self.sum.clone().sent(1, 0, Stream::Def, start).sent(0, 1, Stream::Def, trees)
    }
}

impl Garbler for Yaos {
    // The table of the half gates.
    fn and_bits(&self, _: &Terms) -> Traffic {
        Traffic::default().sent(0, 1, Stream::Def, 256)
    }

    fn counter(&self, _: &Terms) -> Box<dyn Counter> {
        match self.silent {
            true => Box::new(SilentCounter::default()),
            false => Each::counter(|ports| bytes(ports, FAN.message_bits())),
        }
    }

    fn rounds(&self, _: &Terms, ports: Ports<'_>, me: RoleId) -> u64 {
        match me {
            // What role 1 chooses, and what it has evaluated.
            GARBLER => ports.others_give(GARBLER) + ports.learns(GARBLER),
            // Labels.
            _ => ports.somebody_gives(),
        }
    }

    fn latencies(&self, _: &Terms) -> Latencies {
        // Choices of masks, the table; choices, labels, results.
        Latencies { set_up: 4, ahead: 2, online: 3 }
    }

    fn work(&self, _: usize) -> [Work; 2] {
        [Work::blocks(4.0), Work::blocks(2.0)]
    }

    fn kept(&self, _: &Terms) -> Kept {
        Kept { blocks: 32, table_bytes: 32, most_ands: None }
    }

    fn goes_on(&self) -> Option<usize> {
        None
    }

    fn authenticated(&self) -> Option<Form> {
        None
    }

    fn exchange(
        &self,
        mesh: &mut Mesh,
        parties: Parties<'_>,
        entropy: &mut Entropy,
    ) -> Result<Vec<Seat>, SharingError> {
        let mut all = correlations(mesh, parties, self.silent, entropy)?;
        Ok(seats(
            parties.terms.workers,
            || all.worker(),
            |mesh, at, keys| Ok(Box::new(Yao::new(mesh, at.places, keys, at.session)?)),
        ))
    }

    fn ready(&self, bytes: Buffer<u8>) -> Result<Box<dyn AnyReady>, SharingError> {
        Ok(Box::new(Ready::from_bytes(bytes)?))
    }
}
