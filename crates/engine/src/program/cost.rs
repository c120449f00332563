//! What a run costs: bytes and rounds.

use tacit_backend::awaited::Awaited;
use tacit_backend::cost::{MAX_ROLES, Products, Rounds, Traffic};
use tacit_garbling::blocks::ChainCost;

/// What a run costs, from the protocols' cost functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bytes per directed link between roles, and behind them those outside, as in
    /// [`ProgramJob::everyone`](super::ProgramJob::everyone).
    pub bytes: Traffic,
    /// The part of them that preprocessing takes, where that comes first.
    pub ahead: Traffic,
    /// By role, the steps in which it waits for online messages, one after the other: of workers that
    /// take rows side by side, those of the one that has most.
    pub rounds: Rounds,
    /// What is waited for online, by links: bytes of all workers, steps of the one that has most. Empty where all wait for each
    /// other alike.
    pub awaited: Awaited,
    /// Rounds of proofs of products, or of checks of triples, of the worker that has most.
    pub proof_rounds: u64,
    /// Rounds in which transcripts are compared, where they are.
    pub check_rounds: u64,
    /// How often products of bits are made together, by the worker that does most.
    pub batches: u64,
    /// Products of bits, or as many as there are bits in products of numbers, or ANDs that are garbled.
    pub products: Products,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// Everything.
    All,
    /// Everything, line by line.
    ByLine,
    /// Neither proofs of products nor triples.
    WithoutProofs,
}

impl Cost {
    /// Bytes that no preprocessing takes, and that nobody waits for.
    pub(super) fn of(bytes: Traffic) -> Self {
        let (ahead, products) = (Traffic::default(), Products::default());
        let awaited = Awaited::default();
        let rounds = [0; MAX_ROLES];
        let (proof_rounds, check_rounds) = (0, 0);
        Cost { bytes, ahead, rounds, awaited, proof_rounds, check_rounds, batches: 0, products }
    }

    /// The cost of a program that is evaluated as circuits, each of which goes on from the one before.
    pub(super) fn of_circuits(circuits: &ChainCost) -> Self {
        let products = Products::of(circuits.ands());
        Cost { rounds: circuits.rounds(), products, ..Cost::of(circuits.bytes()) }
    }

    /// The part of what is sent when preprocessing is done.
    #[must_use]
    pub fn online(&self) -> Traffic {
        self.bytes.without(&self.ahead)
    }
}
