//! One thread per mesh, or per backend over one.

use crate::circuit::EvaluateError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};
use tacit_backend::Backend;
use tacit_net::{AbortKind, Mesh, Session};

/// What a worker talks to its peers through.
pub(crate) trait Stop {
    /// Ends the session for all threads and peers.
    fn stop(&mut self, kind: AbortKind, reason: &str);
}

impl Stop for Mesh {
    fn stop(&mut self, kind: AbortKind, reason: &str) {
        self.abort(kind, reason);
    }
}

impl Stop for dyn Backend + Send + '_ {
    fn stop(&mut self, kind: AbortKind, reason: &str) {
        self.abort(kind, reason);
    }
}

/// Runs `work` on every end with its item, each in a thread, and returns the results in order.
///
/// # Errors
/// The one that tells most. As soon as a worker fails or panics, the other workers of this party
/// and all peers stop.
pub(crate) fn on_each<'e, E: Stop + Send + ?Sized + 'e, I: Send, T: Send>(
    ends: impl IntoIterator<Item = &'e mut E>,
    items: impl IntoIterator<Item = I>,
    work: impl Fn(&mut E, I) -> Result<T, EvaluateError> + Sync,
) -> Result<Vec<T>, EvaluateError> {
    let guarded = |end: &mut E, item: I| guard(end, |end| work(end, item));
    thread::scope(|scope| {
        let mut pairs = ends.into_iter().zip(items);
        let Some((end, item)) = pairs.next() else { return Ok(Vec::new()) };
        let guarded = &guarded;
        let others: Result<Vec<_>, _> =
            pairs.map(|(end, item)| start(scope, move || guarded(end, item))).collect();
        // Without all threads nobody can go on; those that run are stopped by the abort.
        let others =
            others.inspect_err(|error| end.stop(error.abort_kind(), &error.to_string()))?;
        let mine = guarded(end, item);
        first_cause(std::iter::once(mine).chain(others.into_iter().map(join)))
    })
}

/// When a failure ends the work, the session ends with it for everybody.
pub(crate) fn guarded<T>(
    session: &mut Session,
    work: impl FnOnce(&mut Session) -> Result<T, EvaluateError>,
) -> Result<T, EvaluateError> {
    let result = work(session);
    if let Err(error) = &result {
        session.abort(error.abort_kind(), &error.to_string());
    }
    result
}

/// Runs `work`; when it fails or panics, ends the session for all threads and peers.
fn guard<E: Stop + ?Sized, T>(
    end: &mut E,
    work: impl FnOnce(&mut E) -> Result<T, EvaluateError>,
) -> Result<T, EvaluateError> {
    let result = catch_unwind(AssertUnwindSafe(|| work(end)));
    result
        .unwrap_or_else(|_| Err(panicked()))
        .inspect_err(|error| end.stop(error.abort_kind(), &error.to_string()))
}

fn start<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Result<ScopedJoinHandle<'s, T>, EvaluateError> {
    let thread = Builder::new().spawn_scoped(scope, work);
    thread.map_err(|e| EvaluateError::System(format!("cannot start a thread: {e}")))
}

fn join<T>(thread: ScopedJoinHandle<'_, Result<T, EvaluateError>>) -> Result<T, EvaluateError> {
    thread.join().unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> EvaluateError {
    EvaluateError::Bug("a worker thread panicked".into())
}

/// All results, or the error that tells most: not that another thread had stopped.
fn first_cause<T>(
    results: impl Iterator<Item = Result<T, EvaluateError>>,
) -> Result<Vec<T>, EvaluateError> {
    let mut done = Vec::new();
    let mut failure: Option<EvaluateError> = None;
    for result in results {
        match result {
            Ok(value) => done.push(value),
            Err(error) if failure.as_ref().is_none_or(EvaluateError::is_echo) => {
                failure = Some(error);
            }
            Err(_) => {}
        }
    }
    failure.map_or(Ok(done), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_net::memory::{self, MemoryNetwork};
    use tacit_net::{NetError, PartyId, Stream};

    #[test]
    fn a_panic_in_a_worker_is_a_bug_and_stops_everybody() {
        let results = memory::run(3, 2, &MemoryNetwork::default(), |mut session| {
            let me = session.me();
            on_each(&mut session.meshes, 0..2, |mesh, worker| {
                assert!((me, worker) != (PartyId(0), 1), "this panic is part of the test");
                let from = PartyId((me.0 + 1) % 3);
                Ok(mesh.recv(from, Stream::On, &mut [0])?)
            })
        });
        let [first, others @ ..] = &results[..] else { panic!("three results") };
        assert!(matches!(first, Err(EvaluateError::Bug(_))), "{first:?}");
        for other in others {
            let told = matches!(other, Err(EvaluateError::Net(NetError::PeerAborted { .. })));
            assert!(told, "{other:?}");
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_meshes() {
        let results = memory::run(2, 3, &MemoryNetwork::default(), |mut session| {
            on_each(&mut session.meshes, 0..3, |_, worker| Ok(worker)).unwrap()
        });
        assert_eq!(results, [[0, 1, 2]; 2]);
    }
}
