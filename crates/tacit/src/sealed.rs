//! What a party keeps on its disk between runs, so that nobody else can read or alter it.

use crate::error::{Error, ErrorKind, Result};
use crate::party::Party;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use tacit_net::{Identity, Security};
use tacit_ring::hash;
use zeroize::Zeroizing;

impl Party {
    /// Encrypts bytes for this party alone, by AES-256-GCM under a key that is derived from its private key, with a fresh
    /// random nonce. `context` says what they are: they are read with the same one only, and it is not part of the result.
    ///
    /// ```
    /// use tacit::Party;
    ///
    /// let parties = Party::on_loopback(&["alice", "bob"])?;
    /// let sealed = parties[0].seal("model", b"secret".to_vec())?;
    /// assert_eq!(*parties[0].unseal("model", &sealed)?, b"secret");
    /// assert!(parties[0].unseal("other", &sealed).is_err() && parties[1].unseal("model", &sealed).is_err());
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the party has no key (it talks in plaintext on loopback), or the system has no randomness.
    pub fn seal(&self, context: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let mut bytes = Zeroizing::new(bytes);
        let nonce = self
            .sealing_key()?
            .seal_in_place_append_tag(Aad::from(context.as_bytes()), &mut *bytes)
            .map_err(|_| Error::new(ErrorKind::System, "these bytes cannot be encrypted"))?;
        Ok([nonce.as_ref().as_slice(), bytes.as_slice()].concat())
    }

    /// Decrypts what [`Party::seal`] gave.
    ///
    /// # Errors
    /// An [`ErrorKind::Config`] where another key or another context sealed it, or a bit of it was altered.
    pub fn unseal(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let wrong = || {
            let what = "these bytes were not kept by this party, with its key, under this name, or are damaged";
            Error::new(ErrorKind::Config, what)
        };
        let (nonce, rest) = sealed.split_first_chunk::<{ NONCE_LEN }>().ok_or_else(wrong)?;
        let mut bytes = Zeroizing::new(rest.to_vec());
        let (nonce, context) =
            (Nonce::assume_unique_for_key(*nonce), Aad::from(context.as_bytes()));
        let opened = self.sealing_key()?.open_in_place(nonce, context, &mut bytes);
        let length = opened.map_err(|_| wrong())?.len();
        bytes.truncate(length);
        Ok(bytes)
    }

    fn sealing_key(&self) -> Result<RandomizedNonceKey> {
        let key = hash::derive_key(
            "tacit 2026 what a party keeps on its disk",
            &[self.identity()?.key_pem().as_bytes()],
        );
        let key = Zeroizing::new(key);
        RandomizedNonceKey::new(&AES_256_GCM, &*key)
            .map_err(|_| Error::new(ErrorKind::Bug, "a key of 32 bytes does not fit"))
    }

    fn identity(&self) -> Result<&Identity> {
        match &self.config().security {
            Security::Tls(identity) => Ok(identity),
            _ => {
                let what = "this party has no key: it talks in plaintext";
                Err(Error::new(ErrorKind::Config, what))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_read_by_its_party_in_its_context_only() {
        let [alice, bob] = Party::on_loopback(&["alice", "bob"]).unwrap().try_into().expect("two");
        let secret = b"a model of a bank".to_vec();
        let [first, second] = [(); 2].map(|()| alice.seal("model", secret.clone()).unwrap());
        assert_ne!(first, second, "with fresh nonces");
        assert!(!first.windows(5).any(|window| secret.windows(5).any(|it| it == window)));
        assert_eq!(*alice.unseal("model", &first).unwrap(), secret);
        let refused = |party: &Party, context: &str, bytes: &[u8]| {
            let error = party.unseal(context, bytes).expect_err("refused");
            assert_eq!(error.kind(), ErrorKind::Config, "{error}");
        };
        refused(&bob, "model", &first);
        refused(&alice, "another", &first);
        for place in 0..first.len() {
            let mut altered = first.clone();
            altered[place] ^= 1;
            refused(&alice, "model", &altered);
        }
        refused(&alice, "model", &first[..first.len() - 1]);
        refused(&alice, "model", &[]);
    }
}
