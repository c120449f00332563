//! What the parties of a run trust each other with, said before anything leaves this machine.

use super::args::RunArgs;
use crate::output::remark;
use tacit::Threat;
use tacit::runtime::Parties;
use tacit_sharing::Protocol;

/// What a run's protocol protects against and what it does not, in a sentence.
pub fn sentence(protocol: Protocol) -> String {
    format!("{protocol} is {}", protocol.security().trust(protocol.parties()))
}

/// Says what the parties trust each other with, of whom the first `giving` give inputs.
pub fn announce_run(args: &RunArgs, parties: &Parties, local: bool, giving: usize) {
    match args.wanted {
        Some(wanted) => announce_threat(wanted.threat, parties.0.len()),
        None => announce(args.protocol, &parties.0, local, giving),
    }
}

/// Says to people what the protocol will protect against that the parties choose.
fn announce_threat(threat: Threat, parties: usize) {
    let deviates = match threat.malicious {
        true => "whoever deviates can end the run without a result",
        false => "anyone who deviates can make results wrong or learn inputs",
    };
    remark(&format!(
        "trusted: all but {threat} of {parties}: {deviates}; the parties choose a protocol that protects against this"
    ));
}

/// Says so to people; of parties that are all local, also which are here only because the protocol has more
/// than give inputs: those after the first `giving`.
fn announce(protocol: Protocol, names: &[String], local: bool, giving: usize) {
    remark(&format!("trusted: {}", sentence(protocol)));
    let added = &names[giving.min(names.len())..];
    if let ([_, ..], true) = (added, local) {
        let (who, is, it) = match added {
            [_] => (added[0].clone(), "is a party", "it"),
            _ => (added.join(", "), "are parties", "each"),
        };
        remark(&format!(
            "{who}: {is} that --local added, as {protocol} has {} and {giving} give inputs; on machines of their \
             own {it} is somebody whom the others trust as said above",
            protocol.parties()
        ));
    }
}
