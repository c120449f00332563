//! What is kept of products: how it is asked, and room for it.

use super::channel::ProofChannel;
use super::class::Class;
use super::columns::Scratch;
use std::any::Any;
use tacit_sharing::SharingError;

/// Adds results to runs of such with equal numbers of terms.
pub(super) fn push_run(runs: &mut Vec<(usize, usize)>, results: usize, terms: usize) {
    match runs.last_mut() {
        Some((before, each)) if *each == terms => *before += results,
        _ => runs.push((results, terms)),
    }
}

/// Products of some ring.
pub(super) trait Pending: Send {
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn is_of(&self, class: Class) -> bool;
    /// Words of factors.
    fn terms(&self) -> usize;
    /// Words of factors that are proven together.
    fn limit(&self) -> usize;
    /// Whether they should be proven now.
    fn is_full(&self) -> bool {
        self.terms() >= self.limit()
    }
    /// Whether none is under way.
    fn is_settled(&self) -> bool {
        true
    }
    /// Proves and forgets a batch.
    fn prove(
        &mut self,
        channel: &mut ProofChannel<'_, '_, '_>,
        scratch: &mut Scratch,
    ) -> Result<(), SharingError>;
}
