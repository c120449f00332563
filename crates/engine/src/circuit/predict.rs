//! What a job will cost, from the protocols' cost functions.

use super::compile::{Compiled, Seating};
use super::garbled::cost as garbled;
use super::prepared::{Phases, makes_triples};
use tacit_backend::cost::{self, MAX_ROLES, Products, Traffic};
use tacit_garbling::{Garbler, garbler};
use tacit_net::PartyId;
use tacit_proof::Bill;
use tacit_sharing::RoleId;

/// The cost of a job, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// 64-bit words sent between parties, without checks.
    pub words: Traffic,
    /// Bytes sent between parties.
    pub bytes: Traffic,
    /// By party, the number of stages in which it waits for online messages. Checks take
    /// [`cost::CHECK_ROUNDS`] more each.
    pub rounds: [u64; MAX_ROLES],
    /// Directed links between parties that are waited for once per level.
    pub critical: Vec<(usize, usize)>,
    /// Levels of products.
    pub depth: u64,
    /// Rounds of proofs of products, or of checks of triples, of the worker that has most.
    pub proof_rounds: u64,
    /// Products of bits, or ANDs that are garbled.
    pub products: Products,
}

impl Prediction {
    /// The part of some phases.
    pub(super) fn of(self, compiled: &Compiled, phases: Phases) -> Self {
        let protocol = compiled.job().protocol();
        if phases == Phases::FromTriples {
            let bytes =
                Traffic { on: Traffic::default().on, ..garbled::bytes_from_triples(compiled) };
            return Prediction { words: bytes.clone() / 8, bytes, rounds: [0; MAX_ROLES], ..self };
        }
        if makes_triples(protocol) && phases != Phases::All {
            let bytes = match phases {
                Phases::Ahead => proofs(compiled).0 + cost::checks(protocol),
                _ => self.words.clone() * 8 + cost::checks(protocol) * EPOCHS,
            };
            let rounds = if phases == Phases::Ahead { [0; MAX_ROLES] } else { self.rounds };
            return Prediction { bytes, rounds, ..self };
        }
        // Where roles work ahead, what is deferred is online; elsewhere both ways of preprocessing are.
        let roles = protocol.has_roles();
        let part = |all: Traffic| {
            let Traffic { pre, on, def } = all;
            let none = || Traffic::default().on;
            match phases {
                Phases::All => Traffic { pre, on, def },
                Phases::Ahead | Phases::FromTriples => {
                    Traffic { pre, on: none(), def: if roles { none() } else { def } }
                }
                Phases::Online => {
                    Traffic { pre: none(), on, def: if roles { def } else { none() } }
                }
            }
        };
        let rounds = if phases == Phases::Ahead { [0; MAX_ROLES] } else { self.rounds };
        Prediction { words: part(self.words), bytes: part(self.bytes), rounds, ..self }
    }
}

/// Times that the parties compare what they did: before anything opens, and what opened it.
const EPOCHS: u64 = 2;

/// Bytes that preprocessing takes, where all of it comes first.
#[must_use]
pub fn predict_ahead(compiled: &Compiled) -> Traffic {
    predict(compiled).of(compiled, Phases::Ahead).bytes
}

/// Computes the cost of a job.
#[must_use]
pub fn predict(compiled: &Compiled) -> Prediction {
    if let Some(garbler) = garbler(compiled.job().protocol()) {
        return predict_garbled(garbler, compiled);
    }
    let mut words = Traffic::default();
    let mut levels = Traffic::default();
    let depth = compiled.schedule.depth();
    for (seating, lanes) in compiled.words_by_seating().filter(|(_, lanes)| *lanes > 0) {
        let places = &seating.assignment.places;
        words += (per_word(compiled, seating) * lanes).placed(places);
        words -= gaps(compiled, seating).placed(places);
        for level in 0..depth {
            let traffic = compiled.level_traffic(level, seating);
            levels += traffic.placed(places);
        }
    }
    let (proofs, proof_rounds) = proofs(compiled);
    let critical = cost::links().filter(|(from, to)| levels.on[*from][*to] > 0).collect();
    Prediction {
        bytes: words.clone() * 8 + proofs + cost::checks(compiled.job().protocol()) * EPOCHS,
        words,
        rounds: std::array::from_fn(|party| rounds(compiled, PartyId(party as u8))),
        critical,
        depth: depth as u64,
        proof_rounds,
        products: cost::products(
            compiled.job().protocol(),
            &compiled.schedule,
            compiled.job().instances,
        ),
    }
}

/// Evaluation takes a constant number of rounds, whatever the depth.
fn predict_garbled(garbler: &dyn Garbler, compiled: &Compiled) -> Prediction {
    let bytes = garbled::bytes(garbler, compiled);
    let rounds = |party| garbled::rounds(garbler, compiled, PartyId(party as u8));
    Prediction {
        // Whole words, all of them.
        words: bytes.clone() / 8,
        bytes,
        rounds: std::array::from_fn(rounds),
        critical: Vec::new(),
        depth: 0,
        proof_rounds: 0,
        products: Products::of((compiled.products() * compiled.job().instances) as u64),
    }
}

/// Bytes between parties that prove products, make them from triples, or start silent transfers: every worker
/// its own. And the rounds of the one that has most.
fn proofs(compiled: &Compiled) -> (Traffic, u64) {
    let (mut sum, mut rounds) = (Traffic::default(), 0);
    for worker in 0..compiled.job().threads() {
        let assignment = &compiled.seating_of(worker).assignment;
        let words = compiled.products() * compiled.share_of(worker).len();
        let mut bill = Bill::of(assignment.protocol);
        bill.announce(1, words);
        match assignment.protocol.fan_in() {
            // One by one, in any order.
            ..=2 => bill.add(1, words, 1),
            _ => add_levels(compiled, worker, &mut bill),
        }
        bill.finish();
        let silent = match compiled.job().instances {
            lanes @ 1..64 if words > 0 => {
                cost::made_words(assignment.protocol, compiled.products(), lanes)
            }
            _ => words,
        };
        let more = cost::proofs(&bill) + cost::transfers(assignment.protocol, 0..silent);
        sum += more.placed(&assignment.places);
        rounds = bill.rounds.max(rounds);
    }
    (sum, rounds)
}

/// Adds what is proven of a worker's levels to a bill, in the order in which it keeps that.
fn add_levels(compiled: &Compiled, worker: usize, bill: &mut Bill) {
    let (share, seating) = (compiled.share_of(worker), compiled.seating_of(worker));
    let (block, depth) = (compiled.block_words, compiled.schedule.depth());
    for start in share.clone().step_by((block * compiled.blocks.max(1)).max(1)) {
        let group = start..(start + block * compiled.blocks.max(1)).min(share.end);
        for level in 0..depth {
            for at in group.clone().step_by(block.max(1)) {
                let words = block.min(share.end - at);
                cost::add_level(bill, compiled.level(seating, level), words);
            }
        }
    }
}

/// What an assignment would cost if all instances went through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// Bytes between parties, without checks.
    pub bytes: Traffic,
    /// Directed links between parties that are waited for once per level.
    pub critical: Vec<(usize, usize)>,
    /// Levels of products.
    pub depth: u64,
}

/// The cost of every assignment of a job on its own, in their order.
#[must_use]
pub fn predict_alone(compiled: &Compiled) -> Vec<Alone> {
    let words = compiled.total_words() as u64;
    let depth = compiled.schedule.depth();
    let alone = |seating: &Seating| {
        let places = &seating.assignment.places;
        let levels = (0..depth).map(|level| compiled.level_traffic(level, seating));
        let levels = levels.fold(Traffic::default(), |sum, level| sum + level).placed(places);
        Alone {
            bytes: {
                let mut all = per_word(compiled, seating) * words;
                all -= gaps(compiled, seating);
                (all * 8).placed(places)
            },
            critical: cost::links().filter(|(from, to)| levels.on[*from][*to] > 0).collect(),
            depth: depth as u64,
        }
    };
    compiled.seatings.iter().map(alone).collect()
}

/// Elements between roles per word of lanes.
fn per_word(compiled: &Compiled, seating: &Seating) -> Traffic {
    let protocol = seating.assignment.protocol;
    let mut sum = Traffic::default();
    for port in &seating.inputs {
        sum += cost::input(protocol, port.owner, port.timing) * port.slots.len() as u64;
    }
    for level in 0..compiled.schedule.depth() {
        sum += compiled.level_traffic(level, seating);
    }
    for port in &seating.outputs {
        sum += cost::output(protocol, &port.receivers) * port.slots.len() as u64;
    }
    sum
}

/// Elements that are not sent for lanes that one word of them does not have.
fn gaps(compiled: &Compiled, seating: &Seating) -> Traffic {
    cost::gaps(seating.assignment.protocol, &compiled.schedule, compiled.job().instances)
}

/// Words that role `to` gets from each role ahead, per word of lanes.
pub(super) fn ahead_words(compiled: &Compiled, seating: &Seating, to: RoleId) -> [u64; MAX_ROLES] {
    let traffic = per_word(compiled, seating);
    std::array::from_fn(|from| traffic.pre[from][to])
}

/// Words per word of lanes that role `from` sends ahead for a level's products; none behind the last.
pub(super) fn level_ahead(
    compiled: &Compiled,
    seating: &Seating,
    level: usize,
    from: RoleId,
) -> u64 {
    if level == compiled.schedule.depth() {
        return 0;
    }
    compiled.level_traffic(level, seating).pre[from].iter().sum()
}

/// Stages in which a party waits for an online message in any of its roles.
fn rounds(compiled: &Compiled, party: PartyId) -> u64 {
    let roles: Vec<(&Seating, RoleId)> = compiled
        .words_by_seating()
        .filter(|(_, lanes)| *lanes > 0)
        .filter_map(|(seating, _)| Some((seating, seating.assignment.role_of(party).ok()?)))
        .collect();
    if roles.is_empty() {
        return 0;
    }
    let any = |hears: &dyn Fn(&Seating, RoleId) -> bool| {
        roles.iter().any(|(seating, role)| hears(seating, *role))
    };
    let inputs = any(&|seating, role| {
        let mut ports = seating.inputs.iter().filter(|port| !port.slots.is_empty());
        let protocol = seating.assignment.protocol;
        ports.any(|p| cost::input(protocol, p.owner, p.timing).is_awaited_by(role))
    });
    let outputs = any(&|seating, role| {
        let mut ports = seating.outputs.iter().filter(|port| !port.slots.is_empty());
        let protocol = seating.assignment.protocol;
        ports.any(|port| cost::output(protocol, &port.receivers).is_awaited_by(role))
    });
    let level = |level: &usize| {
        any(&|seating, role| compiled.level_traffic(*level, seating).is_awaited_by(role))
    };
    let levels = (0..compiled.schedule.depth()).filter(level).count() as u64;
    let each = cost::rounds(compiled.job().protocol());
    u64::from(inputs) + each * levels + u64::from(outputs)
}
