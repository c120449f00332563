use super::*;
use crate::text::{digest, parse, print};
use proptest::prelude::*;

/// The function that a program writes so.
fn function(written: &str) -> TextFunction {
    let ty = match written {
        it if it.contains("like") => "bit",
        it if it.contains("length") => "u16",
        _ => "u64",
    };
    let source = format!(
        "program p\nparties alice\nrows n <= 10\ninput x: {ty}[n] from alice of text(mail, {written})\nreveal sum(x == x, axis 0) to alice as \"x\"\n"
    );
    let program = parse("p", &source).unwrap_or_else(|error| panic!("{error}"));
    program.meaning(0).derived().expect("is derived").function.clone()
}

/// The text that a text becomes.
fn made(written: &str, text: &str) -> Option<String> {
    let function = function(written);
    let made = function.made(text);
    assert_eq!(function.raw(text), made.as_deref().map(text_code));
    made
}

fn raw(written: &str, text: &str) -> Option<i64> {
    function(written).raw(text)
}

#[test]
fn texts_are_made_of_texts() {
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(made("lower", "  Ann ÉSS\t"), some("ann éss"));
    assert_eq!(made("upper", "groß ŉ ᾳ ﬁ"), some("GROẞ ŉ ᾼ ﬁ"));
    assert_eq!(made("lower", "İΑΣ"), some("iας".replace('ς', "σ").as_str()));
    assert_eq!(made("trim", "\u{a0} a b\u{3000}"), some("a b"));
    assert_eq!(made("slice 1 3", "C50.1"), some("C50"));
    assert_eq!(made("slice -2", "C50.1"), some(".1"));
    assert_eq!(made("slice -4 3", "ab"), some("a"));
    assert_eq!(made("slice -9 3", "ab"), None);
    assert_eq!(made("slice -9", "ab"), some("ab"));
    assert_eq!(made("slice 2 1", "a\u{1f926}b"), some("\u{1f926}"));
    assert_eq!(made("replace \"-\" \"\", lower", "A-B-C"), some("abc"));
    assert_eq!(made("replace \"aa\" \"b\"", "aaa"), some("ba"));
    // Nothing is left of these.
    for (written, text) in
        [("slice 4", "abc"), ("slice 2 1", "a b"), ("replace \"a\" \"\"", "aa"), ("trim", "\u{a0}")]
    {
        assert_eq!(made(written, text), None, "{written}");
        assert!(function(written).may_be_null());
    }
    for written in ["lower", "upper, slice 1 2", "slice -3, lower", "slice 1"] {
        assert!(!function(written).may_be_null(), "{written}");
    }
    assert!(function("slice 1 3, slice -2").may_be_null());
    assert_eq!(made("lower", " \t"), None);
}

#[test]
fn patterns_are_those_of_sql() {
    let fits = |pattern: &str, text: &str| {
        let quoted = names::quote(pattern);
        raw(&format!("like {quoted}"), text) == Some(1)
    };
    for (pattern, text, expected) in [
        ("C50%", "C50", true),
        ("C50%", "C50.9", true),
        ("C50%", "c50", false),
        ("%9", "C50.9", true),
        ("%5%.%", "C50.9", true),
        ("_50__", "C50.9", true),
        ("_50_", "C50.9", false),
        ("%", "x", true),
        ("%%_", "x", true),
        ("_", "\u{e9}", true),
        ("_", "e\u{301}", false),
        ("\u{1f926}_", "\u{1f926}x", true),
        ("a\\%b", "a%b", true),
        ("a\\%b", "axb", false),
        ("%\\_\\\\", "a_\\", true),
        ("%ab%ab", "abab", true),
        ("%aab", "aaaab", true),
        ("a.b", "a.b", true),
        ("a.*", "abc", false),
        ("C50", "C50", true),
        ("C50", "C501", false),
        ("a_c", "a\nc", true),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
    }
    assert_eq!(raw("like \"%\"", "  "), None);
    assert!(fits(&escaped("50%_\\"), "50%_\\"));
    // This would take years, if every way to fit were tried.
    let (many, text) = ("%a".repeat(120), "a".repeat(20_000));
    assert!(!fits(&format!("{many}b"), &text));
}

#[test]
fn lengths_count_characters() {
    assert_eq!(raw("length", " \u{1f926}\u{1f3fc}e\u{301} "), Some(4));
    assert_eq!(raw("slice 1 3, length", "abcd"), Some(3));
    assert_eq!(raw("slice 9, length", "abcd"), None);
    assert_eq!(raw("length", ""), None);
    assert_eq!(function("length").longest(None), None);
    assert_eq!(function("slice 1 3, length").longest(Some(9)), Some(3));
    assert_eq!(function("slice -3, lower, slice 2, length").longest(None), Some(3));
    assert_eq!(function("length").longest(Some(9)), Some(9));
}

#[test]
fn sql_says_it_so() {
    let said = |written: &str| function(written).of("mail");
    assert_eq!(said("trim, lower"), "lower(trim(mail))");
    assert_eq!(said("slice 1 3"), "left(mail, 3)");
    assert_eq!(said("slice -3, slice 2"), "substr(right(mail, 3), 2)");
    assert_eq!(said("like \"C'\\\\\\\\%\""), "mail LIKE 'C''\\%'");
    assert_eq!(said("like \"\\\\%%\""), "mail LIKE '\\%%' ESCAPE '\\'");
    assert_eq!(said("replace \"-\" \"\", length"), "length(replace(mail, '-', ''))");
    assert_eq!(said("like \"\\u{202e}%\""), "mail LIKE '\\u{202e}%'");
}

#[test]
fn programs_say_what_is_computed_of_texts() {
    let source = "program p
parties alice
rows n <= 10
input \"icd LIKE 'C50%'\" as a: bit[n] from alice of text(icd, like \"C50%\")
input b: u64[n] from alice of text(\"alice.mail\", lower, trim, slice 1 3, replace \"-\" \"\")
input c: u8[n] from alice in 0..100 of text(note, length)
let d = sum(a, axis 0)
let e = sum(c, axis 0)
let f = sum(b == b, axis 0)
reveal d to alice as \"d\"
reveal e to alice as \"e\"
reveal f to alice as \"f\"
";
    let program = parse("p", source).unwrap_or_else(|error| panic!("{error}"));
    let text = print(&program);
    for part in [
        "bit[n] from alice of text(icd, like \"C50%\")",
        "u64[n] from alice in 0..2305843009213693950 of text(\"alice.mail\", lower, trim, slice 1 3, replace \"-\" \"\")",
        "u8[n] from alice in 0..100 of text(note, length)",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let again = parse("p", &text).expect("the canonical form");
    assert_eq!(print(&again), text);
    let other = parse("p", &source.replace("C50%\")", "C51%\")")).expect("another program");
    assert_ne!(digest(&again), digest(&other));
    let shown = crate::summary::summary(&program).to_string();
    assert!(shown.contains("text(icd, like \"C50%\")"), "{shown}");
}

#[test]
fn wrong_functions_of_texts_are_refused() {
    let refused = |ty: &str, written: &str| {
        let source = format!(
            "program p\nparties alice\nrows n <= 10\ninput x: {ty} from alice of text({written})\nreveal x to alice as \"x\"\n"
        );
        parse("p", &source).expect_err(written).to_string()
    };
    let long = format!("mail, like \"{}\"", "a".repeat(257));
    let many = format!("mail{}", ", lower".repeat(9));
    let endless = format!("mail{}", ", lower".repeat(100_000));
    for (ty, written, what) in [
        ("u8[n]", "mail, like \"a\"", "is a bit"),
        ("i8[n]", "mail, length", "an integer"),
        ("bit[n]", "mail", "u64"),
        ("bit[n]", "mail, like \"a\\\\b\"", "stands before"),
        ("bit[n]", "mail, like \"a\\\\\"", "stands before"),
        ("bit[n]", "mail, like \"a\", lower", "come last"),
        ("bit[n]", "mail, like \"a\", length", "come last"),
        ("bit[n]", "mail, lower like \"a\"", "`,` or the `)`"),
        ("u64[n]", "mail, lowr", "did you mean `lower`"),
        ("u64[n]", "mail, slice 0", "counted from 1"),
        ("u64[n]", "mail, slice 1 0", "from 1 to"),
        ("u64[n]", "mail, slice 1 9999999", "from 1 to"),
        ("u64[n]", "mail, replace \"\" \"\"", "no longer"),
        ("u64[n]", "mail, replace \"a\" \"bb\"", "no longer"),
        ("u64[n]", "", "the name of a column"),
        ("u64[n, 2]", "mail, lower", "is a column"),
        ("bit[n]", &long, "256 bytes"),
        ("u64[n]", &many, "8 steps"),
        ("u64[n]", &endless, "8 steps"),
    ] {
        let found = refused(ty, written);
        let shown: String = written.chars().take(60).collect();
        assert!(found.contains(what), "{shown}: {found}");
    }
    let inputs: String = (0..300)
        .map(|it| format!("input x{it}: bit[n] from alice of text(mail, like \"{it}\")\n"))
        .collect();
    let source = format!(
        "program p\nparties alice\nrows n <= 10\n{inputs}reveal sum(x0, axis 0) to alice as \"x\"\n"
    );
    assert!(parse("p", &source).expect_err("too many").to_string().contains("256 inputs"));
    let shown = "program p\nparties alice\nrows n <= 10\ninput x: bit[n] from alice of text(mail, like \"a\")\nreveal x to alice of text(mail, like \"a\") as \"x\"\n";
    assert!(parse("p", shown).is_err());
}

/// Whether a text fits a pattern, by all ways in which it may.
fn in_some_way(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|from| in_some_way(rest, &text[from..])),
        Some((c, rest)) => text
            .split_first()
            .is_some_and(|(first, others)| (*c == '_' || c == first) && in_some_way(rest, others)),
    }
}

proptest! {
    #[test]
    fn a_pattern_fits_if_it_does_in_some_way(pattern in "[ab%_]{0,8}", text in "[ab]{0,10}") {
        let [all, of]: [Vec<char>; 2] = [&pattern, &text].map(|it| it.chars().collect());
        prop_assert_eq!(like::fits(&pattern, &text), in_some_way(&all, &of));
    }

    #[test]
    fn no_step_makes_a_text_longer(text in "\\PC{0,20}", from in 1..9i32, length in 1..9u32) {
        let steps = [
            Step::Lower,
            Step::Upper,
            Step::Trim,
            Step::Slice { from, length: Some(length) },
            Step::Slice { from: -from, length: None },
            Step::Replace { this: "a".into(), by: "\u{1f926}".into() },
        ];
        for step in steps {
            prop_assert!(step.of(&text).chars().count() <= text.chars().count(), "{step:?}");
        }
        prop_assert_eq!(Step::Lower.of(&text).chars().count(), text.chars().count());
        prop_assert!(like::fits(&escaped(&text), &text));
    }
}
