//! Who watches a run.

use crate::candidate::Choice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Is told how far a run has come: for people to look at. It must not slow the run down.
pub trait Progress: Sync {
    /// The parties, which have these names, have chosen a protocol.
    fn chosen(&self, choice: &Choice, names: &[String]);
    /// From now on so much is counted: rows of a program's streams and iterations of its loops, or words of a circuit's
    /// lanes.
    fn total(&self, all: u64);
    /// So much more is done.
    fn done(&self, more: u64);
}

/// Says how far a run has come, from another thread. Copies watch the same run.
///
/// ```
/// use tacit::{LocalParties, Program, Watch, protocols};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob
///     rows n in 1..1000
///     input a: u8[n] from alice
///     input b: u8[n] from bob
///     reveal sum(a * b, axis 0) to all as "sum"
/// "#)?;
/// let watch = Watch::default();
/// assert_eq!(watch.fraction(), None);
/// let parties = LocalParties::new(&program, protocols::GMW).watched_by(&watch);
/// parties.input("a", &[1, 2, 3]).input("b", &[4, 5, 6]).run()?;
/// assert_eq!(watch.fraction(), Some(1.0));
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    all: AtomicU64,
    done: AtomicU64,
}

impl Watch {
    /// The part that is done of what is counted, from 0 to 1: rows that operations went through, and iterations of loops, at all
    /// parties of this process. None before there is anything to count.
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        let [all, done] = [&self.0.all, &self.0.done].map(|count| count.load(Relaxed));
        (all > 0).then(|| (done as f64 / all as f64).min(1.0))
    }
}

impl Progress for Watch {
    fn chosen(&self, _: &Choice, _: &[String]) {}

    fn total(&self, all: u64) {
        self.0.all.fetch_add(all, Relaxed);
    }

    fn done(&self, more: u64) {
        self.0.done.fetch_add(more, Relaxed);
    }
}
