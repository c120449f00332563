//! Circuits that go on from each other, however their parts are shared and multiplied: a wire that goes on has the
//! same zero labels, and the same shares of its mask, under the same offsets; gates have further numbers.

use super::common::Ready;
use crate::bmr::LabelFunction;
pub use crate::chain::Blocks;
use crate::chain::{ChainOf, GoesOn};
use crate::garbler::{AnyWorker, Terms};
use crate::ports::KEPT;
use crate::worker;
use crate::{Ports, Streaming};
use tacit_net::{Mesh, PartyId};
use tacit_sharing::SharingError;
use zeroize::Zeroizing;

/// A worker of a party, in one of the forms of BMR.
pub trait Worker {
    /// Blocks of a wire.
    fn width(&self) -> usize;

    /// The underlying channels.
    fn mesh(&mut self) -> &mut Mesh;

    /// Hides rows by a function of labels, which all parties agree on; where this is not called, by the default one.
    fn set_label_function(&mut self, function: LabelFunction);

    /// Garbles a circuit for some instances, each of which goes on from wires that are as many as it takes; gives those
    /// that it keeps.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError>;
}

/// Any worker of a party.
pub type AnyBmr<'m> = Box<dyn Worker + Send + 'm>;

/// The wires of inputs that go on, set to what a circuit before kept; `sources` are those of all inputs, and more.
pub(crate) fn go_on(ports: Ports<'_>, width: usize, sources: &mut [u128], from: &[u128]) {
    let kept = sources.chunks_exact_mut(width).zip(ports.owners()).filter(|(_, it)| *it == KEPT);
    kept.zip(from.chunks_exact(width)).for_each(|((wire, _), from)| wire.copy_from_slice(from));
}

impl GoesOn for AnyBmr<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        Worker::mesh(&mut **self)
    }

    fn width(&self) -> usize {
        Worker::width(&**self)
    }

    fn garble_on(
        &mut self,
        ports: Ports<'_>,
        from: &[Blocks],
    ) -> Result<(Ready, Vec<Blocks>), SharingError> {
        Worker::garble_on(&mut **self, ports, from)
    }
}

impl worker::Garbling for AnyBmr<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        Worker::mesh(&mut **self)
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        Ok(self.prepare_on(ports, &vec![Zeroizing::default(); instances])?.0)
    }

    fn streaming<'m>(self, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: 'm,
    {
        Ok(Streaming::ByCircuits(Box::new(ChainOf::new(self, places)?)))
    }
}

/// A worker that hides rows as parties have agreed.
pub(crate) fn agreed<'m>(
    mut worker: impl Worker + Send + 'm,
    terms: &Terms,
) -> Box<dyn AnyWorker<'m> + 'm> {
    worker.set_label_function(terms.label_function);
    let worker: AnyBmr<'m> = Box::new(worker);
    Box::new(worker)
}
