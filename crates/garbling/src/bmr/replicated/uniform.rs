//! A test that parts of rows are uniform but for their sum, for party 0.

use super::super::attacks::{RUNS, places};
use super::super::uniform::{Zeros, ranks};
use super::*;

fn of_components(zeros: Zeros) -> Vec<usize> {
    ranks(|session, seed, ports| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, me as u8);
        let mesh = &mut session.meshes[0];
        let keys = ReplicatedKeys::exchange(mesh, b"session", &places(), &mut entropy);
        let mut keys = keys.unwrap().worker();
        zeros.keep(&mut keys.zeros, me, usize::from(before(me) != 0));
        let party = BmrReplicated::new(mesh, &places(), keys, b"session", Opening::All);
        party.unwrap().garble_on(ports, &vec![Blocks::default(); RUNS]).unwrap().0
    })
}

#[test]
fn parts_from_components_are_anything() {
    let sums_of_two = of_components(Zeros::None).into_iter().all(|rank| rank <= 2);
    assert!(sums_of_two, "sums of components of an offset");
    // Of both parties, of columns 0 and each other's.
    assert_eq!(of_components(Zeros::Unknown), [128; 4]);
}
