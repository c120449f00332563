//! What a job will cost, from the protocols' cost functions.

use super::compile::Compiled;
use tacit_net::Stream;
use tacit_sharing::RoleId;
use tacit_sharing::cost::{self, Traffic};

/// The cost of a job, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// 64-bit words sent between roles.
    pub words: Traffic,
    /// By role, the number of stages in which it waits for online messages.
    pub rounds: [u64; 3],
    /// Directed links that are waited for once per level.
    pub critical: Vec<(RoleId, RoleId)>,
}

/// Computes the cost of a job.
#[must_use]
pub fn predict(compiled: &Compiled) -> Prediction {
    let per_word = per_word(compiled);
    let words = per_word * compiled.total_words() as u64;
    let mut critical = Vec::new();
    let levels = (0..compiled.schedule.depth()).map(|level| compiled.level_traffic(level));
    let levels = levels.fold(Traffic::default(), |sum, level| sum + level);
    for from in 0..3 {
        critical.extend((0..3).filter(|to| levels.on[from][*to] > 0).map(|to| (from, to)));
    }
    Prediction { words, rounds: [0, 1, 2].map(|role| rounds(compiled, role)), critical }
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
pub(super) fn ahead_words(compiled: &Compiled, to: RoleId) -> [u64; 3] {
    let per_word = per_word(compiled);
    [0, 1, 2].map(|from| per_word.pre[from][to])
}

fn rounds(compiled: &Compiled, role: RoleId) -> u64 {
    let protocol = compiled.job().protocol;
    let hears = |traffic: &Traffic| (0..3).any(|from| traffic.on[from][role] > 0);
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
