//! What every socket of a session needs, and this party's port.

use super::{Limits, SessionConfig};
use crate::error::NetError;
use crate::session_state::POLL_INTERVAL;
use rustix::net::sockopt;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

/// Socket buffers on the loopback interface, where the system's own choice grows until the bytes
/// in flight no longer fit the processor's cache.
const LOOPBACK_BUFFER_BYTES: usize = 1 << 20;

/// Sets what every connection needs: no delay of small messages, buffers, close on exec.
pub(crate) fn prepare(stream: TcpStream, limits: &Limits) -> std::io::Result<OwnedFd> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let loopback = stream.peer_addr()?.ip().is_loopback();
    let default = loopback.then_some(LOOPBACK_BUFFER_BYTES);
    set_buffers(&stream, limits.socket_buffer_bytes.or(default))?;
    Ok(stream.into())
}

fn set_buffers(socket: impl AsFd, bytes: Option<usize>) -> std::io::Result<()> {
    if let Some(bytes) = bytes {
        sockopt::set_socket_send_buffer_size(&socket, bytes)?;
        sockopt::set_socket_recv_buffer_size(&socket, bytes)?;
    }
    Ok(())
}

/// How long the port of a session that is over may still be open: the thread that listens looks up every [`POLL_INTERVAL`].
const CLOSING: Duration = POLL_INTERVAL.saturating_mul(4);

/// This party's listening socket, non-blocking.
pub(crate) fn open_listener(config: &SessionConfig) -> Result<TcpListener, NetError> {
    let address = &config.parties[config.me.index()].address;
    let wrong = |e: std::io::Error| NetError::Listen {
        address: address.clone(),
        hint: match e.kind() {
            std::io::ErrorKind::AddrInUse => {
                "the port is in use; stop what uses it or choose another".into()
            }
            std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".into(),
            std::io::ErrorKind::PermissionDenied => {
                "the port is reserved; choose one above 1023".into()
            }
            _ => e.to_string(),
        },
    };
    let bound = || match &config.listener {
        Some(listener) => listener.try_clone(),
        None => TcpListener::bind(address.as_str()),
    };
    let until = Instant::now() + CLOSING;
    let listener = loop {
        match bound() {
            Err(e) if e.kind() == std::io::ErrorKind::AddrInUse && Instant::now() < until => {
                thread::sleep(CLOSING / 20);
            }
            result => break result.map_err(wrong)?,
        }
    };
    listener.set_nonblocking(true).map_err(wrong)?;
    set_buffers(&listener, config.limits.socket_buffer_bytes).map_err(wrong)?;
    Ok(listener)
}
