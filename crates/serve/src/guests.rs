//! Who calls and is not known yet: how many may, for how long, and how often the log says so. Whoever is a stranger must not keep
//! peers out, and must not fill the log.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Connections whose keys are not known yet.
const MOST: usize = 64;
/// Those of one address.
const MOST_OF_ONE: usize = 8;
/// How long the log says nothing more of an address.
const QUIET: Duration = Duration::from_secs(60);
/// Of how many addresses the log speaks in that time.
const MOST_NAMED: usize = 32;

/// All guests.
#[derive(Default)]
pub struct Guests(Mutex<All>);

#[derive(Default)]
struct All {
    /// Those who have to become known until a time.
    waiting: BTreeMap<u64, (Instant, Arc<TcpStream>)>,
    number: u64,
    of: BTreeMap<IpAddr, usize>,
    /// Where peers were last found, by peer: these are not kept out by strangers from elsewhere.
    peers: BTreeMap<String, IpAddr>,
    said: BTreeMap<IpAddr, Instant>,
}

/// How often guests are looked after.
const LOOK: Duration = Duration::from_millis(200);

/// A guest, until it is dropped.
pub struct Guest {
    guests: Arc<Guests>,
    at: IpAddr,
    number: u64,
    stream: Arc<TcpStream>,
}

impl Guest {
    /// It is known now: there is time, and it is still counted. Gives its connection.
    pub fn is_known(&self) -> Arc<TcpStream> {
        self.guests.all().waiting.remove(&self.number);
        self.stream.clone()
    }
}

/// Hangs up.
pub fn hang_up(stream: &TcpStream) {
    // It may be closed already.
    let _ = stream.shutdown(Shutdown::Both);
}

/// What counts as one: of addresses of version 6 whoever has one has 2^64.
fn place(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

impl Guests {
    fn all(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hangs up on whoever is not known in time, from here on.
    ///
    /// # Errors
    /// There are no threads.
    pub fn watch(self: &Arc<Guests>) -> io::Result<()> {
        let guests = self.clone();
        let look = move || {
            loop {
                thread::sleep(LOOK);
                let now = Instant::now();
                guests.all().waiting.retain(|_, (until, stream)| {
                    let in_time = now < *until;
                    if !in_time {
                        hang_up(stream);
                    }
                    in_time
                });
            }
        };
        thread::Builder::new().name("tacit-guests".into()).spawn(look).map(drop)
    }

    /// Takes in whoever calls from an address, unless there are too many already. It becomes known `within` a time, however small
    /// the pieces are in which it says who it is, or is hung up on.
    pub fn welcome(
        self: &Arc<Guests>,
        (stream, address): (&TcpStream, IpAddr),
        within: Duration,
    ) -> Option<Guest> {
        let stream = Arc::new(stream.try_clone().ok()?);
        let (mut all, at) = (self.all(), place(address));
        let (together, mine) = (all.of.values().sum::<usize>(), all.of.get(&at).copied());
        let known = all.peers.values().any(|peer| *peer == at);
        if mine.unwrap_or(0) >= MOST_OF_ONE || (together >= MOST && !known) {
            return None;
        }
        *all.of.entry(at).or_default() += 1;
        all.number += 1;
        let number = all.number;
        all.waiting.insert(number, (Instant::now() + within, stream.clone()));
        Some(Guest { guests: self.clone(), at, number, stream })
    }

    /// A peer is found at an address.
    pub fn found(&self, peer: &str, address: IpAddr) {
        self.all().peers.insert(peer.to_owned(), place(address));
    }

    /// Whether the log says something of a stranger at an address now.
    pub fn worth_saying(&self, address: IpAddr) -> bool {
        let (mut all, at) = (self.all(), place(address));
        all.said.retain(|_, since| since.elapsed() < QUIET);
        if all.said.len() >= MOST_NAMED || all.said.contains_key(&at) {
            return false;
        }
        all.said.insert(at, Instant::now());
        true
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut all = self.guests.all();
        all.waiting.remove(&self.number);
        if let Some(count) = all.of.get_mut(&self.at) {
            *count -= 1;
            if *count == 0 {
                all.of.remove(&self.at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let caller = TcpStream::connect(listener.local_addr().expect("a port")).expect("a stream");
        (caller, listener.accept().expect("a stream").0)
    }

    #[test]
    fn strangers_keep_nobody_out_who_calls_from_elsewhere() {
        let (guests, (_caller, called)) = (Arc::new(Guests::default()), pair());
        let welcome =
            |it: u8| guests.welcome((&called, [10, 0, 0, it].into()), Duration::from_secs(9));
        let of_one: Vec<Guest> = (0..20).filter_map(|_| welcome(1)).collect();
        assert_eq!(of_one.len(), MOST_OF_ONE);
        let many: Vec<Guest> = (2..200).filter_map(welcome).collect();
        assert_eq!(of_one.len() + many.len(), MOST);
        assert!(welcome(201).is_none());
        guests.found("bob", [10, 0, 0, 201].into());
        assert!(welcome(201).is_some());
        drop((of_one, many));
        assert!(welcome(202).is_some());
        assert!(guests.all().of.is_empty() && guests.all().waiting.is_empty());
    }

    #[test]
    fn whoever_says_who_it_is_byte_by_byte_has_no_more_time() {
        let guests = Arc::new(Guests::default());
        guests.watch().expect("a thread");
        let [(mut slow, called), (mut known, other)] = [pair(), pair()];
        let address = [10, 0, 0, 1].into();
        let within = Duration::from_millis(300);
        let [guest, friend] =
            [&called, &other].map(|it| guests.welcome((it, address), within).expect("room"));
        friend.is_known();
        let since = Instant::now();
        while slow.write_all(b"x").is_ok() {
            assert!(since.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(20));
        }
        drop(guest);
        known.write_all(b"x").expect("it is not hung up on");
        assert_eq!((&other).read(&mut [0; 9]).expect("a byte"), 1);
    }

    #[test]
    fn one_network_is_one_guest_in_version_6() {
        let at = |text: &str| place(text.parse().expect("an address"));
        assert_eq!(at("2001:db8:1:2:3::4"), at("2001:db8:1:2:ffff::"));
        assert_ne!(at("2001:db8:1:2::"), at("2001:db8:1:3::"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    }

    #[test]
    fn the_log_names_few_strangers() {
        let guests = Guests::default();
        let said = |it: u8| (0..3).filter(|_| guests.worth_saying([10, 0, 0, it].into())).count();
        assert_eq!(said(1), 1);
        assert_eq!((2..200).map(said).sum::<usize>(), MOST_NAMED - 1);
    }
}
