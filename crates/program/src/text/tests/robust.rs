//! No text makes the reader panic.

use super::*;
use crate::text::parse_with;
use proptest::prelude::*;

fn read_any(text: &str) {
    let mut load = |_: &str| Err("no files".to_owned());
    match parse_with("fuzz.tacit", text, &mut load) {
        Ok(program) => assert_round_trip(&program),
        Err(e) => assert!(!e.message.is_empty()),
    }
}

/// Pieces that a text is made of.
fn piece() -> impl Strategy<Value = String> {
    let pieces: Vec<String> =
        TOUR.split_inclusive([' ', '(', ')', ',', '\n']).map(str::to_owned).collect();
    prop_oneof![
        4 => prop::sample::select(pieces),
        1 => "[ -~\n]{0,3}",
        1 => Just("99999999999999999999999999999999999999999".to_owned()),
        1 => Just("18446744073709551615".to_owned()),
        1 => Just("-1".to_owned()),
    ]
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_any(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces(pieces in prop::collection::vec(piece(), 0..60)) {
        read_any(&format!("program p\nparties alice, bob\nrows n <= 9\n{}", pieces.concat()));
    }

    #[test]
    fn changed_programs(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..30, piece()), 1..4),
    ) {
        let mut text = TOUR.to_owned();
        for (at, len, new) in changes {
            let at = at.index(text.len());
            let end = (at + len).min(text.len());
            text.replace_range(at..end, &new);
        }
        read_any(&text);
    }

    #[test]
    fn changed_numbers(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 1..6)) {
        let mut text = TOUR.to_owned();
        for (at, number) in changes {
            let digits: Vec<usize> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(i, _)| i).collect();
            let at = digits[at.index(digits.len())];
            text.replace_range(at..=at, &(number >> (number % 64)).to_string());
        }
        read_any(&text);
    }
}
