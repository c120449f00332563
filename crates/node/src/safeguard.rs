//! Safeguards that tests switch off one by one, to see that they notice.

/// Something that keeps a promise of the node. All of them hold, always; only simulations can switch one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safeguard {
    /// A gate charges the release before it is granted.
    Charge,
    /// A vote looks whether releases are left.
    Budget,
    /// One session of a label at a time.
    Label,
    /// A party begins an attempt only with the nonce that it gave for it.
    OwnNonce,
    /// After a restart an attempt that ran has failed.
    Restart,
    /// Outcomes are said again until they are known.
    Resend,
    /// A class needs the outcomes of all parties.
    FullVector,
    /// A study needs the approvals of all parties.
    Unanimity,
    /// A key of a request is kept with its session.
    Idempotency,
    /// All attempts of a session use the same tables.
    SameInputs,
    /// Signatures of outcomes are checked.
    Signatures,
    /// Reservations lapse.
    Lapse,
    /// Every node counts the attempts of a session.
    Attempts,
    /// Outcomes count of attempts alone for which this party has given its nonce.
    OwnVote,
    /// Two different outcomes of one party are passed on to all.
    Proofs,
    /// Every attempt that passes its gate is charged by itself.
    ChargeEach,
    /// Tables of two releases differ by nothing or by enough.
    Change,
    /// A node that is shown a later state of its own takes part in nothing.
    Witness,
    /// What it had released is charged again before it does.
    Recall,
}

impl Safeguard {
    /// All of them.
    pub const ALL: [Safeguard; 19] = [
        Safeguard::Charge,
        Safeguard::Budget,
        Safeguard::Label,
        Safeguard::OwnNonce,
        Safeguard::Restart,
        Safeguard::Resend,
        Safeguard::FullVector,
        Safeguard::Unanimity,
        Safeguard::Idempotency,
        Safeguard::SameInputs,
        Safeguard::Signatures,
        Safeguard::Lapse,
        Safeguard::Attempts,
        Safeguard::OwnVote,
        Safeguard::Proofs,
        Safeguard::ChargeEach,
        Safeguard::Change,
        Safeguard::Witness,
        Safeguard::Recall,
    ];
}
