//! Single connections by TLS 1.3 with pinned keys, for whoever speaks another protocol over them than sessions do: blocking, and
//! used in one direction each.

use crate::error::NetError;
use crate::identity::{Fingerprint, Identity, TlsEnds, fingerprint_of};
use rustls::{ClientConnection, ServerConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// Makes the ends of one party's connections. Both ends prove their keys.
pub struct PinnedEnds(TlsEnds);

/// The end of whoever dialed.
pub struct Dialed(StreamOwned<ClientConnection, TcpStream>);

/// The end of whoever was called.
pub struct Accepted(StreamOwned<ServerConnection, TcpStream>);

impl PinnedEnds {
    /// Ends that prove this identity.
    ///
    /// # Errors
    /// The certificate and the key cannot be used.
    pub fn new(identity: &Identity) -> Result<PinnedEnds, NetError> {
        TlsEnds::new(identity).map(PinnedEnds)
    }

    /// Speaks TLS over an open connection to the holder of `expected`; nobody else is spoken to. The stream's own time limits hold.
    ///
    /// # Errors
    /// The other end has another key, or is gone.
    pub fn dial(&self, stream: TcpStream, expected: Fingerprint) -> io::Result<Dialed> {
        let caller = self.0.caller(expected).map_err(io::Error::other)?;
        let name = TlsEnds::name().map_err(io::Error::other)?;
        let tls = ClientConnection::new(caller.config, name).map_err(io::Error::other)?;
        let mut all = StreamOwned::new(tls, stream);
        while all.conn.is_handshaking() {
            all.conn.complete_io(&mut all.sock)?;
        }
        Ok(Dialed(all))
    }

    /// Speaks TLS with whoever called, and gives the fingerprint of the key that it proved. It is for the caller to look whose
    /// that is before anything else is read or said.
    ///
    /// # Errors
    /// The other end proves no key, or is gone.
    pub fn accept(&self, stream: TcpStream) -> io::Result<(Accepted, Fingerprint)> {
        let tls = ServerConnection::new(self.0.server()).map_err(io::Error::other)?;
        let mut all = StreamOwned::new(tls, stream);
        while all.conn.is_handshaking() {
            all.conn.complete_io(&mut all.sock)?;
        }
        let shown = all.conn.peer_certificates().and_then(<[_]>::first).and_then(fingerprint_of);
        let shown = shown.ok_or_else(|| io::Error::other("the other end shows no key"))?;
        Ok((Accepted(all), shown))
    }
}

impl Write for Dialed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for Accepted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn only_the_holder_of_the_pinned_key_is_spoken_to() {
        let [alice, bob, eve] = ["alice", "bob", "eve"].map(|it| Identity::generate(it).unwrap());
        for (expected, good) in [(bob.fingerprint(), true), (eve.fingerprint(), false)] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let bob = PinnedEnds::new(&bob).unwrap();
            let heard = thread::spawn(move || {
                let (mut end, shown) = bob.accept(listener.accept().unwrap().0)?;
                let mut word = [0; 5];
                end.read_exact(&mut word)?;
                Ok::<_, io::Error>((shown, word))
            });
            let dialed = PinnedEnds::new(&alice)
                .unwrap()
                .dial(TcpStream::connect(address).unwrap(), expected);
            match dialed {
                Ok(mut end) => {
                    assert!(good);
                    end.write_all(b"hello").unwrap();
                    end.flush().unwrap();
                    assert_eq!(heard.join().unwrap().unwrap(), (alice.fingerprint(), *b"hello"));
                }
                Err(_) => {
                    assert!(!good);
                    assert!(heard.join().unwrap().is_err());
                }
            }
        }
    }
}
