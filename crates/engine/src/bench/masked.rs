//! ANDs on masked values: preprocessing and evaluation in turn.

use super::worker::{OWNER, Work};
use super::{Measured, Plan, Run, Seat};
use crate::circuit::EvaluateError;
use std::sync::Arc;
use std::time::Instant;
use tacit_backend::GmwBits;
use tacit_backend::{Bits, Planes};
use tacit_circuit::{Builder, Circuit};
use tacit_gmw::{Correlations, Gmw, WorkerKeys};
use tacit_net::{PartyId, Session};
use tacit_ring::{Entropy, Z2};
use tacit_sharing::verify::{Pass, Verifier};
use tacit_sharing::{Party, SharingError};

pub(super) fn run(
    session: &mut Session,
    plan: &Plan,
    id: &[u8],
    entropy: &mut Entropy,
    started: Instant,
) -> Result<Measured, EvaluateError> {
    let places = &plan.assignments[0].places;
    let method = tacit_gmw::Method::of(plan.protocol());
    let method = method.ok_or_else(|| EvaluateError::Bug("products of another protocol".into()))?;
    let mesh = &mut session.meshes[0];
    let mut all = Correlations::for_products(mesh, id, places, method, entropy)?;
    let setup_seconds = started.elapsed().as_secs_f64();
    let shares = plan.shares();
    let mut builder = Builder::new();
    let (a, b) = (builder.input(1), builder.input(1));
    let and = builder.and2(a[0], b[0]);
    builder.output(&[and]);
    let circuit = Arc::new(builder.finish());
    let seat = |words: &usize| {
        let masked = Masked {
            keys: Some(all.worker()),
            places,
            circuit: circuit.clone(),
            words: *words,
            planes: Vec::new(),
        };
        Seat { work: Some(Box::new(masked)), places, proofs: None }
    };
    let mut workers: Vec<Seat<'_>> = shares.iter().map(seat).collect();
    let checks = Verifier::new(plan.protocol(), places, id.to_vec(), Vec::new());
    let measured = Run { session, plan, checks }.measure::<Z2>(&mut workers, &shares)?;
    Ok(Measured { setup_seconds, ..measured })
}

/// One worker's planes: two factors, and their product.
struct Masked<'a> {
    keys: Option<WorkerKeys>,
    places: &'a [PartyId],
    circuit: Arc<Circuit>,
    words: usize,
    planes: Vec<Planes>,
}

impl Masked<'_> {
    fn with<T>(
        &mut self,
        party: &mut Party<'_>,
        work: impl FnOnce(&mut Self, &mut GmwBits<'_>) -> Result<T, SharingError>,
    ) -> Result<T, SharingError> {
        let keys = self.keys.take();
        let keys = keys.ok_or_else(|| SharingError::Shape("a worker without keys".into()))?;
        let mut bits = GmwBits::new(Gmw::new(party.mesh(), self.places, keys)?);
        let result = work(self, &mut bits)?;
        self.keys = bits.leave().leave();
        Ok(result)
    }

    /// The words of a factor.
    fn values(&self, factor: u64) -> Vec<Z2> {
        (0..self.words as u64).map(|i| Z2((2 * i + factor + 1).wrapping_mul(STEP))).collect()
    }
}

/// Spreads numbers over all bits of a word.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Work for Masked<'_> {
    fn prepare(&mut self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let mine = party.role() == OWNER;
        for factor in 0..2 {
            let values = mine.then(|| self.values(factor));
            let planes = self.with(party, |it, bits| {
                bits.input_planes(OWNER, values.as_deref(), 1, it.words * 64)
            })?;
            self.planes.push(planes);
        }
        Ok(())
    }

    fn pass(&mut self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let product = self.with(party, |it, bits| {
            let circuit = bits.circuits().layered(&it.circuit);
            bits.circuit(&circuit, &[&it.planes[0], &it.planes[1]])
        })?;
        self.planes.truncate(2);
        self.planes.extend(product);
        Ok(())
    }

    fn check(&mut self, party: &mut Party<'_>, _: &Pass) -> Result<(), SharingError> {
        let opened = self.with(party, |it, bits| bits.open_planes(&it.planes[2], &[OWNER]))?;
        let (a, b) = (self.values(0), self.values(1));
        let wrong = |opened: &[Z2]| (0..self.words).any(|i| opened[i].0 != a[i].0 & b[i].0);
        match opened {
            Some(opened) if wrong(&opened) => {
                Err(SharingError::Shape("the first result is wrong".into()))
            }
            _ => Ok(()),
        }
    }
}
