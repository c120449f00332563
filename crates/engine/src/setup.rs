//! What parties have in common before they compute: keys of every assignment of roles, one
//! verifier for all, and a name for their session.

use crate::circuit::{Assignment, EvaluateError};
use crate::workers::on_each;
use tacit_backend::RingKeys;
use tacit_net::Session;
use tacit_ring::{Entropy, NoEntropy};
use tacit_sharing::SharingError;
use tacit_sharing::party::Keys;
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Verifier;

/// A session identifier to which every party contributes.
pub(crate) fn fresh_id(
    session: &mut Session,
    entropy: &mut Entropy,
) -> Result<Vec<u8>, EvaluateError> {
    let mine = entropy.seed().map_err(SharingError::from)?;
    Ok(session.publish(mine.expose())?.concat())
}

/// Exchanged secrets.
pub(crate) struct SetUp {
    /// By assignment; `None` where this party plays no role.
    secrets: Vec<Option<Secrets>>,
    workers: usize,
    pub checks: Verifier,
}

impl SetUp {
    /// Exchanges the secrets of all assignments, side by side, each over the mesh of the first of
    /// its `workers`: by assignment, `None` where this party plays no role.
    pub fn exchange(
        session: &mut Session,
        assignments: &[Assignment],
        workers: usize,
        id: &[u8],
        entropy: &mut Entropy,
    ) -> Result<Vec<Option<Secrets>>, EvaluateError> {
        let me = session.me();
        let fork = |_: &Assignment| entropy.fork();
        let forks: Result<Vec<Entropy>, NoEntropy> = assignments.iter().map(fork).collect();
        let items = assignments.iter().zip(0u32..).zip(forks.map_err(SharingError::from)?);
        let meshes = session.meshes.iter_mut().step_by(workers);
        on_each(meshes, items, |mesh, ((assignment, index), mut entropy)| {
            let Assignment { protocol, places, .. } = assignment;
            if !places.contains(&me) {
                return Ok(None);
            }
            let id = [id, &index.to_le_bytes()].concat();
            let secrets = Secrets::exchange(mesh, &id, *protocol, places, &mut entropy)?;
            // This thread does not use the mesh next.
            mesh.flush()?;
            Ok(Some(secrets))
        })
    }

    /// What follows from the secrets of all assignments, in the session of this name.
    pub fn new(
        mut secrets: Vec<Option<Secrets>>,
        assignments: &[Assignment],
        workers: usize,
        id: Vec<u8>,
    ) -> Result<Self, EvaluateError> {
        let mut checks: Option<Verifier> = None;
        for (secrets, Assignment { protocol, places, .. }) in secrets.iter_mut().zip(assignments) {
            let pairs = secrets.as_mut().map(Secrets::take_pairs).unwrap_or_default();
            checks = Some(match checks {
                Some(checks) => checks.and(places, pairs),
                None => Verifier::new(*protocol, places, id.clone(), pairs),
            });
        }
        let checks = checks.ok_or_else(|| EvaluateError::Bug("no assignment of roles".into()))?;
        Ok(SetUp { secrets, workers, checks })
    }

    /// Keys of programs for all workers, those of the first assignment first. This party plays a role in each.
    pub fn ring_keys(&mut self) -> Result<Vec<RingKeys>, EvaluateError> {
        let workers = self.workers;
        let mut all = Vec::new();
        for secrets in &mut self.secrets {
            let secrets = secrets.as_mut();
            let secrets = secrets.ok_or_else(|| EvaluateError::Bug("no keys".into()))?;
            all.extend(RingKeys::new(secrets, workers));
        }
        Ok(all)
    }

    /// Keys of all workers, those of the first assignment first.
    pub fn keys(&mut self, purpose: &str, ring_bits: u32) -> Vec<Option<Keys>> {
        let workers = self.workers;
        let of = |secrets: &mut Option<Secrets>| -> Vec<Option<Keys>> {
            match secrets {
                Some(secrets) => {
                    secrets.keys(purpose, ring_bits, workers).into_iter().map(Some).collect()
                }
                None => (0..workers).map(|_| None).collect(),
            }
        };
        self.secrets.iter_mut().flat_map(of).collect()
    }
}
