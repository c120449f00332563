//! Statements: what a party signs, and what others check.

/// What a statement is about. Each has its own domain, so that no statement can stand for one of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A party approves a study.
    Approval,
    /// A party withdraws a study.
    Withdrawal,
    /// A party closes a study.
    Closing,
    /// How an attempt ended at a party.
    Outcome,
    /// How far a party's state is.
    Witness,
}

impl Domain {
    /// The text that is signed before the statement itself.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Domain::Approval => "tacit statement 1: approval of a study",
            Domain::Withdrawal => "tacit statement 1: withdrawal of a study",
            Domain::Closing => "tacit statement 1: closing of a study",
            Domain::Outcome => "tacit statement 1: outcome of an attempt",
            Domain::Witness => "tacit statement 1: state of a node",
        }
    }
}

/// This party's statement key, and the check of everybody's statements. Keys and signatures are text in hex.
pub trait Statements {
    /// The public key by which others check this party's statements.
    fn public(&self) -> String;
    /// Signs a statement of this party.
    fn sign(&self, domain: Domain, statement: &[u8]) -> String;
    /// Whether the holder of this key made this statement.
    fn verify(&self, key: &str, domain: Domain, statement: &[u8], signature: &str) -> bool;
}
