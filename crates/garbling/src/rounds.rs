//! How often a party waits while circuits that were garbled are evaluated.

use crate::Ports;
use crate::ports::KEPT;
use tacit_sharing::bmr::Opening;
use tacit_sharing::{Protocol, RoleId};

/// Rounds that a role waits for online under a protocol that garbles ahead.
#[must_use]
pub fn rounds(protocol: Protocol, opening: Opening, ports: Ports<'_>, me: RoleId) -> u64 {
    let given = |wanted: &dyn Fn(RoleId) -> bool| {
        u64::from(ports.owners().any(|owner| owner != KEPT && wanted(owner)))
    };
    let inputs = given(&|_| true);
    let gives = |role| given(&|owner| owner == role);
    let others_give = given(&|owner| owner != me);
    let learns = |role| u64::from(ports.learned_by(role) > 0);
    // What opens first, and what opens after it in steps of its own.
    let first = |role| u64::from(ports.opens_to(role, ports.guards > 0));
    let later = |role| u64::from(ports.guards > 0 && ports.opens_to(role, false));
    match (protocol, me) {
        // What role 1 chooses, and what it has evaluated.
        (Protocol::Yao | Protocol::YaoSilent, 0) => others_give + learns(0),
        // Labels.
        (Protocol::Yao | Protocol::YaoSilent, _) => inputs,
        // Shares of role 2's inputs, and what it has evaluated; labels.
        (Protocol::YaoThree, 0) => gives(2) + learns(0),
        (Protocol::YaoThree, 1) => learns(1),
        (Protocol::YaoThree, _) => inputs,
        // Public values of inputs, what others heard of them, labels; masks of outputs, if it learns any.
        (Protocol::Wrk17(parties), 0) => {
            others_give + u64::from(parties > 2) + inputs + first(0) + later(0)
        }
        // Public values come to who learns something.
        (Protocol::Wrk17(parties), me) => {
            let many = u64::from(parties > 2);
            others_give + many + learns(me) + (first(me) + later(me)) * (many + 1)
        }
        // Public values of inputs, what others heard of them, labels, sums of MACs.
        (Protocol::Authenticated(parties), 0) => {
            others_give + u64::from(parties > 2) + inputs + 1 + later(0)
        }
        // The same but for labels; public values; masks of outputs from garblers and the evaluator.
        (Protocol::Authenticated(parties), me) => {
            let many = u64::from(parties > 2);
            others_give + many + 1 + (first(me) + later(me)) * (many + 1)
        }
        // Public values of inputs, and of outputs; only role 0 evaluates.
        (_, me) if !opening.evaluates(me) => others_give + learns(me),
        // Public values of inputs, and labels.
        _ => others_give + inputs,
    }
}
