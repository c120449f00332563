//! TLS 1.3 on a non-blocking socket, by rustls' unbuffered interface: records are encrypted
//! from the caller's slice into one large buffer, and decrypted in the buffer they were read into.

use super::wire::{Socket, Stall};
use crate::copy::{Buffer, copy};
use rustix::event::PollFlags;
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::CertificateDer;
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{AlertDescription, CertificateError};

/// Plaintext bytes per write: eight full records.
const WRITE_BYTES: usize = 8 * 16384;
/// Writes of fewer bytes than these go in records of so many. A record is read only when all of it is here: of large ones those who
/// wait on a slow link would wait for bytes that follow what they wait for.
const RECORDS: [(usize, usize); 2] = [(16 << 10, 1400), (64 << 10, 4 << 10)];
/// Room for those as records, and for a control record.
const OUTGOING_BYTES: usize = WRITE_BYTES + 8 * 64 + 512;
/// Ciphertext bytes per read.
const INCOMING_BYTES: usize = 128 << 10;

enum Side {
    Client(UnbufferedClientConnection),
    Server(UnbufferedServerConnection),
}

pub(crate) struct Tls {
    side: Side,
    incoming: Buffer,
    outgoing: Buffer,
    /// Decrypted bytes that the last reader had no room for.
    plain: Vec<u8>,
    plain_at: usize,
    /// The incoming buffer may hold a whole record.
    unprocessed: bool,
    peer_closed: bool,
    /// This side has had something to send.
    spoke: bool,
}

/// What one step of the TLS machine asks for next.
enum Next {
    Again,
    NeedInput,
    MayWrite,
    PeerClosed,
}

/// Where a step puts bytes.
struct Ports<'a> {
    /// Plaintext to encrypt.
    send: &'a [u8],
    taken: usize,
    outgoing: &'a mut Buffer,
    /// Room for decrypted bytes, and what does not fit.
    out: &'a mut [u8],
    received: usize,
    spill: &'a mut Vec<u8>,
    close: bool,
}

impl Tls {
    pub(crate) fn client(connection: UnbufferedClientConnection) -> Tls {
        Tls::new(Side::Client(connection))
    }

    pub(crate) fn server(connection: UnbufferedServerConnection) -> Tls {
        Tls::new(Side::Server(connection))
    }

    fn new(side: Side) -> Tls {
        Tls {
            side,
            incoming: Buffer::new(16 << 10),
            outgoing: Buffer::new(16 << 10),
            plain: Vec::new(),
            plain_at: 0,
            unprocessed: false,
            peer_closed: false,
            spoke: false,
        }
    }

    /// Whether this side has had something to send. A server has once its client's hello is here.
    pub(crate) fn spoke(&self) -> bool {
        self.spoke
    }

    /// The certificate that the peer proved to hold.
    pub(crate) fn peer_certificate(&self) -> Option<&CertificateDer<'static>> {
        let chain = match &self.side {
            Side::Client(c) => c.peer_certificates(),
            Side::Server(c) => c.peer_certificates(),
        };
        chain.and_then(<[_]>::first)
    }

    /// Advances the handshake; `None` when it is done, else what to poll for.
    pub(crate) fn handshake(&mut self, socket: &Socket) -> Result<Option<PollFlags>, Stall> {
        loop {
            match self.push(socket) {
                Ok(()) => {}
                Err(Stall::Block) => return Ok(Some(PollFlags::OUT)),
                Err(e) => return Err(e),
            }
            match self.step(socket, &[], &mut [], false)?.0 {
                Next::Again => {}
                Next::PeerClosed => return Err(Stall::Eof),
                Next::MayWrite => match self.push(socket) {
                    Ok(()) => return Ok(None),
                    Err(Stall::Block) => return Ok(Some(PollFlags::OUT)),
                    Err(e) => return Err(e),
                },
                Next::NeedInput => match self.fill(socket) {
                    Ok(()) => {}
                    Err(Stall::Block) => return Ok(Some(PollFlags::IN)),
                    Err(e) => return Err(e),
                },
            }
        }
    }

    /// Encrypts a first part of `bytes` and writes it; returns the length of that part.
    pub(crate) fn write(&mut self, socket: &Socket, bytes: &[u8]) -> Result<usize, Stall> {
        self.push(socket)?;
        self.outgoing.grow(match bytes.len() {
            0..=15_000 => 16 << 10,
            _ => OUTGOING_BYTES,
        });
        let part = &bytes[..bytes.len().min(WRITE_BYTES)];
        loop {
            let (next, taken, _) = self.step(socket, part, &mut [], false)?;
            match next {
                _ if taken > 0 => {
                    return match self.push(socket) {
                        Ok(()) | Err(Stall::Block) => Ok(taken),
                        Err(e) => Err(e),
                    };
                }
                Next::Again | Next::MayWrite => self.push(socket)?,
                Next::NeedInput | Next::PeerClosed => return Err(Stall::Block),
            }
        }
    }

    /// Writes encrypted bytes until none are left.
    pub(crate) fn push(&mut self, socket: &Socket) -> Result<(), Stall> {
        while !self.outgoing.is_empty() {
            let n = socket.write(self.outgoing.filled())?;
            self.outgoing.consume(n);
        }
        Ok(())
    }

    /// Reads at least one decrypted byte.
    pub(crate) fn read(&mut self, socket: &Socket, buf: &mut [u8]) -> Result<usize, Stall> {
        let mut done = self.take_plain(buf);
        while done < buf.len() {
            if self.unprocessed {
                let (next, _, received) = self.step(socket, &[], &mut buf[done..], false)?;
                done += received;
                match next {
                    Next::PeerClosed => self.peer_closed = true,
                    Next::Again => continue,
                    Next::NeedInput | Next::MayWrite => {}
                }
                self.unprocessed = false;
                continue;
            }
            if self.peer_closed {
                return if done > 0 { Ok(done) } else { Err(Stall::Eof) };
            }
            match self.fill(socket) {
                Ok(()) => {}
                Err(_) if done > 0 => return Ok(done),
                Err(Stall::Eof) => {
                    return Err(Stall::Broken("the connection was cut off".into()));
                }
                Err(e) => return Err(e),
            }
        }
        Ok(done)
    }

    pub(crate) fn has_backlog(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Says that nothing more will be written.
    pub(crate) fn end(&mut self, socket: &Socket) {
        if self.push(socket).is_ok() {
            // Fails only if the connection is gone already.
            let _ = self.step(socket, &[], &mut [], true);
            let _ = self.push(socket);
        }
    }

    fn take_plain(&mut self, buf: &mut [u8]) -> usize {
        let rest = &self.plain[self.plain_at..];
        let n = rest.len().min(buf.len());
        copy(&mut buf[..n], &rest[..n]);
        self.plain_at += n;
        if self.plain_at == self.plain.len() {
            self.plain.clear();
            self.plain_at = 0;
        }
        n
    }

    fn fill(&mut self, socket: &Socket) -> Result<(), Stall> {
        self.incoming.compact();
        if self.incoming.room().is_empty() {
            self.incoming.grow(INCOMING_BYTES);
        }
        let room = self.incoming.room();
        let full = room.len();
        let n = socket.read(room)?;
        self.incoming.fill(n);
        if n == full {
            self.incoming.grow(INCOMING_BYTES);
        }
        self.unprocessed = true;
        Ok(())
    }

    /// One step of the machine: returns what is next, plaintext bytes taken and received.
    fn step(
        &mut self,
        socket: &Socket,
        send: &[u8],
        out: &mut [u8],
        close: bool,
    ) -> Result<(Next, usize, usize), Stall> {
        let mut ports = Ports {
            send,
            taken: 0,
            outgoing: &mut self.outgoing,
            out,
            received: 0,
            spill: &mut self.plain,
            close,
        };
        // Always the real input, also to write: rustls remembers offsets into it.
        let incoming = self.incoming.filled_mut();
        let (discard, next) = match &mut self.side {
            Side::Client(c) => advance(c.process_tls_records(incoming), &mut ports),
            Side::Server(c) => advance(c.process_tls_records(incoming), &mut ports),
        };
        let (taken, received) = (ports.taken, ports.received);
        self.spoke |= !self.outgoing.is_empty();
        self.incoming.consume(discard);
        match next {
            Ok(next) => Ok((next, taken, received)),
            Err(stall) => {
                self.send_alert(socket);
                Err(stall)
            }
        }
    }

    /// After an error the machine may hold an alert that tells the peer why.
    fn send_alert(&mut self, socket: &Socket) {
        let mut ports = Ports {
            send: &[],
            taken: 0,
            outgoing: &mut self.outgoing,
            out: &mut [],
            received: 0,
            spill: &mut self.plain,
            close: false,
        };
        let incoming = self.incoming.filled_mut();
        // The first error is the one that counts.
        let _ = match &mut self.side {
            Side::Client(c) => advance(c.process_tls_records(incoming), &mut ports).1,
            Side::Server(c) => advance(c.process_tls_records(incoming), &mut ports).1,
        };
        let _ = self.push(socket);
    }
}

fn advance<D>(
    status: UnbufferedStatus<'_, '_, D>,
    ports: &mut Ports<'_>,
) -> (usize, Result<Next, Stall>) {
    let UnbufferedStatus { mut discard, state } = status;
    let next = match state {
        Err(e) => Err(refusal(&e)),
        Ok(ConnectionState::ReadTraffic(mut traffic)) => {
            while let Some(record) = traffic.next_record() {
                match record {
                    Ok(record) => {
                        discard += record.discard;
                        ports.deliver(record.payload);
                    }
                    Err(e) => return (discard, Err(refusal(&e))),
                }
            }
            Ok(Next::Again)
        }
        Ok(ConnectionState::EncodeTlsData(mut data)) => {
            loop {
                match data.encode(ports.outgoing.room()) {
                    Ok(n) => break ports.outgoing.fill(n),
                    Err(EncodeError::InsufficientSize(size)) => ports.make_room(size.required_size),
                    Err(EncodeError::AlreadyEncoded) => break,
                }
            }
            Ok(Next::Again)
        }
        Ok(ConnectionState::TransmitTlsData(data)) => {
            data.done();
            Ok(Next::Again)
        }
        Ok(ConnectionState::WriteTraffic(mut traffic)) => loop {
            let part = ports.next_part();
            let result = match (ports.close, part.is_empty()) {
                (true, _) => traffic.queue_close_notify(ports.outgoing.room()),
                (false, true) => break Ok(Next::MayWrite),
                (false, false) => traffic.encrypt(part, ports.outgoing.room()),
            };
            match result {
                Ok(n) => {
                    ports.outgoing.fill(n);
                    if ports.close {
                        break Ok(Next::MayWrite);
                    }
                    ports.taken += part.len();
                }
                Err(EncryptError::InsufficientSize(size)) => ports.make_room(size.required_size),
                Err(EncryptError::EncryptExhausted) => {
                    break Err(Stall::Broken("its encryption key is used up".into()));
                }
            }
        },
        Ok(ConnectionState::PeerClosed | ConnectionState::Closed) => Ok(Next::PeerClosed),
        Ok(ConnectionState::BlockedHandshake) => Ok(Next::NeedInput),
        Ok(_) => Err(Stall::Broken("unexpected early data".into())),
    };
    (discard, next)
}

impl<'a> Ports<'a> {
    /// What is encrypted next.
    fn next_part(&self) -> &'a [u8] {
        let send = self.send;
        let small = RECORDS.iter().find(|(writes, _)| send.len() < *writes);
        let most = small.map_or(WRITE_BYTES, |(_, record)| *record);
        let rest = &send[self.taken..];
        &rest[..rest.len().min(most)]
    }

    fn deliver(&mut self, payload: &[u8]) {
        let room = &mut self.out[self.received..];
        let n = payload.len().min(room.len());
        copy(&mut room[..n], &payload[..n]);
        self.received += n;
        self.spill.extend_from_slice(&payload[n..]);
    }

    fn make_room(&mut self, more: usize) {
        self.outgoing.compact();
        let len = self.outgoing.len();
        self.outgoing.grow(len + more);
    }
}

fn refusal(e: &rustls::Error) -> Stall {
    match e {
        rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure) => {
            Stall::WrongKey
        }
        // What a verifier's refusal becomes on the other side.
        rustls::Error::AlertReceived(AlertDescription::AccessDenied) => Stall::Refused,
        rustls::Error::PeerIncompatible(why) => Stall::Broken(format!(
            "TLS: it cannot agree with this party: {why:?} (TLS 1.3 with X25519MLKEM768 is needed)"
        )),
        e => Stall::Broken(format!("TLS: {e}")),
    }
}
