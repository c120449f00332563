//! Party configurations: any text is a configuration or an error with its place, the error does
//! not quote the key, and a configuration survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tacit_net::config::{PartyConfig, generate};

/// A valid configuration, for its certificate and key: no fuzzer finds those.
static VALID: LazyLock<PartyConfig> = LazyLock::new(|| {
    let parties = ["a", "b", "c"].map(|name| (name.to_string(), format!("{name}:7000")));
    generate(&parties).expect("valid parties").swap_remove(0)
});

fuzz_target!(|text: &str| {
    let identity = &VALID.identity;
    let (certificate, key) = (identity.certificate_pem(), identity.key_pem());
    let text = text.replace("CERTIFICATE", certificate).replace("KEY", key);
    match PartyConfig::parse(&text, "file") {
        Err(e) => assert!(!e.to_string().contains("PRIVATE KEY")),
        Ok(config) => {
            let again = PartyConfig::parse(&config.to_toml(), "again").expect("own form");
            assert_eq!((again.name, again.parties), (config.name, config.parties));
        }
    }
});
