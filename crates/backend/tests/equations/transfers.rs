//! Views of whole tiny computations, with the code that moves values: two inputs, early and late,
//! their product, and its opening.

use crate::gates::opened;
use crate::lanes::{Scene, Stage, assert_told_alone, constant, leaks, views};
use tacit_backend::protocols::{ASTRA, MULTI_FAN_IN, PLAIN, REPLICATED, TRIO};
use tacit_circuit::schedule::Product;
use tacit_ring::Z2;
use tacit_sharing::products::{self, Scratch};
use tacit_sharing::transfer::{self, Input, TransferScratch};
use tacit_sharing::{Protocol, Role, RoleId, RoleVisitor, Shares, Timing};

/// `xy` of two inputs; bit 0 of the secrets is x.
struct Transfers<'a> {
    protocol: Protocol,
    owners: [RoleId; 2],
    timing: Timing,
    secrets: usize,
    receivers: &'a [RoleId],
}

/// The words drawn for an owner's input, and per product, under the key with the next.
struct Drawn(RoleId, Timing);
impl RoleVisitor for Drawn {
    type Out = [u32; 2];
    fn visit<P: Role>(self) -> Self::Out {
        [u32::from(P::input_draws(self.0, self.1)[0]), P::DRAWS[0] as u32]
    }
}

impl Transfers<'_> {
    /// What a role knows by right: its inputs, and the product if it is a receiver.
    fn told(&self, role: RoleId, secrets: usize) -> u64 {
        let mine = (0..2).filter(|i| self.owners[*i] == role).map(|i| secrets & 1 << i);
        let learns = self.receivers.contains(&role) && secrets == 3;
        (mine.sum::<usize>() | usize::from(learns) << 2) as u64
    }
}

impl Scene for Transfers<'_> {
    fn free(&self) -> u32 {
        0
    }

    fn draws(&self) -> [u32; 3] {
        [0, 1, 2].map(|key| {
            let drawn =
                |owner| tacit_backend::visit::visit(self.protocol, key, Drawn(owner, self.timing));
            drawn(0)[1] + self.owners.iter().map(|owner| drawn(*owner)[0]).sum::<u32>()
        })
    }

    fn play<P: Role>(&self, stage: &mut Stage<'_, '_>) {
        let mut shares = Shares::<Z2>::new(3, stage.words);
        for (slot, owner) in (0..2).zip(self.owners) {
            let values = constant((self.secrets >> slot & 1) as u64, stage.words);
            let slots = [slot];
            let input = Input { owner, timing: self.timing, slots: &slots, values: &values };
            let (party, draws) = (&mut stage.party, &mut stage.draws);
            let mut scratch = TransferScratch::default();
            transfer::input_begin::<P, Z2>(party, draws, &mut scratch, &mut shares, input).unwrap();
            transfer::input_finish::<P, Z2>(party, &mut scratch, &mut shares, input).unwrap();
        }
        let product = [Product { dst: 2, a: 0, b: 1 }];
        let mut scratch = Scratch::default();
        let (party, draws) = (&mut stage.party, &mut stage.draws);
        products::begin::<P, Z2>(party, draws, &mut scratch, &mut shares, &product).unwrap();
        products::finish::<P, Z2>(party, draws, &mut scratch, &mut shares, &product).unwrap();
        for slot in 0..3 {
            let (first, second) = shares.get(slot);
            stage.seen.extend([first.to_vec(), second.to_vec()]);
        }
        let opened = opened::<P>(stage, &shares, self.receivers, &[2]);
        for column in &opened {
            assert!(*column == constant(u64::from(self.secrets == 3), stage.words));
        }
        stage.seen.extend(opened);
    }
}

const PROTOCOLS: [Protocol; 4] = [TRIO, ASTRA, REPLICATED, MULTI_FAN_IN];

/// Every pair of owners.
fn owners() -> impl Iterator<Item = [RoleId; 2]> {
    (0..9).map(|pair| [pair / 3, pair % 3])
}

#[test]
fn roles_see_their_inputs_and_outputs_alone() {
    for protocol in PROTOCOLS {
        for owners in owners() {
            for timing in [Timing::Early, Timing::Late] {
                for receivers in [&[] as &[RoleId], &[0], &[1], &[2], &[0, 1, 2]] {
                    let scene =
                        |secrets| Transfers { protocol, owners, timing, secrets, receivers };
                    let all: Vec<_> =
                        (0..4).map(|secrets| views(protocol, &scene(secrets), None)).collect();
                    let told = |role, secrets| scene(0).told(role, secrets);
                    let label = format!("{protocol} {owners:?} {timing:?} to {receivers:?}");
                    assert_told_alone(&all, told, &label);
                }
            }
        }
    }
}

/// The test sees the leak of the baseline, whose computing party gets all inputs in the clear.
#[test]
fn the_trusted_party_sees_inputs() {
    let protocol = PLAIN;
    let scene = |secrets| Transfers {
        protocol,
        owners: [0, 1],
        timing: Timing::Early,
        secrets,
        receivers: &[],
    };
    let all: Vec<_> = (0..4).map(|secrets| views(protocol, &scene(secrets), None)).collect();
    let found = leaks(&all, |role, secrets| scene(0).told(role, secrets));
    assert!(!found.is_empty() && found.iter().all(|(role, ..)| *role == 2));
}
