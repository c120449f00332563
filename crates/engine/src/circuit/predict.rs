//! What a job will cost, from the protocols' cost functions.

use super::compile::Compiled;
use tacit_net::Stream;
use tacit_sharing::RoleId;
use tacit_sharing::cost::{self, MAX_ROLES, Traffic};

/// The cost of a job, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// 64-bit words sent between roles, without checks.
    pub words: Traffic,
    /// Bytes sent between roles.
    pub bytes: Traffic,
    /// By role, the number of stages in which it waits for online messages. Checks take
    /// [`cost::CHECK_ROUNDS`] more each.
    pub rounds: [u64; MAX_ROLES],
    /// Directed links that are waited for once per level.
    pub critical: Vec<(RoleId, RoleId)>,
}

/// Times that the parties compare what they did: before anything opens, and what opened it.
const EPOCHS: u64 = 2;

/// Computes the cost of a job.
#[must_use]
pub fn predict(compiled: &Compiled) -> Prediction {
    let per_word = per_word(compiled);
    let protocol = compiled.job().protocol;
    let words = per_word * compiled.total_words() as u64;
    let bytes = words * 8 + cost::checks(protocol) * EPOCHS;
    let mut critical = Vec::new();
    let levels = (0..compiled.schedule.depth()).map(|level| compiled.level_traffic(level));
    let levels = levels.fold(Traffic::default(), |sum, level| sum + level);
    critical.extend(cost::links().filter(|(from, to)| levels.on[*from][*to] > 0));
    Prediction {
        words,
        bytes,
        rounds: std::array::from_fn(|role| rounds(compiled, role)),
        critical,
    }
}

fn per_word(compiled: &Compiled) -> Traffic {
    let protocol = compiled.job().protocol;
    let mut sum = Traffic::default();
    for port in &compiled.inputs {
        sum += cost::input(protocol, port.owner, port.timing) * port.slots.len() as u64;
    }
    for level in 0..compiled.schedule.depth() {
        sum += compiled.level_traffic(level);
    }
    for port in &compiled.outputs {
        sum += cost::output(protocol, &port.receivers) * port.slots.len() as u64;
    }
    sum
}

/// Words that role `to` gets from each role ahead.
pub(super) fn ahead_words(compiled: &Compiled, to: RoleId) -> [u64; MAX_ROLES] {
    let per_word = per_word(compiled);
    per_word.pre.map(|sent| sent[to])
}

/// Words per word of lanes that role `from` sends ahead for a level's products; none behind the last.
pub(super) fn level_ahead(compiled: &Compiled, level: usize, from: RoleId) -> u64 {
    if level == compiled.schedule.depth() {
        return 0;
    }
    compiled.level_traffic(level).pre[from].iter().sum()
}

fn rounds(compiled: &Compiled, role: RoleId) -> u64 {
    let protocol = compiled.job().protocol;
    let hears = |traffic: &Traffic| traffic.is_awaited_by(role);
    let inputs = compiled.inputs.iter().any(|port| {
        !port.slots.is_empty() && hears(&cost::input(protocol, port.owner, port.timing))
    });
    let levels = (0..compiled.schedule.depth())
        .filter(|level| hears(&compiled.level_traffic(*level)))
        .count() as u64;
    let outputs = compiled
        .outputs
        .iter()
        .any(|port| !port.slots.is_empty() && hears(&cost::output(protocol, &port.receivers)));
    u64::from(inputs) + levels + u64::from(outputs)
}

/// The stream's name in reports.
pub(super) fn stream_name(stream: Stream) -> &'static str {
    match stream {
        Stream::Pre => "ahead",
        Stream::On => "online",
        Stream::Def => "deferred",
    }
}
