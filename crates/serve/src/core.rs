//! The thread that decides: it feeds the node one event after the other, and carries out what follows once it is durable.

use crate::error::Error;
use crate::links::Links;
use crate::sign::Ed25519Statements;
use crate::store::Store;
use crate::workers::Workers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
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
    /// A peer says something.
    Message(String, Box<Message>),
    /// An operator asks for something.
    Command(String, Command, oneshot::Sender<Answer>),
    /// A worker asks or ended.
    Worker(String, u32, WorkerEvent),
}

/// Where events go.
#[derive(Clone)]
pub struct Events(pub SyncSender<Event>);

impl Events {
    /// Tells the node, and waits if it is busy. When the node is gone the process is about to end.
    pub fn send(&self, event: Event) {
        let _ = self.0.send(event);
    }

    /// Asks the node for something on behalf of an operator.
    pub async fn ask(&self, operator: String, command: Command) -> Answer {
        let (sender, receiver) = oneshot::channel();
        let busy = || Problem::new(503, "overloaded", "the node is busy: try again in a moment");
        match self.0.try_send(Event::Command(operator, command, sender)) {
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
        loop {
            let input = match events.recv_timeout(TICK.saturating_sub(ticked.elapsed())) {
                Ok(Event::Linked(peer, statements)) => Input::Linked { peer, statements },
                Ok(Event::Unlinked(peer)) => Input::Unlinked { peer },
                Ok(Event::Message(from, message)) => Input::Message { from, message },
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
                    self.workers.launch(*launch, study);
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
