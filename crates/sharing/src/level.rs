//! One level of a circuit: its products of two factors and its polynomial gates, on bits.

use crate::RoleVisitor;
use crate::SharingError;
use crate::balance::LevelMix;
use crate::multi_fan_in::plan::PolyPlan;
use crate::multi_fan_in::wide::{self, WideScratch};
use crate::party::{Draws, Party};
use crate::products::{self, Scratch};
use crate::role::Role;
use crate::shares::Shares;
use tacit_circuit::schedule::{Product, Schedule, Wide};
use tacit_ring::Z2;

/// A level of a schedule.
#[derive(Clone, Copy)]
pub struct Level<'c> {
    schedule: &'c Schedule,
    /// Layouts of the schedule's polynomials.
    plans: &'c [PolyPlan],
    number: usize,
    /// In which way each product is made, if there are several.
    mix: Option<&'c LevelMix>,
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
        Level { schedule, plans, number, mix: None }
    }

    /// Makes the products of this level in several ways, as `mix` says.
    #[must_use]
    pub fn mixed(self, mix: Option<&'c LevelMix>) -> Self {
        Level { mix, ..self }
    }

    /// Products of two factors.
    #[must_use]
    pub fn products(self) -> usize {
        self.schedule.products(self.number).len()
    }

    /// Its polynomial gates.
    pub fn gates(self) -> impl Iterator<Item = wide::Gate<'c>> {
        self.schedule.wide(self.number).iter().map(move |gate| self.gate(gate))
    }

    /// In which way each product is made, if there are several.
    #[must_use]
    pub fn mix(self) -> Option<&'c LevelMix> {
        self.mix
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
        if let Some(mix) = self.mix {
            return self.in_ways::<P>(mix, Stage::Begin, (party, draws, scratch, shares));
        }
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
        if let Some(mix) = self.mix {
            return self.in_ways::<P>(mix, Stage::Finish, (party, draws, scratch, shares));
        }
        let gates = self.schedule.products(self.number);
        products::finish::<P, Z2>(party, draws, &mut scratch.products, shares, gates)?;
        for gate in self.schedule.wide(self.number) {
            wide::finish::<P, Z2>(party, draws, &mut scratch.wide, shares, self.gate(gate))?;
        }
        Ok(())
    }

    /// Takes products through a stage, run by run, and then gate by gate: each in its way.
    fn in_ways<P: Role>(
        self,
        mix: &LevelMix,
        stage: Stage,
        (party, draws, scratch, shares): At<'_, '_, '_>,
    ) -> Result<(), SharingError> {
        let mut rest = self.schedule.products(self.number);
        for (way, products) in &mix.products {
            let (gates, others) = rest.split_at(*products);
            rest = others;
            let at = (&mut *party, &mut *draws, &mut *scratch, &mut *shares);
            P::in_way(*way, InWay { stage, gates: Gates::Products(gates), at })?;
        }
        for (gate, way) in self.schedule.wide(self.number).iter().zip(&mix.wide) {
            let at = (&mut *party, &mut *draws, &mut *scratch, &mut *shares);
            P::in_way(*way, InWay { stage, gates: Gates::Wide(self.gate(gate)), at })?;
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

#[derive(Clone, Copy)]
enum Stage {
    Begin,
    Finish,
}

/// What products are made with.
type At<'a, 'm, 'k> =
    (&'a mut Party<'m>, &'a mut Draws<'k>, &'a mut LevelScratch, &'a mut Shares<Z2>);

/// Gates that are made in the same way.
enum Gates<'c> {
    Products(&'c [Product]),
    Wide(wide::Gate<'c>),
}

/// A stage of some gates, for the role that makes them.
struct InWay<'a, 'm, 'k, 'c> {
    stage: Stage,
    gates: Gates<'c>,
    at: At<'a, 'm, 'k>,
}

impl RoleVisitor for InWay<'_, '_, '_, '_> {
    type Out = Result<(), SharingError>;

    fn visit<P: Role>(self) -> Self::Out {
        let (party, draws, LevelScratch { products, wide }, shares) = self.at;
        match (self.gates, self.stage) {
            (Gates::Products(gates), Stage::Begin) => {
                products::begin::<P, Z2>(party, draws, products, shares, gates)
            }
            (Gates::Products(gates), Stage::Finish) => {
                products::finish::<P, Z2>(party, draws, products, shares, gates)
            }
            (Gates::Wide(gate), Stage::Begin) => {
                wide::begin::<P, Z2>(party, draws, wide, shares, gate)
            }
            (Gates::Wide(gate), Stage::Finish) => {
                wide::finish::<P, Z2>(party, draws, wide, shares, gate)
            }
        }
    }
}
