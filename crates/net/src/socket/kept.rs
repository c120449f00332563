//! The budget of bytes that the meshes of a session keep for later.
//!
//! Half of it is divided evenly, so that no mesh starves another; the other half goes to
//! whoever needs it.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Kept {
    /// What each mesh may keep in any case.
    own: usize,
    /// What all may keep beyond that together.
    shared: usize,
    /// What they do keep beyond it.
    used: AtomicUsize,
}

impl Kept {
    /// A budget of so many bytes for so many meshes.
    pub(crate) fn new(bytes: usize, meshes: usize) -> Kept {
        let shared = bytes / 2;
        Kept { own: (bytes - shared) / meshes.max(1), shared, used: AtomicUsize::new(0) }
    }

    /// Whether a mesh that keeps `kept` bytes may keep more. It may exceed the budget by what it
    /// reads at a time.
    pub(crate) fn has_room(&self, kept: usize) -> bool {
        kept < self.own || self.used.load(Ordering::Relaxed) < self.shared
    }

    /// Replaces the charge of a mesh that now keeps `kept` bytes; returns the new charge.
    pub(crate) fn recharge(&self, charged: usize, kept: usize) -> usize {
        let now = kept.saturating_sub(self.own);
        // Each mesh takes back what it added itself: the sum never falls below zero.
        if now > charged {
            self.used.fetch_add(now - charged, Ordering::Relaxed);
        } else if now < charged {
            self.used.fetch_sub(charged - now, Ordering::Relaxed);
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_meshes_together_stay_in_the_budget_and_none_starves() {
        const STEP: usize = 10;
        let kept = Kept::new(1000, 5);
        let mut meshes = [(0, 0); 5];
        // One mesh after the other takes what it gets.
        for (bytes, charged) in &mut meshes {
            while kept.has_room(*bytes) {
                *bytes += STEP;
                *charged = kept.recharge(*charged, *bytes);
            }
        }
        assert_eq!(meshes.map(|(bytes, _)| bytes), [600, 100, 100, 100, 100]);
        // What one gives back, another may take.
        let (bytes, charged) = &mut meshes[0];
        *bytes = 0;
        *charged = kept.recharge(*charged, 0);
        assert!(kept.has_room(100));
        for (_, charged) in meshes {
            kept.recharge(charged, 0);
        }
        assert_eq!(kept.used.into_inner(), 0);
    }
}
