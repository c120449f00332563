//! Which protocol is chosen.

use super::{circuit, job};
use tacit_circuit::Circuit;
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::{By, ProgramJob};
use tacit_engine::protocols::{
    self, AUTHENTICATED, BMR, BMR_SHAMIR, BMR_SILENT, GMW, HALF_GATES, LIFT, POST, QUAD, TRIO, YAO,
    YAO_THREE,
};
use tacit_net::PartyId;
use tacit_net::probe::LinkProbe;
use tacit_planner::{
    Calibration, Estimate, Free, LeftOut, Network, Objective, Setting, Threat, Wanted, rank,
};
use tacit_sharing::Protocol;

const SPEED: Calibration = Calibration {
    peer: 20e-3,
    transfer: 25e-9,
    block: 2.5e-9,
    gate: 0.0,
    bit: 2e-9,
    step: 10e-6,
    drawn: 0.0,
};

/// Instances, so that words of lanes are full.
const LANES: usize = 64;

fn setting(network: &Network) -> Setting<'_> {
    Setting { network, calibration: &SPEED, memory_bytes: 1e12 }
}

/// All protocols for the parties of a network that protect against so many, the best first.
fn ranked(
    network: &Network,
    circuit: &Circuit,
    threat: Threat,
    objective: Objective,
) -> Vec<Estimate> {
    let protocols = threat.protocols(protocols::on_bits(), network.parties(), false);
    let preprocessing = match objective {
        Objective::Total => Preprocessing::Interleaved,
        Objective::Online => Preprocessing::Separate,
    };
    let estimate = |protocol: Protocol| {
        let mut job = job(circuit, protocol, LANES);
        job.options.preprocessing = preprocessing;
        setting(network).circuit(circuit, &job, Wanted::Best).expect("runs")
    };
    let mut estimates: Vec<Estimate> = protocols.into_iter().map(estimate).collect();
    rank(&mut estimates, |estimate| estimate.counted(objective).total());
    estimates
}

/// The best protocol for so many parties, 25 ms from each other, of whom so many may be corrupted, for 2000 ANDs in so
/// many levels.
fn best(parties: usize, corruptions: usize, depth: usize, objective: Objective) -> Protocol {
    let network = Network::new(parties, |_, _| (1.25e7, 25e-3));
    let circuit = circuit(2000, depth, parties.min(2), [64, 64]);
    let threat = Threat { corruptions, malicious: false };
    ranked(&network, &circuit, threat, objective)[0].protocol
}

#[test]
fn two_parties_take_yao_unless_levels_take_less_than_tables() {
    // 64 tables of 2000 ANDs take 0.33 s of a link.
    assert!(best(2, 1, 200, Objective::Total).is_yao());
    assert!(best(2, 1, 2, Objective::Total).is_gmw());
    // Tables that are there before the inputs take no time.
    assert!(best(2, 1, 10, Objective::Online).garbles());
}

#[test]
fn three_parties_with_one_corruption_take_yao_among_three_for_deep_circuits() {
    assert_eq!(best(3, 1, 200, Objective::Total), YAO_THREE);
    assert!(best(3, 1, 2, Objective::Total).has_roles());
}

#[test]
fn an_honest_majority_takes_half_gates_too_where_constant_rounds_win() {
    for parties in [5, 7] {
        let corruptions = (parties - 1) / 2;
        let deep = best(parties, corruptions, 400, Objective::Total);
        assert_eq!(deep, HALF_GATES.fitting(parties));
        assert!(best(parties, corruptions, 2, Objective::Total).is_gmw());
    }
}

#[test]
fn shamirs_sharing_takes_less_than_bmr_over_transfers() {
    let network = Network::new(5, |_, _| (1.25e7, 25e-3));
    let circuit = circuit(2000, 400, 2, [64, 64]);
    let threat = Threat { corruptions: 2, malicious: false };
    let ranked = ranked(&network, &circuit, threat, Objective::Total);
    let place = |protocol: Protocol| ranked.iter().position(|it| it.protocol.is(protocol)).unwrap();
    assert!(place(BMR_SHAMIR) < place(BMR).min(place(BMR_SILENT)));
}

#[test]
fn without_one_it_is_half_gates_bmr_or_gmw_by_the_depth_and_by_what_counts() {
    for parties in [4, 5, 7] {
        let at = |depth, objective| best(parties, parties - 1, depth, objective);
        let bmr = |protocol: Protocol| protocol.is(BMR) || protocol.is(BMR_SILENT);
        assert!(at(400, Objective::Total).is(HALF_GATES));
        // Tables take longer than ten levels, but not when they are there.
        assert!(at(10, Objective::Total).is_gmw());
        // There a wait more counts.
        assert!(bmr(at(10, Objective::Online)));
    }
}

#[test]
fn who_may_cheat_is_met_by_malicious_security_alone() {
    let network = Network::new(3, |_, _| (1.25e7, 25e-3));
    let circuit = circuit(200, 5, 2, [16, 16]);
    for (corruptions, some) in [(1, LIFT), (2, AUTHENTICATED.fitting(3))] {
        let threat = Threat { corruptions, malicious: true };
        let ranked = ranked(&network, &circuit, threat, Objective::Total);
        assert!(ranked.iter().all(|it| it.protocol.is_malicious()));
        assert!(ranked.iter().any(|it| it.protocol == some), "{some}");
        let enough = |p: Protocol| p.security().corruptions(p.parties()) >= corruptions;
        assert!(ranked.iter().all(|it| enough(it.protocol)));
    }
    let all = Threat { corruptions: 2, malicious: true };
    assert!(all.protocols(protocols::on_bits(), 3, true).iter().all(|p| p.authenticates()));
}

#[test]
fn fewer_parties_compute_only_where_that_is_allowed() {
    let one = Threat { corruptions: 1, malicious: false };
    let parties = |fewer| one.protocols(protocols::on_bits(), 5, fewer);
    assert!(parties(false).iter().all(|protocol| protocol.parties() == 5));
    for smaller in [TRIO, QUAD, YAO] {
        assert!(!parties(false).contains(&smaller) && parties(true).contains(&smaller));
    }
    // Parties 0 to 2 are near each other: the others' links do not matter to them.
    let network = Network::new(5, |a, b| (1e9, if a.0.max(b.0) < 3 { 1e-3 } else { 1.0 }));
    let circuit = circuit(200, 50, 2, [16, 16]);
    let estimate = setting(&network).circuit(&circuit, &job(&circuit, TRIO, 1), Wanted::Best);
    assert!(estimate.unwrap().counted(Objective::Online).latency < 0.1);
}

#[test]
fn what_takes_too_much_memory_is_left_out() {
    let network = Network::uniform(5);
    let circuit = circuit(2000, 50, 2, [16, 16]);
    let setting = Setting { memory_bytes: 1e6, ..setting(&network) };
    let estimate = |protocol| setting.circuit(&circuit, &job(&circuit, protocol, 1), Wanted::Best);
    // 64 bytes for each party and AND, and as much again for what they are made from.
    let left_out = estimate(BMR.fitting(5)).unwrap_err();
    assert!(matches!(left_out, LeftOut::Memory { needed, .. } if needed > 64.0 * 5.0 * 2000.0));
    assert!(left_out.to_string().contains("1 MB are allowed"), "{left_out}");
    assert!(estimate(GMW.fitting(5)).is_ok());
}

#[test]
fn roles_are_those_that_fit_the_links() {
    // Parties 0 and 2 are near each other.
    let network = Network::new(3, |a, b| (1e9, if a.0 + b.0 == 2 { 1e-3 } else { 0.1 }));
    let circuit = circuit(200, 50, 2, [16, 16]);
    let estimate =
        setting(&network).circuit(&circuit, &job(&circuit, TRIO, 1), Wanted::Best).unwrap();
    assert_eq!(estimate.assignments[0].places[0].0, 1);
    assert!(estimate.counted(Objective::Online).latency < 0.6);
}

/// Links alone would often say otherwise: rings have fewer rounds, and circuits less to compute.
#[test]
fn rings_or_circuits_are_chosen_by_all_seconds() {
    let program = tacit_program::text::parse(
        "p",
        "program p\nparties alice, bob, carol\nrows n in 10..100000\ninput x: u16[n] from alice in 0..1000\n\
         input y: u8[n] from bob in 0..120\ninput z: u16[n] from carol in 0..1000\n\
         reveal mean(x + z, y >= 65, axis 0, fraction 8) to all as \"mean\"\n",
    )
    .expect("a program");
    let (mut links, mut all) = (Vec::new(), Vec::new());
    for delay in [1e-4, 50e-3] {
        let network = Network::new(3, |_, _| (1.25e8, delay));
        for protocol in [TRIO, LIFT, POST] {
            let job = ProgramJob::new(protocol, PartyId::all(3).collect(), vec![2000]);
            let estimate = |by: Option<By>, calibration: &Calibration| {
                let setting = Setting { calibration, ..setting(&network) };
                let job = ProgramJob { by: by.unwrap_or(job.by), ..job.clone() };
                let free = Free { roles: true, split: false, by: by.is_none(), chunk: false };
                setting.program(&program, &job, free).expect("a plan")
            };
            let seconds = |it: &Estimate| it.counted(Objective::Total).total();
            let chosen = estimate(None, &SPEED);
            for by in [By::Rings, By::Circuits] {
                let only = estimate(Some(by), &SPEED);
                assert!(seconds(&chosen) <= seconds(&only), "{protocol}, {delay}: {by:?}");
            }
            links.push(estimate(None, &Calibration::FREE).by);
            all.push(chosen.by);
        }
    }
    assert_ne!(links, all, "processors decide nowhere");
}

/// A party that makes up what it measured makes plans useless at most: they end, and no figure in them is undefined.
#[test]
fn made_up_measurements_break_no_plan() {
    let program = tacit_program::text::parse(
        "p",
        "program p\nparties alice, bob, carol\nrows n in 2..100000\ninput x: i16[n] from alice\n\
         input y: i16[n] from bob\nreveal sum(select(x < y, x, y), axis 0) to all as \"s\"\n",
    )
    .expect("a program");
    for (rtt_ns, bits_per_second) in
        [(0, Some(1)), (u64::MAX, Some(1)), (u64::MAX, None), (1, Some(u64::MAX)), (0, None)]
    {
        let honest = (50_000_000, Some(100_000_000));
        let mut probes = Vec::new();
        for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let (rtt_ns, bits_per_second) =
                if from == 1 { (rtt_ns, bits_per_second) } else { honest };
            let (from, to) = (PartyId(from), PartyId(to));
            probes.push(LinkProbe { from, to, rtt_ns, bits_per_second });
        }
        let network = Network::measured(3, &probes);
        let free = Free { roles: true, split: false, by: true, chunk: true };
        let parties: Vec<PartyId> = PartyId::all(3).collect();
        for protocol in [TRIO, LIFT, YAO_THREE, GMW.fitting(3), AUTHENTICATED.fitting(3)] {
            let job = ProgramJob::new(protocol, parties.clone(), vec![1000]);
            let free = Free { chunk: !protocol.garbles(), ..free };
            let estimate = setting(&network).program(&program, &job, free).expect("a plan");
            let seconds = estimate.counted(Objective::Total).total();
            assert!(seconds.is_finite() && seconds > 0.0, "{protocol} {seconds}");
            assert!(estimate.chunk_rows.is_none_or(|rows| rows > 0), "{protocol}");
        }
    }
}
