//! Studies and signatures of tests.

use std::collections::BTreeMap;
use tacit_node::{Document, Domain, Member, Statements, TableTerms, Terms};

/// Signs by writing down the key and what is signed.
pub struct Signer(pub String);

/// The signature of a party.
pub fn signed(party: &str, domain: Domain, statement: &[u8]) -> String {
    format!("key {party} {} {}", domain.text(), String::from_utf8_lossy(statement))
}

impl Statements for Signer {
    fn public(&self) -> String {
        format!("key {}", self.0)
    }

    fn sign(&self, domain: Domain, statement: &[u8]) -> String {
        signed(&self.0, domain, statement)
    }

    /// A statement has several signatures.
    fn verify(&self, key: &str, domain: Domain, statement: &[u8], signature: &str) -> bool {
        let party = key.trim_start_matches("key ");
        signature.trim_end_matches('!') == signed(party, domain, statement)
    }
}

/// A study of these parties, with a table of bob, at the home of alice.
pub fn document(name: &str, parties: &[&str], change: impl Fn(&mut Terms)) -> Document {
    let member =
        |name: &str| Member { fingerprint: name.into(), statements: format!("key {name}") };
    let mut terms = Terms {
        study: name.into(),
        purpose: String::new(),
        protocol: "lift".into(),
        parties: parties.iter().map(|it| (*it).to_owned()).collect(),
        home: "alice".into(),
        label: "label".into(),
        tables: BTreeMap::from([("bob".to_owned(), TableTerms { min_rows: 1 })]),
        releases: 2,
        min_change: 0,
        threads: 1,
        limit_seconds: 3600,
        expires_seconds: 300,
        attempts: 3,
        results_seconds: 1000,
    };
    change(&mut terms);
    Document {
        version: 1,
        terms,
        program: String::new(),
        program_digest: String::new(),
        members: parties.iter().map(|name| ((*name).to_owned(), member(name))).collect(),
    }
}
