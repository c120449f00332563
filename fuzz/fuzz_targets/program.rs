//! Program texts: any text is a program or an error, and a program survives being printed and
//! read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_program::Program;
use tacit_program::summary::summary;
use tacit_program::text::{digest, parse_with, print};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match read(text) {
        Err(e) => assert!(!e.to_string().is_empty()),
        Ok(program) => {
            let canonical = print(&program);
            let again = read(&canonical).expect("own text");
            assert_eq!(print(&again), canonical);
            assert_eq!(digest(&again), digest(&program));
            assert!(!summary(&program).to_string().is_empty());
        }
    }
});

fn read(text: &str) -> Result<Program, tacit_program::ProgramError> {
    parse_with("fuzz.tacit", text, &mut |_| Err("no files".to_owned()))
}
