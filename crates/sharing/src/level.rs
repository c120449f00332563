//! One level of a circuit: its products of two factors and its polynomial gates, on bits.

use crate::cost::{self, Traffic};
use crate::multi_fan_in::plan::PolyPlan;
use crate::multi_fan_in::wide::{self, WideScratch};
use crate::party::{Draws, Party, SharingError};
use crate::products::{self, Scratch};
use crate::registry::Protocol;
use crate::role::Role;
use crate::shares::Shares;
use tacit_circuit::schedule::{Schedule, Wide};
use tacit_ring::Z2;

/// A level of a schedule.
#[derive(Clone, Copy)]
pub struct Level<'c> {
    schedule: &'c Schedule,
    /// Layouts of the schedule's polynomials.
    plans: &'c [PolyPlan],
    number: usize,
}

/// Buffers that are reused from level to level.
#[derive(Default)]
pub struct LevelScratch {
    products: Scratch<Z2>,
    wide: WideScratch<Z2>,
}

impl<'c> Level<'c> {
    /// Level `number`, with the layouts of the schedule's polynomials.
    #[must_use]
    pub fn new(schedule: &'c Schedule, plans: &'c [PolyPlan], number: usize) -> Self {
        Level { schedule, plans, number }
    }

    /// Products of two factors.
    #[must_use]
    pub fn products(self) -> usize {
        self.schedule.products(self.number).len()
    }

    /// 64-lane words that the products cost per word of lanes.
    #[must_use]
    pub fn traffic(self, protocol: Protocol) -> Traffic {
        let products = self.schedule.products(self.number).len() as u64;
        let start = cost::product(protocol) * products;
        self.schedule.wide(self.number).iter().fold(start, |sum, gate| {
            sum + cost::polynomial(protocol, &self.plans[gate.poly as usize])
        })
    }

    /// Computes the local terms and sends the messages.
    ///
    /// # Errors
    /// When the network fails.
    pub fn begin<P: Role>(
        self,
        party: &mut Party<'_>,
        draws: &mut Draws<'_>,
        scratch: &mut LevelScratch,
        shares: &mut Shares<Z2>,
    ) -> Result<(), SharingError> {
        let gates = self.schedule.products(self.number);
        products::begin::<P, Z2>(party, draws, &mut scratch.products, shares, gates)?;
        for gate in self.schedule.wide(self.number) {
            wide::begin::<P, Z2>(party, draws, &mut scratch.wide, shares, self.gate(gate))?;
        }
        Ok(())
    }

    /// Receives the messages and completes the products.
    ///
    /// # Errors
    /// When the network fails.
    pub fn finish<P: Role>(
        self,
        party: &mut Party<'_>,
        draws: &mut Draws<'_>,
        scratch: &mut LevelScratch,
        shares: &mut Shares<Z2>,
    ) -> Result<(), SharingError> {
        let gates = self.schedule.products(self.number);
        products::finish::<P, Z2>(party, draws, &mut scratch.products, shares, gates)?;
        for gate in self.schedule.wide(self.number) {
            wide::finish::<P, Z2>(party, draws, &mut scratch.wide, shares, self.gate(gate))?;
        }
        Ok(())
    }

    fn gate(self, gate: &'c Wide) -> wide::Gate<'c> {
        wide::Gate {
            plan: &self.plans[gate.poly as usize],
            inputs: self.schedule.wide_inputs(gate),
            outputs: self.schedule.wide_outputs(gate),
        }
    }
}
