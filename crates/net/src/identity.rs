//! Identities: a self-signed certificate whose public key is pinned by its fingerprint.
//!
//! Names and validity dates in certificates mean nothing here. A party is who the configuration
//! says: the holder of the private key whose public key (the certificate's SubjectPublicKeyInfo)
//! has the pinned SHA-256 digest. TLS 1.3 proves possession on every connection, both ways.

use crate::error::NetError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, UnbufferedClientConnection};
use rustls::crypto::aws_lc_rs::{cipher_suite, default_provider, kx_group};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ParsedCertificate, UnbufferedServerConnection};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, ServerConfig,
    SignatureScheme,
};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// SHA-256 of a public key (a certificate's SubjectPublicKeyInfo in DER), written in hex.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Fingerprint, String> {
        let wrong = || "a fingerprint is written sha256: and 64 hex digits".to_owned();
        let hex = text.strip_prefix("sha256:").ok_or_else(wrong)?.as_bytes();
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let digit = |c: u8| char::from(c).to_digit(16).ok_or_else(wrong);
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Ok(Fingerprint(bytes))
    }
}

impl serde::Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Fingerprint {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Fingerprint, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A party's certificate and private key. The key is wiped from memory on drop.
#[derive(Clone)]
pub struct Identity {
    certificate_pem: String,
    key_pem: Zeroizing<String>,
    certificate: CertificateDer<'static>,
    fingerprint: Fingerprint,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.fingerprint)
    }
}

impl Identity {
    /// Makes a new identity: a fresh Ed25519 key and a certificate for it.
    ///
    /// # Errors
    /// The system has no randomness, or `name` cannot stand in a certificate.
    pub fn generate(name: &str) -> Result<Identity, NetError> {
        let wrong = |e: rcgen::Error| {
            NetError::Configuration(format!("cannot make an identity for {name}: {e}"))
        };
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).map_err(wrong)?;
        let mut params = rcgen::CertificateParams::default();
        let mut subject = rcgen::DistinguishedName::new();
        subject.push(rcgen::DnType::CommonName, name);
        params.distinguished_name = subject;
        let certificate = params.self_signed(&key).map_err(wrong)?;
        let key_pem = Zeroizing::new(key.serialize_pem());
        Identity::from_pem(&certificate.pem(), &key_pem)
    }

    /// Reads an identity from a PEM certificate and a PEM private key (PKCS #8).
    ///
    /// # Errors
    /// [`NetError::Configuration`] if one is malformed. That they belong together shows when
    /// connecting.
    pub fn from_pem(certificate_pem: &str, key_pem: &str) -> Result<Identity, NetError> {
        let certificate = CertificateDer::from_pem_slice(certificate_pem.as_bytes())
            .map_err(|e| NetError::Configuration(format!("the certificate is not PEM: {e}")))?;
        let fingerprint = fingerprint_of(&certificate).ok_or_else(|| {
            NetError::Configuration("the certificate is not an X.509 certificate".into())
        })?;
        // The reason is left out: it could show parts of the key.
        PrivateKeyDer::from_pem_slice(key_pem.as_bytes())
            .map_err(|_| NetError::Configuration("the private key is not a PEM key".into()))?;
        Ok(Identity {
            certificate_pem: certificate_pem.to_owned(),
            key_pem: Zeroizing::new(key_pem.to_owned()),
            certificate,
            fingerprint,
        })
    }

    /// Gives the fingerprint that the other parties pin.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Gives the certificate as PEM.
    #[must_use]
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Gives the private key as PEM: a secret.
    #[must_use]
    pub fn key_pem(&self) -> &str {
        &self.key_pem
    }

    fn key(&self) -> Result<PrivateKeyDer<'static>, NetError> {
        PrivateKeyDer::from_pem_slice(self.key_pem.as_bytes())
            .map_err(|_| NetError::Configuration("the private key is not a PEM key".into()))
    }
}

/// Computes the fingerprint of a certificate's public key; `None` if it is not a certificate.
pub(crate) fn fingerprint_of(certificate: &CertificateDer<'_>) -> Option<Fingerprint> {
    let parsed = ParsedCertificate::try_from(certificate).ok()?;
    Some(Fingerprint(Sha256::digest(parsed.subject_public_key_info()).into()))
}

/// Makes the TLS ends of one party's connections.
pub(crate) struct TlsEnds {
    identity: Identity,
    provider: Arc<CryptoProvider>,
    server: Arc<ServerConfig>,
}

/// What dialing one peer needs.
pub(crate) struct Caller {
    pub(crate) config: Arc<ClientConfig>,
    keys: Arc<Keys>,
}

impl Caller {
    /// The client end of a new connection.
    pub(crate) fn dial(&self) -> Result<UnbufferedClientConnection, NetError> {
        UnbufferedClientConnection::new(self.config.clone(), TlsEnds::name()?).map_err(unusable)
    }

    /// The wrong key that the peer's address showed last.
    pub(crate) fn wrong_key(&self) -> Option<Fingerprint> {
        *self.keys.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TlsEnds {
    /// The ends of `identity`. Its server end asks for a certificate and for proof of its key, and
    /// accepts every key: whoever uses it looks whose key it is before it says anything. So
    /// that a party with an unknown key is told, and this party knows which key was shown.
    pub(crate) fn new(identity: &Identity) -> Result<TlsEnds, NetError> {
        let provider = Arc::new(provider());
        let verifier = Arc::new(Keys::new(&provider, None));
        let mut server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .and_then(|b| {
                b.with_client_cert_verifier(verifier).with_single_cert(
                    vec![identity.certificate.clone()],
                    identity.key().map_err(|e| rustls::Error::General(e.to_string()))?,
                )
            })
            .map_err(unusable)?;
        server.send_tls13_tickets = 0;
        Ok(TlsEnds { identity: identity.clone(), provider, server: Arc::new(server) })
    }

    /// The server end of a new connection.
    pub(crate) fn accept(&self) -> Result<UnbufferedServerConnection, NetError> {
        UnbufferedServerConnection::new(self.server.clone()).map_err(unusable)
    }

    /// What dialing the holder of `expected` needs: nobody else's key is accepted.
    pub(crate) fn caller(&self, expected: Fingerprint) -> Result<Caller, NetError> {
        let keys = Arc::new(Keys::new(&self.provider, Some(expected)));
        let mut client = ClientConfig::builder_with_provider(self.provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(unusable)?
            .dangerous()
            .with_custom_certificate_verifier(keys.clone())
            .with_client_auth_cert(vec![self.identity.certificate.clone()], self.identity.key()?)
            .map_err(unusable)?;
        client.enable_sni = false;
        client.resumption = Resumption::disabled();
        Ok(Caller { config: Arc::new(client), keys })
    }

    /// The name that TLS wants for a server; it is neither sent nor checked.
    pub(crate) fn name() -> Result<ServerName<'static>, NetError> {
        ServerName::try_from("tacit").map_err(|e| unusable_text(&e.to_string()))
    }

    /// The fingerprint of the own key.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.identity.fingerprint()
    }

    pub(crate) fn server(&self) -> Arc<ServerConfig> {
        self.server.clone()
    }
}

/// Keys are agreed with X25519 and ML-KEM-768 together and with nothing else, so that a recorded
/// session stays secret unless both fall. AES-128-GCM comes first where the processor has AES
/// instructions, else ChaCha20-Poly1305.
fn provider() -> CryptoProvider {
    let mut provider = default_provider();
    provider.kx_groups = vec![kx_group::X25519MLKEM768];
    let aes = cipher_suite::TLS13_AES_128_GCM_SHA256;
    let chacha = cipher_suite::TLS13_CHACHA20_POLY1305_SHA256;
    provider.cipher_suites = match has_aes() {
        true => vec![aes, chacha],
        false => vec![chacha, aes],
    };
    provider
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn has_aes() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("pclmulqdq")
}

#[cfg(target_arch = "aarch64")]
fn has_aes() -> bool {
    std::arch::is_aarch64_feature_detected!("aes")
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn has_aes() -> bool {
    false
}

fn unusable(e: rustls::Error) -> NetError {
    unusable_text(&e.to_string())
}

fn unusable_text(why: &str) -> NetError {
    NetError::Configuration(format!("this party's certificate and key cannot be used: {why}"))
}

/// Accepts certificates by their public key alone, whoever signed them; the handshake signature
/// proves possession of that key.
#[derive(Debug)]
struct Keys {
    provider: Arc<CryptoProvider>,
    /// The one key that is accepted; `None` accepts every key.
    pinned: Option<Fingerprint>,
    /// The key that was refused last.
    refused: Mutex<Option<Fingerprint>>,
}

impl Keys {
    fn new(provider: &Arc<CryptoProvider>, pinned: Option<Fingerprint>) -> Keys {
        Keys { provider: provider.clone(), pinned, refused: Mutex::default() }
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), rustls::Error> {
        let shown = fingerprint_of(certificate).ok_or(CertificateError::BadEncoding)?;
        if self.pinned.is_none_or(|pinned| pinned == shown) {
            return Ok(());
        }
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn check_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn no_tls12() -> Result<HandshakeSignatureValid, rustls::Error> {
    Err(rustls::Error::General("only TLS 1.3 is spoken".into()))
}

impl ServerCertVerifier for Keys {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.check(certificate).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.check_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

impl ClientCertVerifier for Keys {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.check(certificate).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        no_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.check_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_round_trip_and_hide_their_key() {
        let identity = Identity::generate("alice").unwrap();
        let again = Identity::from_pem(identity.certificate_pem(), identity.key_pem()).unwrap();
        assert_eq!(identity.fingerprint(), again.fingerprint());
        let other = Identity::generate("alice").unwrap();
        assert_ne!(identity.fingerprint(), other.fingerprint());
        let shown = format!("{identity:?}");
        assert_eq!(shown, format!("Identity({})", identity.fingerprint()));
        assert!(Identity::from_pem("nonsense", identity.key_pem()).is_err());
        assert!(Identity::from_pem(identity.certificate_pem(), "nonsense").is_err());
    }

    #[test]
    fn fingerprints_round_trip_and_malformed_ones_are_refused() {
        let fingerprint = Fingerprint(std::array::from_fn(|i| i as u8 * 8));
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        for bad in ["", "sha256:", "sha256:zz", "00", &"sha256:0g".repeat(32)] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
        let multibyte = format!("sha256:{}", "é".repeat(32));
        assert!(multibyte.parse::<Fingerprint>().is_err());
    }
}
