//! Requests to a node's API, on its Unix socket.

use crate::error::Error;
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tacit::ErrorKind;

/// How long a node may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Largest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 30;

/// A node, as its operators reach it.
#[derive(Clone, Debug)]
pub struct Client(PathBuf);

impl Client {
    /// The node with this socket.
    #[must_use]
    pub fn new(socket: impl Into<PathBuf>) -> Client {
        Client(socket.into())
    }

    /// The socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.0
    }

    /// Asks for something.
    ///
    /// # Errors
    /// The node is not there, or refuses: then with the code that its answer has, and what to do.
    pub fn get(&self, path: &str) -> Result<Value, Error> {
        parsed(&self.request("GET", path, &[], b"")?)
    }

    /// Asks for something, as it was written.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.request("GET", path, &[], b"")
    }

    /// Has something done.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub fn post(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Value, Error> {
        let mut headers = vec![("content-type", "application/json")];
        if let Some(key) = key {
            if !key.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                return Err(Error::input("an idempotency key is printable ASCII"));
            }
            headers.push(("idempotency-key", key));
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        parsed(&self.request("POST", path, &headers, body.as_bytes())?)
    }

    /// Hands over a table.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub fn put(&self, path: &str, body: &[u8]) -> Result<Value, Error> {
        parsed(&self.request("PUT", path, &[("content-type", "text/csv")], body)?)
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "/-_.~".contains(c);
        if !path.chars().all(fits) {
            return Err(Error::input(format!(
                "{path:?} has a character that no name has: names have letters, digits, `-`, `_` and `.`"
            )));
        }
        let lost = |e: std::io::Error| {
            let what = match e.kind() {
                std::io::ErrorKind::PermissionDenied => "run this as the daemon's user, or as root",
                _ => "start it by `tacit serve`, or say where it is by --node or TACIT_NODE",
            };
            let message = format!("no node answers at {}: {e}; {what}", self.0.display());
            Error { kind: ErrorKind::Network, message }
        };
        let mut stream = UnixStream::connect(&self.0).map_err(lost)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(lost)?;
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: node\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut all = Vec::new();
        let read = (&stream).take(MAX_ANSWER_BYTES).read_to_end(&mut all);
        // A node may refuse before it has read everything.
        if all.is_empty() {
            sent.map_err(lost)?;
        }
        read.map_err(lost)?;
        let (status, body) = split(&all).ok_or_else(|| Error {
            kind: ErrorKind::Network,
            message: format!("what answers at {} is no node", self.0.display()),
        })?;
        if (200..300).contains(&status) { Ok(body.to_vec()) } else { Err(refusal(status, body)) }
    }
}

/// The status and the body of an answer that ends with its connection.
fn split(all: &[u8]) -> Option<(u16, &[u8])> {
    let end = all.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&all[..end]).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = &all[end + 4..];
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    })?;
    (body.len() == length).then_some((status, body))
}

fn refusal(status: u16, body: &[u8]) -> Error {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let detail = body["detail"].as_str().unwrap_or("the request does not fit this node");
    let code = body["code"].as_str().map(|code| format!("{code}: ")).unwrap_or_default();
    let kind = match status {
        503 => ErrorKind::Network,
        500.. => ErrorKind::System,
        _ => ErrorKind::Input,
    };
    Error { kind, message: format!("{code}{detail}") }
}

fn parsed(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(bytes).map_err(|e| Error::system(format!("the node's answer: {e}")))
}
