//! The thread that decides: it feeds the node one event after the other, and carries out what follows once it is durable.

use crate::data::Left;
use crate::error::Error;
use crate::links::Links;
use crate::sign::Ed25519Statements;
use crate::store::Store;
use crate::workers::Workers;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tacit_node::{Answer, Command, Effect, Input, Message, Node, Now, Problem, Step, WorkerEvent};
use tokio::sync::oneshot;
use tracing::info;

/// How often time goes by.
const TICK: Duration = Duration::from_millis(200);

/// Something that the node has to hear of.
pub enum Event {
    /// A peer is connected, with its statement key.
    Linked(String, String),
    /// It is not connected any more.
    Unlinked(String),
    /// A peer says something. It has a place in the queue until the node has heard it.
    Message(String, Box<Message>, Place),
    /// An operator asks for something.
    Command(String, Command, oneshot::Sender<Answer>),
    /// A worker asks or ended.
    Worker(String, u32, WorkerEvent),
}

/// Messages of one peer that wait for the node: a small part of the queue, so that no peer keeps operators and workers waiting
/// longer than it takes to hear these.
const OF_A_PEER: usize = 16;

/// How many of a peer's messages wait.
#[derive(Default)]
struct Waiting {
    count: Mutex<usize>,
    fewer: Condvar,
}

/// A place in the queue, until it is dropped.
pub struct Place(Arc<Waiting>);

impl Place {
    /// Waits for a place of a peer's.
    fn of(waiting: &Arc<Waiting>) -> Place {
        let count = waiting.count.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.fewer.wait_while(count, |count| *count >= OF_A_PEER);
        *count.unwrap_or_else(PoisonError::into_inner) += 1;
        Place(waiting.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.fewer.notify_one();
    }
}

/// Where events go.
#[derive(Clone)]
pub struct Events {
    sender: SyncSender<Event>,
    peers: Arc<BTreeMap<String, Arc<Waiting>>>,
}

impl Events {
    /// A queue, with places for all messages of these peers and as many events of this node again, and where they come from it.
    pub fn new<'p>(peers: impl Iterator<Item = &'p String>) -> (Events, Receiver<Event>) {
        let peers: BTreeMap<_, _> =
            peers.map(|peer| (peer.clone(), Arc::new(Waiting::default()))).collect();
        let (sender, receiver) = sync_channel(2 * OF_A_PEER * peers.len().max(8));
        (Events { sender, peers: Arc::new(peers) }, receiver)
    }

    /// Tells the node what a peer says, and waits while too much of it waits already.
    pub fn say(&self, peer: &str, message: Box<Message>) {
        if let Some(waiting) = self.peers.get(peer) {
            let place = Place::of(waiting);
            self.send(Event::Message(peer.to_owned(), message, place));
        }
    }

    /// Tells the node, and waits if it is busy. When the node is gone the process is about to end.
    pub fn send(&self, event: Event) {
        let _ = self.sender.send(event);
    }

    /// Asks the node for something on behalf of an operator.
    pub async fn ask(&self, operator: String, command: Command) -> Answer {
        let (sender, receiver) = oneshot::channel();
        let busy = || Problem::new(503, "overloaded", "the node is busy: try again in a moment");
        match self.sender.try_send(Event::Command(operator, command, sender)) {
            Ok(()) => receiver.await.map_err(|_| busy())?,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(busy()),
        }
    }
}

/// All that the thread has.
pub struct Core {
    pub node: Node<Ed25519Statements>,
    pub store: Arc<Store>,
    pub links: Links,
    pub workers: Workers,
    pub started: Instant,
    /// What was left of an earlier time when the node was started.
    pub left: Left,
}

/// The time for the node.
pub fn now(started: Instant) -> Now {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mono_ms = started.elapsed().as_millis() as u64;
    Now { wall_ms: wall.as_millis() as u64, mono_ms }
}

/// Fresh random bytes.
///
/// # Errors
/// The system has none.
pub fn random() -> Result<[u8; 32], Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| Error::system(format!("no randomness: {e}")))?;
    Ok(bytes)
}

impl Core {
    /// Decides until something fails that must end the process: a commit above all, as what is in memory may be ahead of the disk.
    ///
    /// # Errors
    /// What failed.
    pub fn run(mut self, first: Step, events: &Receiver<Event>) -> Result<(), Error> {
        let mut waiting = BTreeMap::new();
        let mut ticket = 0;
        self.carry_out(first, &mut waiting)?;
        let mut ticked = Instant::now();
        let mut watched = Watched::new();
        loop {
            let input = match events.recv_timeout(TICK.saturating_sub(ticked.elapsed())) {
                Ok(Event::Linked(peer, statements)) => Input::Linked { peer, statements },
                Ok(Event::Unlinked(peer)) => Input::Unlinked { peer },
                Ok(Event::Message(from, message, _place)) => Input::Message { from, message },
                Ok(Event::Command(operator, command, sender)) => {
                    ticket += 1;
                    waiting.insert(ticket, sender);
                    Input::Command { ticket, operator, command }
                }
                Ok(Event::Worker(session, attempt, event)) => {
                    Input::Worker { session, attempt, event }
                }
                Err(RecvTimeoutError::Timeout) => {
                    ticked = Instant::now();
                    Input::Tick
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let step = self.node.handle(now(self.started), random()?, input);
            self.carry_out(step, &mut waiting)?;
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                let step = self.node.handle(now(self.started), random()?, Input::Tick);
                self.carry_out(step, &mut waiting)?;
            }
            watched.alive();
        }
    }

    fn carry_out(
        &mut self,
        step: Step,
        waiting: &mut BTreeMap<u64, oneshot::Sender<Answer>>,
    ) -> Result<(), Error> {
        for effect in step.commit(|batch| self.store.commit(batch))? {
            match effect {
                Effect::Send { to, message } => self.links.send(&to, *message),
                Effect::Launch(launch) => {
                    info!(session = launch.session, attempt = launch.attempt, "starting a worker");
                    let study = self.node.document(&launch.study).cloned();
                    let table = launch.table.as_ref();
                    let digest = table.and_then(|(set, it)| self.node.table_digest(set, it));
                    let digest = digest.unwrap_or_default().to_owned();
                    self.workers.launch(*launch, (study, digest));
                }
                Effect::Grant { session, attempt } => {
                    info!(session, attempt, "results may open");
                    self.workers.answer(&session, attempt, None);
                }
                Effect::Deny { session, attempt, why } => {
                    info!(session, attempt, why, "results may not open");
                    self.workers.answer(&session, attempt, Some(&why));
                }
                Effect::Kill { session, attempt } => {
                    info!(session, attempt, "ending a worker");
                    self.workers.kill(&session, attempt);
                }
                Effect::Sweep => self.left.delete(),
                Effect::Discard { session, attempt } => self.workers.discard(&session, attempt),
                Effect::Forget { session } => self.workers.forget(&session),
                Effect::Answer { ticket, answer } => {
                    if let Some(sender) = waiting.remove(&ticket) {
                        // Who asked may be gone.
                        let _ = sender.send(answer);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Who looks whether this thread lives, if somebody does: systemd, for a unit with `WatchdogSec=`.
struct Watched {
    every: Option<Duration>,
    said: Instant,
}

impl Watched {
    fn new() -> Watched {
        let every = sd_notify::watchdog_enabled().map(|limit| limit / 4);
        Watched { every, said: Instant::now() }
    }

    fn alive(&mut self) {
        if self.every.is_some_and(|every| self.said.elapsed() >= every) {
            self.said = Instant::now();
            // Who does not hear it ends this process.
            let _ = sd_notify::notify(&[sd_notify::NotifyState::Watchdog]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_peer_that_says_much_leaves_room_for_others() {
        let peers = ["bob".to_owned(), "carol".to_owned()];
        let (events, receiver) = Events::new(peers.iter());
        let flood = {
            let events = events.clone();
            move || {
                for number in 0..10 * OF_A_PEER {
                    let session = number.to_string();
                    events.say("bob", Box::new(Message::Cancel { session }));
                }
            }
        };
        let flood = thread::spawn(flood);
        while *events.peers["bob"].count.lock().expect("a count") < OF_A_PEER {
            thread::yield_now();
        }
        // Strangers are not heard, and nobody waits.
        events.say("eve", Box::new(Message::Cancel { session: "x".into() }));
        events.say("carol", Box::new(Message::Cancel { session: "last".into() }));
        let (answer, _) = oneshot::channel();
        let asked = Event::Command("uid:1".into(), Command::Status, answer);
        assert!(events.sender.try_send(asked).is_ok());
        let mut before = 0;
        while let Event::Message(..) = receiver.recv().expect("an event") {
            before += 1;
        }
        assert!(before <= OF_A_PEER + 1, "{before} messages before the operator");
        let all = thread::spawn(move || receiver.into_iter().count());
        flood.join().expect("the rest is said");
        drop(events);
        assert!(all.join().expect("a count") >= 9 * OF_A_PEER - 1);
    }
}
