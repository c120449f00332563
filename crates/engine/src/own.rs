//! Protocols of three parties that are in no list: [`ThreeRoles`] says what one is, and [`protocol`] makes a
//! [`Protocol`] of it, which runs as those of the list do.

use crate::circuit::roles::{CircuitRole, CircuitRoles};
use std::any::Any;
use std::marker::PhantomData;
use tacit_backend::own::{Parts, waits_for_nobody};
use tacit_protocol::{
    Descriptor, Family, Form, OwnRoles, Parties, Protocol, RoleFacts, RoleId, Security, Status,
};
use tacit_sharing::role::Canonical;

/// A protocol of three parties of which one may be curious: its name, its shares, and the type of each of its roles.
pub trait ThreeRoles: 'static {
    /// The name in reports, and in what parties compare before they start: small letters, digits and dashes. It is the only thing that
    /// they compare of a protocol, so one that sends anything else than before, or computes with it in another way, takes another name.
    const NAME: &'static str;
    /// What the two words of every role's share are made of, by role. A value is the sum of three components, and role `j`
    /// lacks component `j`: `[1, 0, -1, 0]` is component 0 less component 2. The fourth factor is always zero.
    const SHARES: [&'static [Form]; 3];
    /// The type of a role.
    type Role<const R: RoleId>: Canonical;
}

/// The protocol of these roles, as a value: semi-honest, of three parties. Make a constant of it, which is what the roles have as their
/// [`Role::PROTOCOL`](tacit_sharing::Role::PROTOCOL).
///
/// # Panics
/// Where the name is none, or a constant of a role is none that a role can have. In a constant this is an error of the compiler.
#[must_use]
pub const fn protocol<T: ThreeRoles>() -> Protocol {
    check_name(T::NAME);
    Protocol::new(Described::<T>::DESCRIPTOR)
}

type Backend<T> =
    Parts<<T as ThreeRoles>::Role<0>, <T as ThreeRoles>::Role<1>, <T as ThreeRoles>::Role<2>>;

struct Described<T>(PhantomData<T>);

impl<T: ThreeRoles> Described<T> {
    const CIRCUITS: &'static CircuitRoles = &CircuitRoles([
        CircuitRole::of::<T::Role<0>>(),
        CircuitRole::of::<T::Role<1>>(),
        CircuitRole::of::<T::Role<2>>(),
    ]);
    const PARTS: &'static [&'static (dyn Any + Send + Sync)] =
        &[Backend::<T>::CHECKS, Backend::<T>::COSTS, Backend::<T>::WORKERS, Self::CIRCUITS];
    const OFFLINE: Option<RoleId> = match [
        waits_for_nobody::<T::Role<0>>(),
        waits_for_nobody::<T::Role<1>>(),
        waits_for_nobody::<T::Role<2>>(),
    ] {
        [true, false, false] => Some(0),
        [false, true, false] => Some(1),
        [false, false, true] => Some(2),
        [false, false, false] => None,
        _ => panic!("two roles receive nothing for a product"),
    };
    const FACTS: RoleFacts = RoleFacts {
        shares: &T::SHARES,
        offline_role: Self::OFFLINE,
        // Whoever deals masks should wait for nobody.
        dealer: match Self::OFFLINE {
            Some(role) => role,
            None => 0,
        },
        sends_result: false,
        rings: true,
        checks: None,
    };
    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        name: T::NAME,
        page: "",
        best_for: "where whoever wrote it says",
        parties: Parties::Exactly(3),
        security: Security::SemiHonest,
        status: Status::Product,
        fan_in: 2,
        family: Family::OwnRoles(Self::FACTS, OwnRoles::new(Self::PARTS)),
    };
}

const fn check_name(name: &str) {
    let bytes = name.as_bytes();
    assert!(!bytes.is_empty() && bytes.len() <= 40, "a name of a protocol has 1 to 40 characters");
    let mut at = 0;
    while at < bytes.len() {
        let fits = matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-');
        assert!(fits, "a name of a protocol has small letters, digits and dashes");
        at += 1;
    }
}
