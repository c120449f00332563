//! What is said about every protocol before it runs: security, costs, latencies, work, memory. Compared with a golden
//! file, a protocol a line.

mod common;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use tacit_backend::cost::{self, Traffic};
use tacit_backend::latencies::{OF_RESULTS, checks, levels};
use tacit_engine::circuit::{Compiled, Job, Preprocessing, memory, predict, predict_ahead};
use tacit_engine::protocols;
use tacit_garbling::bmr::Opening;
use tacit_net::PartyId;
use tacit_planner::{latencies, of_circuit};
use tacit_sharing::{Protocol, Timing};
use tacit_testkit::check;

fn traffic(traffic: &Traffic) -> Value {
    json!(format!("{traffic:?}"))
}

/// What it is.
fn identity(protocol: Protocol) -> Value {
    json!({
        "name": protocol.name(),
        "parties": protocol.parties(),
        "any_number": protocol.takes_any_number(),
        "sizes": Vec::from([0, 2, 3, 4, 5, 64].map(|parties| protocol.fitting(parties).to_string())),
        "security": format!("{:?}", protocol.security()),
        "trust": protocol.security().trust(protocol.parties()),
        "for_comparison": protocol.for_comparison(),
        "checked": protocol.is_checked(),
        "malicious": protocol.is_malicious(),
        "proving": named(&format!("{:?}", tacit_proof::Proving::of(protocol))),
        "soundness": protocol.soundness(),
        "roles": protocol.has_roles(),
        "unlike_roles": protocol.has_unlike_roles(),
        "gmw": named(&format!("{:?}", tacit_gmw::Method::of(protocol))),
        "garbles": protocol.garbles(),
        "one_garbles": protocol.one_garbles(),
        "yao": protocol.is_yao(),
        "transfers": protocol.has_transfers(),
        "silent": protocol.is_silent(),
        "authenticates": protocol.authenticates(),
        "opens_tables": protocol.opens_tables(),
        "opening": format!("{:?}", protocol.opening()),
        "components": protocol.components(),
        "rings": protocol.has_rings(),
        "fan_in": protocol.fan_in(),
        "ahead": protocol.ahead(),
    })
}

/// What its operations cost.
fn costs(protocol: Protocol) -> Value {
    let roles = 0..protocol.parties();
    let inputs = roles.clone().flat_map(|owner| {
        [Timing::Early, Timing::Late].map(|timing| traffic(&cost::input(protocol, owner, timing)))
    });
    let product = match protocol.garbles() {
        true => Value::Null,
        false => traffic(&cost::product(protocol)),
    };
    let waits = Opening::ALL.map(|opening| latencies(protocol, opening, 7));
    json!({
        "product": product,
        "inputs": inputs.collect::<Vec<_>>(),
        "output": traffic(&cost::output(protocol, &roles.collect::<Vec<_>>())),
        "checks": traffic(&cost::checks(protocol)),
        "rounds": cost::rounds(protocol),
        "latencies": {
            "set_up": waits[0].set_up,
            "ahead": waits.map(|waits| waits.ahead),
            "online": waits.map(|waits| waits.online),
            "levels": levels(protocol),
            "checks": Vec::from([0, 3, 9].map(|proofs| checks(protocol, OF_RESULTS, proofs))),
        },
    })
}

/// What a circuit costs, as the engine and the planner count it.
fn circuit(protocol: Protocol, preprocessing: Preprocessing) -> Value {
    let everybody = PartyId::all(protocol.parties()).collect();
    let receivers = vec![everybody, vec![PartyId(1)]];
    let mut job = Job::new(protocol, vec![PartyId(0), PartyId(1)], receivers);
    job.instances = 1000;
    job.options.preprocessing = preprocessing;
    let compiled = match Compiled::new(&common::circuit(), job) {
        Ok(compiled) => compiled,
        Err(error) => return json!(error.to_string()),
    };
    let all = predict(&compiled);
    json!({
        "bytes": traffic(&all.bytes),
        "ahead": traffic(&predict_ahead(&compiled)),
        "rounds": all.rounds[..protocol.parties()],
        "depth": all.depth,
        "proof_rounds": all.proof_rounds,
        "memory": memory(&compiled),
        "planner": format!("{:?}", of_circuit(&compiled)),
    })
}

const WHEN: [Preprocessing; 2] = [Preprocessing::Interleaved, Preprocessing::Separate];

#[test]
fn what_is_said_about_every_protocol() {
    let sizes = |protocol: Protocol| match protocol.takes_any_number() {
        true => vec![protocol.fitting(2), protocol.fitting(3), protocol.fitting(5)],
        false => vec![protocol],
    };
    let mut found = BTreeMap::new();
    for protocol in protocols::all().chain(protocols::strong()).flat_map(sizes) {
        let said = json!({
            "is": identity(protocol),
            "costs": costs(protocol),
            "circuit": Vec::from(WHEN.map(|when| circuit(protocol, when))),
        });
        found.insert(protocol.to_string(), said.to_string());
    }
    check(common::file("descriptions.txt"), &found);
}

/// A method without the mark of those that are there to be compared with, which says nothing of what they do.
fn named(method: &str) -> String {
    method.replace(", Baseline(Built)", "").replace("(Baseline(Built))", "")
}
