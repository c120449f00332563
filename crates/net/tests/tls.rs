//! What TLS is agreed on, seen by a plain TLS client and server that nobody here wrote.

mod common;

use common::{configs, run_each};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, NamedGroup, ServerConfig,
    ServerConnection, SignatureScheme,
};
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::{Identity, SessionConfig, connect};

const CLASSICAL: [&dyn SupportedKxGroup; 3] =
    [kx_group::X25519, kx_group::SECP256R1, kx_group::SECP384R1];

fn provider(groups: &[&'static dyn SupportedKxGroup]) -> Arc<CryptoProvider> {
    let mut provider = default_provider();
    provider.kx_groups = groups.to_vec();
    Arc::new(provider)
}

fn certificate(identity: &Identity) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
    let certificate = CertificateDer::from_pem_slice(identity.certificate_pem().as_bytes());
    let key = PrivateKeyDer::from_pem_slice(identity.key_pem().as_bytes());
    (vec![certificate.unwrap()], key.unwrap())
}

/// A client of a party: accepts every server.
#[derive(Debug)]
struct Anybody;

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

/// Shakes hands with a listening party as a client that offers `groups`; the group agreed on.
fn call(
    party: &SessionConfig,
    groups: &[&'static dyn SupportedKxGroup],
) -> Result<NamedGroup, std::io::Error> {
    let (certificate, key) = certificate(&Identity::generate("caller").unwrap());
    let config = ClientConfig::builder_with_provider(provider(groups))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_client_auth_cert(certificate, key)
        .unwrap();
    let name = ServerName::try_from("tacit").unwrap();
    let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = TcpStream::connect(&party.parties[party.me.index()].address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    while client.is_handshaking() {
        client.complete_io(&mut stream)?;
    }
    Ok(client.negotiated_key_exchange_group().unwrap().name())
}

#[test]
fn a_listening_party_agrees_on_keys_with_ml_kem_and_refuses_classical_groups() {
    let mut config = configs(2, true).remove(0);
    config.limits.connect = Duration::from_millis(500);
    std::thread::scope(|scope| {
        scope.spawn(|| connect(&config).err().unwrap());
        let hybrid = [kx_group::X25519, kx_group::X25519MLKEM768];
        assert_eq!(call(&config, &hybrid).unwrap(), NamedGroup::X25519MLKEM768);
        let refused = call(&config, &CLASSICAL).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidData, "{refused}");
        assert!(refused.to_string().contains("HandshakeFailure"), "{refused}");
    });
}

/// Answers one dialing party as a server that takes `groups`.
fn answer(
    configs: &[SessionConfig],
    identity: &Identity,
    groups: &[&'static dyn SupportedKxGroup],
) -> Result<NamedGroup, std::io::Error> {
    let (certificate, key) = certificate(identity);
    let config = ServerConfig::builder_with_provider(provider(groups))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificate, key)
        .unwrap();
    let mut server = ServerConnection::new(Arc::new(config)).unwrap();
    let (mut stream, _) = configs[0].listener.as_ref().unwrap().accept().unwrap();
    while server.is_handshaking() {
        server.complete_io(&mut stream)?;
    }
    Ok(server.negotiated_key_exchange_group().unwrap().name())
}

#[test]
fn a_dialing_party_agrees_on_keys_with_ml_kem_and_refuses_classical_groups() {
    let mut configs = configs(2, true);
    configs[1].limits.connect = Duration::from_millis(500);
    let identity = Identity::generate("alice").unwrap();
    configs[1].parties[0].fingerprint = Some(identity.fingerprint());
    let bob = configs[1].clone();
    std::thread::scope(|scope| {
        scope.spawn(|| run_each(&[bob], |c| connect(c).err().unwrap()));
        let hybrid = [kx_group::X25519, kx_group::X25519MLKEM768];
        let group = answer(&configs, &identity, &hybrid).unwrap();
        assert_eq!(group, NamedGroup::X25519MLKEM768);
        let refused = answer(&configs, &identity, &CLASSICAL).unwrap_err().to_string();
        assert!(refused.contains("NoKxGroupsInCommon"), "{refused}");
    });
}
