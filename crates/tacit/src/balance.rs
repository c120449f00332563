//! How products of one assignment of roles are divided between the ways to make them.

use crate::error::{Error, Result};
use crate::roles::{Choice, Roles, measured};
use std::fmt;
use std::str::FromStr;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Assignment, Job};
use tacit_net::PartyId;
use tacit_net::probe::LinkProbe;
use tacit_planner::{Balanced, Network, Weights, balance_circuit, balance_products, orders};
use tacit_sharing::Protocol;
use tacit_sharing::balance::{Balance, BalanceError, Way};

/// How products are divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Balancing {
    /// All are made as the protocol does.
    #[default]
    None,
    /// By weights that fit the links.
    Auto,
    /// By the weights of named ways.
    Given(Vec<(String, u32)>),
}

impl FromStr for Balancing {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Balancing, String> {
        match text.trim() {
            "none" => Ok(Balancing::None),
            "auto" => Ok(Balancing::Auto),
            given => given
                .split(',')
                .map(weight)
                .collect::<std::result::Result<_, _>>()
                .map(Balancing::Given),
        }
    }
}

fn weight(text: &str) -> std::result::Result<(String, u32), String> {
    let weight = text.split_once('=').and_then(|(name, weight)| {
        Some((name.trim().to_owned(), weight.trim().parse().ok()?)).filter(|(n, _)| !n.is_empty())
    });
    weight.ok_or_else(|| "write auto, none, or ways with whole weights such as a=2,het=1".into())
}

impl fmt::Display for Balancing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Balancing::None => f.write_str("none"),
            Balancing::Auto => f.write_str("auto"),
            Balancing::Given(weights) => {
                let weights = weights.iter().map(|(name, weight)| format!("{name}={weight}"));
                f.write_str(&weights.collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn refused(error: BalanceError) -> Error {
    Error::input(format!("--balance: {error}"))
}

impl Balancing {
    /// Whether anything is asked for.
    pub fn is_none(&self) -> bool {
        *self == Balancing::None
    }

    /// Refuses what it is not for.
    pub fn check(&self, protocol: Protocol, roles: Option<&Roles>, mix: &[Protocol]) -> Result<()> {
        if self.is_none() {
            return Ok(());
        }
        let one = match roles {
            None | Some(Roles::Auto) => true,
            Some(Roles::Given(given)) => given.len() == 1,
            Some(Roles::Split) => false,
        };
        if !one || !mix.is_empty() {
            return Err(Error::input(
                "not supported: --balance divides the products of one assignment of roles; leave \
                 out --mix, and name one in --roles, or say --roles auto",
            ));
        }
        if Way::all(protocol).is_empty() {
            return Err(refused(BalanceError::NoWays(protocol)));
        }
        self.given(protocol).map(drop)
    }

    /// The weights that are given, if they are.
    pub fn given(&self, protocol: Protocol) -> Result<Option<Balance>> {
        let Balancing::Given(weights) = self else { return Ok(None) };
        let weights = weights.iter().map(|(name, weight)| (name.as_str(), *weight));
        Balance::of(protocol, weights).map(Some).map_err(refused)
    }

    /// Puts the weights that are given into an assignment.
    pub fn put(&self, assignment: &mut Assignment) -> Result<()> {
        if let Some(balance) = self.given(assignment.protocol)? {
            *assignment = assignment.clone().balanced(balance);
        }
        Ok(())
    }

    /// The best assignment of a circuit's job: with these weights or the best ones, and the job's roles or, if
    /// they are to be chosen, the best ones.
    pub fn for_circuit(
        &self,
        network: &Network,
        circuit: &Circuit,
        job: &Job,
        roles: Option<&Roles>,
    ) -> Result<Balanced> {
        let (protocol, orders) = asked(&job.options.assignments[0], network.parties(), roles);
        let given = self.given(protocol)?;
        let weights = given.as_ref().map_or(Weights::Best, Weights::Given);
        Ok(balance_circuit(network, circuit, job, (protocol, &orders), weights)?)
    }

    /// The best assignment for products alone: with these weights or the best ones, and with the roles of `assignment`
    /// or, if they are to be chosen, the best ones.
    pub fn for_products(
        &self,
        network: &Network,
        assignment: &Assignment,
        roles: Option<&Roles>,
    ) -> Result<Balanced> {
        let (protocol, orders) = asked(assignment, network.parties(), roles);
        let given = self.given(protocol)?;
        let weights = given.as_ref().map_or(Weights::Best, Weights::Given);
        let chosen = balance_products(network, (protocol, &orders), 8, weights);
        chosen.map_err(|e| Error::input(e.to_string()))
    }
}

/// The protocol that is asked for, and the orders of parties to choose from.
fn asked(
    assignment: &Assignment,
    parties: usize,
    roles: Option<&Roles>,
) -> (Protocol, Vec<Vec<PartyId>>) {
    let orders = match roles {
        Some(Roles::Auto) => orders(parties, assignment.protocol.parties()),
        _ => vec![assignment.places.clone()],
    };
    (assignment.protocol, orders)
}

/// Puts the best assignment for measured links into a job.
pub fn choose_for_links(
    balance: &Balancing,
    job: &mut Job,
    circuit: &Circuit,
    roles: Option<&Roles>,
    probes: &[LinkProbe],
) -> Result<Choice> {
    let network = Network::measured(job.protocol().parties(), probes);
    let chosen = balance.for_circuit(&network, circuit, job, roles)?;
    job.options.assignments = vec![chosen.assignment];
    Ok(Choice {
        seconds: chosen.seconds,
        single_seconds: chosen.plain_seconds,
        balanced: true,
        links: measured(probes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str) -> Protocol {
        tacit_engine::protocols::named(name).expect("a protocol")
    }

    #[test]
    fn weights_are_read() {
        assert_eq!("none".parse(), Ok(Balancing::None));
        assert_eq!(" auto".parse(), Ok(Balancing::Auto));
        let given: Balancing = "a=2, het=1".parse().unwrap();
        assert_eq!(given.to_string(), "a=2,het=1");
        for nonsense in ["", "a", "a=", "=1", "a=-1", "a=0.5", "a=1,,het=1", "a=1;het=2"] {
            assert!(nonsense.parse::<Balancing>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn what_cannot_be_balanced_is_refused() {
        let given: Balancing = "a=2,het=1".parse().unwrap();
        let check = |protocol, roles: Option<&str>, mix: &[Protocol]| {
            let roles = roles.map(|roles| roles.parse::<Roles>().unwrap());
            given.check(protocol, roles.as_ref(), mix)
        };
        assert!(check(parsed("quad"), Some("auto"), &[]).is_ok());
        assert!(check(parsed("quad"), Some("3,2,1,0"), &[]).is_ok());
        for (protocol, roles, mix) in [
            (parsed("quad"), Some("split"), &[][..]),
            (parsed("quad"), Some("0,1,2,3;3,2,1,0"), &[]),
            (parsed("quad"), Some("auto"), &[parsed("quad-het")]),
            (parsed("tetrad"), None, &[]),
            (parsed("trio"), None, &[]),
        ] {
            let roles: Option<&str> = roles;
            assert!(check(protocol, roles, mix).is_err(), "{protocol} {roles:?}");
        }
        let mut assignment = Assignment::in_order(parsed("quad"));
        given.put(&mut assignment).unwrap();
        assert_eq!(assignment.to_string(), "quad-a 0,1,2,3 x1 by a=2,het=1");
    }
}
