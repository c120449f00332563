//! The list of all protocols.

pub use tacit_backend::protocols::*;
pub use tacit_garbling::protocols::*;

use std::sync::LazyLock;
use tacit_protocol::{Descriptor, Protocol, Strength, UnknownProtocol};

/// All protocols, those too that [this build does not have](Descriptor::is_built), crate by crate: each crate has a line for each of its own.
pub static ALL: LazyLock<Vec<&'static Descriptor>> = LazyLock::new(|| {
    let shares = tacit_backend::protocols::ALL.into_iter();
    shares.chain(tacit_garbling::descriptors()).collect()
});

/// All protocols that this build has; those for any number of parties with three, or as few as they run with.
pub fn all() -> impl Iterator<Item = Protocol> + Clone {
    ALL.iter().filter(|of| of.is_built()).map(|of| Protocol::new(of).fitting(3))
}

/// Protocols with a statistical parameter of 64, which run only where they are named.
pub fn strong() -> impl Iterator<Item = Protocol> {
    Protocol::with_strengths(&ALL).filter(|protocol| protocol.strength() == Strength::Strong)
}

/// Protocols that each make products of bits in a way of their own. Every other protocol differs from one of these on
/// numbers alone.
pub fn on_bits() -> impl Iterator<Item = Protocol> {
    all().filter(|protocol| protocol.has_own_bits())
}

/// The protocol of a name: `trio`, `gmw:5`, `lift@64`, `post/4096`.
///
/// # Errors
/// If none has this name, or not so many parties, or no such batch; the error says what could be written.
pub fn named(name: &str) -> Result<Protocol, UnknownProtocol> {
    Protocol::named(name, &ALL)
}

/// The names that [`named`] takes, and what may stand behind them.
#[must_use]
pub fn names() -> String {
    Protocol::names(&ALL)
}

/// Checks a protocol that is in no list: that none of the list has its name, and that what its roles say fits together.
pub(crate) fn check_own(protocol: Protocol) -> Result<(), String> {
    let listed = ALL.iter().any(|of| of.name == protocol.name());
    if protocol.own_roles().is_some() && listed {
        return Err(format!(
            "`{protocol}` is the name of a protocol of Tacit: one of your own needs another name"
        ));
    }
    tacit_backend::own::check(protocol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_proof::Method;
    use tacit_protocol::MAX_PARTIES;

    #[test]
    fn names_are_those_of_protocols_with_enough_parties() {
        for protocol in all().chain(strong()) {
            assert_eq!(named(&protocol.to_string()), Ok(protocol));
            let least = protocol.fitting(0);
            assert_eq!(named(protocol.name()), Ok(least));
            for parties in 0..=usize::from(MAX_PARTIES) + 1 {
                let parsed = named(&format!("{}:{parties}", protocol.name()));
                let takes = protocol.takes_any_number()
                    && (least.parties()..=usize::from(MAX_PARTIES)).contains(&parties);
                assert_eq!(parsed.ok(), takes.then(|| protocol.fitting(parties)), "{protocol}");
                assert!(!takes || protocol.fitting(parties).parties() == parties);
            }
        }
        let least = |name: &str| named(name).map(Protocol::parties).ok();
        let names = ["gmw", "bmr-offset", "bmr-shamir-s3", "bmr-shamir-s2", "bmr-replicated"];
        assert_eq!(names.map(least), [2, 2, 3, 4, 3].map(Some));
        assert!(named("bmr-shamir-s2:5").is_ok());
    }

    /// The mark of what is there to be compared with takes no bytes where a method is stored, so numbers of methods do not
    /// depend on which of them a build has.
    #[test]
    fn methods_are_stored_as_their_numbers() {
        use tacit_gmw::Method as Gmw;
        let here = tacit_protocol::Baseline::HERE.expect("tests have all protocols");
        let gmw = [Gmw::Masked, Gmw::Silent, Gmw::Transfers(here), Gmw::Triples(here), Gmw::Star];
        for (number, method) in (0u8..).zip(gmw) {
            assert_eq!(postcard::to_allocvec(&method).unwrap(), [number]);
        }
        let proven = [Method::Lift, Method::Galois(here), Method::WideLift, Method::Integers(here)];
        for (number, method) in (0u8..).zip(proven) {
            assert_eq!(postcard::to_allocvec(&method).unwrap(), [number]);
        }
    }

    #[test]
    fn no_two_protocols_have_one_name() {
        let mut names: Vec<&str> = all().chain(strong()).map(Protocol::name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), count), (54, 54));
    }

    #[test]
    fn statistical_parameters_are_those_that_are_offered() {
        let strong_methods = strong().map(|protocol| Method::of(protocol).expect("proven"));
        let strong_methods: Vec<Method> = strong_methods.collect();
        assert_eq!(strong_methods.len(), 9);
        for protocol in all() {
            let strong = protocol.with_strength(Strength::Strong);
            match Method::of(protocol) {
                Some(method) if strong_methods.contains(&method) => {
                    let strong = strong.unwrap();
                    assert_eq!(strong.strength(), Strength::Strong);
                    assert_eq!(strong.name(), format!("{}@64", protocol.name()));
                    assert!(strong.with_strength(Strength::Usual).is_err());
                }
                None if protocol.is_checked() => assert_eq!(strong, Ok(protocol)),
                _ => assert!(strong.is_err(), "{protocol}"),
            }
            let usual = protocol.with_strength(Strength::Usual);
            assert_eq!(usual.ok(), protocol.is_malicious().then_some(protocol));
        }
    }

    #[test]
    fn batches_are_those_of_protocols_that_check_in_batches() {
        for protocol in all().chain(strong()) {
            for batch in ["1", "4096", "4688x4"].map(|text| text.parse().unwrap()) {
                let found = protocol.with_batch(batch);
                // The one with buckets is sound with this size, and with the smaller parameter only.
                let fits = protocol.proves_products()
                    && (batch.bucket().is_none() || protocol == BRAIN_BUCKETS);
                assert_eq!(found.is_ok(), fits, "{protocol} {batch}");
                let Ok(found) = found else { continue };
                assert_eq!(found.to_string(), format!("{protocol}/{batch}"));
                assert_eq!(named(&found.to_string()), Ok(found));
                let same = |p: Protocol| (Method::of(p), p.strength(), p.security(), p.parties());
                assert_eq!(same(found), same(protocol));
                assert_eq!(found.with_batch(batch), Ok(found));
                assert!(found.with_batch("7".parse().unwrap()).is_err(), "{found}");
            }
        }
        // Neither parameter makes one forget the other.
        let both = POST.with_batch("4096".parse().unwrap()).unwrap();
        let both = both.with_strength(Strength::Strong).unwrap();
        assert_eq!(both.to_string(), "post@64/4096");
    }

    #[test]
    fn errors_say_what_could_be_written() {
        let told = |name: &str| named(name).unwrap_err().to_string();
        for (name, what) in [
            ("brain-buckets/1024x3", "2^-22.2, and brain-buckets promises 2^-40: 494303 or more"),
            ("brain-buckets@64/29010x5", "2^-64: 29011 or more"),
            ("brain-buckets/9x2", "larger buckets would do"),
            ("post/4096x4", "compares no numbers in buckets"),
            ("lift/0", "a batch has 1 to 16777216 products"),
            ("quad/4096", "not supported: quad has no batches"),
            ("trio/4096", "notices no cheats"),
            ("authenticated:3/4096", "not supported"),
            ("lift/7/8", "1 to 16777216"),
            ("lit/7", "unknown protocol 'lit'; did you mean `lift`?"),
            ("gnw:3", "did you mean `gmw`?"),
            ("nothing like it", "choose one of trio; astra"),
            ("gmw:100", "gmw does not run with '100' parties: write gmw:N with N from 2 to 64"),
            ("bmr-shamir:2", "N from 3 to 64"),
            ("gmw:x", "N from 2 to 64"),
            ("trio:4", "3 parties compute, so write trio alone"),
        ] {
            assert!(told(name).contains(what), "{}", told(name));
        }
        let other = BRAIN_BATCH.with_strength(Strength::Strong).unwrap_err().to_string();
        assert!(other.contains("`@64`"), "{other}");
    }

    /// Parties can be corrupted while one of them is honest, and lists begin with what protects against most.
    #[test]
    fn fewer_parties_may_be_corrupted_than_compute() {
        for protocol in all() {
            let corruptions = protocol.security().corruptions(protocol.parties());
            assert!(corruptions < protocol.parties(), "{protocol}");
            assert_eq!(corruptions == 0, protocol.is_trusted_party(), "{protocol}");
        }
    }
}
