//! Statement keys: Ed25519, derived from the key in the party's file.

use crate::error::Error;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use tacit_net::Identity;
use tacit_node::{Domain, Statements};
use zeroize::Zeroizing;

/// This party's statement key. It follows from the private key in the party's file, by a derivation of its own, so that nothing
/// else has to be kept: TLS never uses it.
pub struct Ed25519Statements(Ed25519KeyPair);

impl Ed25519Statements {
    /// The statement key of an identity.
    ///
    /// # Errors
    /// The key cannot be made.
    pub fn of(identity: &Identity) -> Result<Ed25519Statements, Error> {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2027 statement key of a party");
        hasher.update(identity.key_pem().as_bytes());
        let seed = Zeroizing::new(*hasher.finalize().as_bytes());
        let pair = Ed25519KeyPair::from_seed_unchecked(&*seed);
        pair.map(Ed25519Statements).map_err(|_| Error::system("cannot make the statement key"))
    }
}

/// What is signed: the domain, a byte that no domain has, and the statement.
fn message(domain: Domain, statement: &[u8]) -> Vec<u8> {
    [domain.text().as_bytes(), &[0], statement].concat()
}

impl Statements for Ed25519Statements {
    fn public(&self) -> String {
        hex::encode(self.0.public_key())
    }

    fn sign(&self, domain: Domain, statement: &[u8]) -> String {
        hex::encode(self.0.sign(&message(domain, statement)))
    }

    fn verify(&self, key: &str, domain: Domain, statement: &[u8], signature: &str) -> bool {
        let (Ok(key), Ok(signature)) = (hex::decode(key), hex::decode(signature)) else {
            return false;
        };
        let key = UnparsedPublicKey::new(&ED25519, key);
        key.verify(&message(domain, statement), &signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_of_one_party_and_one_domain() {
        let [alice, bob] = ["alice", "bob"].map(|name| {
            Ed25519Statements::of(&Identity::generate(name).expect("a key")).expect("a key")
        });
        let signed = alice.sign(Domain::Approval, b"study");
        let check = |key: &str, domain, statement: &[u8], signature: &str| {
            bob.verify(key, domain, statement, signature)
        };
        assert!(check(&alice.public(), Domain::Approval, b"study", &signed));
        assert!(!check(&bob.public(), Domain::Approval, b"study", &signed));
        assert!(!check(&alice.public(), Domain::Closing, b"study", &signed));
        assert!(!check(&alice.public(), Domain::Approval, b"other", &signed));
        assert!(!check("zz", Domain::Approval, b"study", &signed));
        assert!(!check(&alice.public(), Domain::Approval, b"study", "00"));
    }
}
