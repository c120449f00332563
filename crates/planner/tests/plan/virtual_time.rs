//! Predictions beside virtual time: the protocols themselves, on a network that is not there.

use super::{circuit, compiled};
use std::time::Duration;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{Compiled, Job, Preprocessing, rehearse};
use tacit_engine::protocols::{
    self, BMR, BMR_REPLICATED, BMR_SHAMIR, GMW, GMW_STAR, GMW_WIDE, HALF_GATES, LIFT, QUAD,
    REPLICATED, TRIO, YAO, YAO_THREE,
};
use tacit_garbling::bmr::Opening;
use tacit_net::LinkProfile;
use tacit_net::memory::MemoryNetwork;
use tacit_planner::{Calibration, Network, of_circuit};
use tacit_sharing::Protocol;

/// Seconds from the start until the last party has its outputs.
fn virtual_seconds(circuit: &Circuit, compiled: &Compiled, link: LinkProfile) -> f64 {
    let network = MemoryNetwork::uniform(link);
    let reports = rehearse(compiled, circuit.input_widths(), &network).expect("runs");
    let all = reports.iter().map(|r| r.cost.total_seconds());
    all.fold(0.0, f64::max)
}

fn predicted_seconds(compiled: &Compiled, link: LinkProfile) -> f64 {
    let network = Network::described(compiled.job().protocol().parties(), |_, _| link);
    let costs = of_circuit(compiled);
    costs.phases().map(|it| it.seconds(&network, &Calibration::FREE, 1).total()).iter().sum()
}

/// Links that take a second and carry as much as you like.
const FAR: LinkProfile = LinkProfile { delay: Duration::from_secs(1), bits_per_second: None };

/// What is wrong with the number of steps, if anything is.
fn wrong_steps(circuit: &Circuit, compiled: &Compiled) -> Option<String> {
    let [found, predicted] =
        [virtual_seconds(circuit, compiled, FAR), predicted_seconds(compiled, FAR)];
    let protocol = compiled.job().protocol();
    // A step more or less where one of two is not on everybody's way.
    ((found - predicted).abs() > 1.5).then(|| format!("{protocol}: {predicted:.0}, not {found:.0}"))
}

/// Those that differ on circuits, for so many parties. What wide ANDs take ahead this circuit of ANDs of two inputs
/// does not.
fn of(parties: usize) -> impl Iterator<Item = Protocol> {
    let all = protocols::on_bits().map(move |protocol| protocol.fitting(parties));
    all.filter(|protocol| !protocol.is(GMW_WIDE))
}

/// Whether preprocessing comes first: what roles send ahead is sent beside the rest.
fn first(protocol: Protocol) -> bool {
    !protocol.has_roles()
}

#[test]
fn steps_are_those_of_virtual_time() {
    let circuit = circuit(24, 4, 2, [8, 4]);
    let more = of(2).filter(|it| it.parties() == 2 && it.takes_any_number());
    let strong = protocols::strong().filter(|it| it.parties() == 3);
    let wrong = of(3).chain(more).chain(strong).filter_map(|protocol| {
        wrong_steps(&circuit, &compiled(&circuit, protocol, 1, first(protocol)))
    });
    assert_eq!(wrong.collect::<Vec<String>>(), [""; 0]);
}

#[test]
fn steps_are_those_of_every_opening() {
    let circuit = circuit(24, 4, 2, [8, 4]);
    for protocol in [BMR.fitting(3), BMR_SHAMIR.fitting(3), BMR_REPLICATED] {
        for opening in Opening::ALL {
            let mut job = super::job(&circuit, protocol, 1);
            (job.options.opening, job.options.preprocessing) =
                (Some(opening), Preprocessing::Separate);
            let compiled = Compiled::new(&circuit, Job { ..job }).unwrap();
            assert_eq!(wrong_steps(&circuit, &compiled), None, "{opening:?}");
        }
    }
}

/// With latency and bandwidth: within a fifth, as protocols send while they wait.
#[test]
fn times_are_those_of_virtual_time() {
    let circuit = circuit(2000, 20, 2, [64, 64]);
    let mut wrong = Vec::new();
    for (milliseconds, megabits) in [(1, 100), (40, 100), (10, 10)] {
        let link = LinkProfile {
            delay: Duration::from_millis(milliseconds),
            bits_per_second: Some(megabits * 1_000_000),
        };
        for protocol in [
            TRIO,
            REPLICATED,
            LIFT,
            QUAD,
            GMW.fitting(2),
            GMW.fitting(4),
            GMW_STAR.fitting(3),
            BMR.fitting(3),
            HALF_GATES.fitting(2),
            HALF_GATES.fitting(4),
            BMR_SHAMIR.fitting(5),
            BMR_REPLICATED,
            YAO,
            YAO_THREE,
        ] {
            let compiled = compiled(&circuit, protocol, 64, first(protocol));
            let found = virtual_seconds(&circuit, &compiled, link);
            let predicted = predicted_seconds(&compiled, link);
            if !(0.8..1.25).contains(&(predicted / found)) {
                wrong.push(format!("{protocol}, {milliseconds} ms: {predicted} s, not {found} s"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}
