//! Mistakes and their places.

use super::*;

const HEADER: &str =
    "program p\nparties alice, bob\nrows n <= 100\ninput salary: u32[n] from alice\n";

/// The error of a text behind the header: line from 1, column, message.
fn error(text: &str) -> (u32, u32, String) {
    let text = format!("{HEADER}{text}");
    match parse("p.tacit", &text) {
        Ok(program) => panic!("no error in\n{}", print(&program)),
        Err(e) => {
            assert_eq!(&*e.span.file, "p.tacit", "{e}");
            (e.span.line.saturating_sub(4), e.span.column, e.message)
        }
    }
}

#[track_caller]
fn assert_error(text: &str, place: (u32, u32), part: &str) {
    let (line, column, message) = error(text);
    assert_eq!((line, column), place, "{message}");
    assert!(message.contains(part), "{message}");
}

#[test]
fn unknown_names_are_compared_with_known_ones() {
    assert_error("let x = salry + 1\n", (1, 9), "no value `salry`; did you mean `salary`?");
    assert_error("let x = smu(salary, axis 0)\n", (1, 9), "did you mean `sum`?");
    assert_error("let x = sum(salary, axes 0)\n", (1, 21), "did you mean `axis`?");
    assert_error("input y: u8[m] from alice\n", (1, 13), "there is no row count `m`");
    assert_error("input y: u8 from alise\n", (1, 18), "did you mean `alice`?");
    assert_error("reveal salary to Bob\n", (1, 18), "did you mean `bob`?");
    assert_error("revel salary to bob\n", (1, 1), "did you mean `reveal`?");
    assert_error("let x = circuit(\"adds\")(salary)\n", (1, 17), "did you mean `add`?");
}

#[test]
fn functions_of_other_languages_are_named() {
    let assert = |call: &str, part: &str| assert_error(&format!("let x = {call}\n"), (1, 9), part);
    assert("average(salary)", "`mean(x, axis 0)`");
    assert("stddev(salary)", "`std(x, axis 0)`");
    assert("percentile(salary, 90)", "`quantile(x, 9/10)`");
    assert("len(salary)", "`rows(n)`");
    assert("medain(salary)", "did you mean `median`?");
    assert("quantile(salary)", "needs a fraction from 0 to 1");
}

#[test]
fn fractions_of_quantiles_are_exact_and_from_0_to_1() {
    let assert = |at: &str, part: &str| {
        assert_error(&format!("let x = quantile(salary, {at})\n"), (1, 26), part);
    };
    for wrong in ["3/2", "1.5", "1/0", "1/1000001", "0.1234567"] {
        assert(wrong, "a fraction is from 0 to 1");
    }
    assert("salary < 3", "such as 9/10 or 0.9");
    assert("100000000000000000000/3", "too many digits");
    assert_error("let x = quantile(salary, [0.5, 2])\n", (1, 32), "from 0 to 1");
    assert_error("let x = quantile(salary, [])\n", (1, 9), "needs a fraction");
    assert_error("let x = median(salary, salary < 5, axis 1)\n", (1, 9), "axis 1");
    let wide = "input wide: u64[n] from bob\nlet x = median(wide)\n";
    assert_error(wide, (2, 9), "(2^56 fits)");
}

#[test]
fn a_variance_that_does_not_fit_says_what_would() {
    let text = |range: &str, fraction: &str| {
        format!("input y: u32[n] from bob{range}\nlet x = std(y, axis 0{fraction})\n")
    };
    let fits = |text: String| parse("p.tacit", &format!("{HEADER}{text}")).is_ok();
    // What the message says is tried: fewer fractional bits, or a narrower range.
    let told = error(&text(" in 0..100000000", "")).2;
    let bits = told.split("with `fraction ").nth(1).expect(&told).trim_end_matches('`');
    assert!(fits(text(" in 0..100000000", &format!(", fraction {bits}"))), "{told}");
    let told = error(&text("", "")).2;
    assert!(told.contains("the variance of up to 100 values in [0, 4294967295]"), "{told}");
    let high = told.split("`assume`: [0, ").nth(1).expect(&told);
    let high = high.split(']').next().expect("an end");
    assert!(fits(text(&format!(" in 0..{high}"), "")), "{told}");
}

#[test]
fn domains_and_labels_must_fit() {
    let level = "domain level = [\"junior\", \"senior\"]\ninput k: u8[n] from bob of level\n";
    let assert = |text: &str, column: u32, part: &str| {
        assert_error(&format!("{level}{text}\n"), (3, column), part);
    };
    assert("let x = group_sum(k, salary, by levle)", 33, "did you mean `level`?");
    assert("let x = group_sum(k, salary)", 9, "needs `by DOMAIN` or `first NUMBER, groups COUNT`");
    assert("let x = group_sum(k, salary, by level, first 0)", 9, "leave out");
    assert_error(
        &format!("{level}domain size = 1..2\nlet x = group_count(k * 3 + k, by [level, size])\n"),
        (4, 9),
        "are numbered 0..3, the last domain's members fastest, but the key is in 0..4: number \
         them as `a * 2 + b`",
    );
    assert("reveal salary to bob by level as \"x\"", 34, "do not label");
    assert("reveal 1 to bob of levels as \"x\"", 20, "did you mean `level`?");
    assert("reveal group_count(k, by level) to bob as \"level\"", 43, "a result has that name");
    assert("input z: u8 from bob in 0..5 of level", 7, "domain `level` has the codes [0, 1]");
    assert("input z: fixed(8,4) from bob of date", 7, "cannot stand for anything");
    assert("input z: bit from bob of decimal(2)", 7, "bits cannot stand for dates or decimals");
    assert("input z: u32 from bob of text", 7, "texts are of the type u64");
    assert("input z: u64 from bob in 0..9 of text", 7, "in the range of all texts");
    assert_error(
        &format!("{level}input z: u64 from bob of text\nreveal z to bob of text\n"),
        (4, 8),
        "texts go in as numbers that nobody can read",
    );
    assert("domain text = 1..3", 8, "another name");
    assert("input z: i32 from bob of decimal(19)", 34, "from 1 to 18");
    assert_error(
        &format!("{level}input z: bit from bob\nreveal z to bob of decimal(2)\n"),
        (4, 8),
        "bits cannot stand for decimals",
    );
    assert("domain level = 1..3", 8, "already a domain `level`");
    assert("domain other = 3..1", 8, "0 members");
    assert("domain date = 1..3", 8, "another name");
    assert("domain other = [\"a\", \"a\"]", 8, "twice");
    assert("domain other = [\" a\"]", 8, "spaces");
    assert("let x = salary < date(\"2024-02-30\")", 23, "no date");
    assert("let x = salary < date(2024)", 23, "in quotes");
}

#[test]
fn a_text_that_ends_early_is_told_so() {
    assert_error("let x =", (1, 8), "the end of the file: is it whole?");
    assert_error("reveal sum(salary, axis 0", (1, 26), "the end of the file: is it whole?");
}

#[test]
fn habits_of_other_languages_are_corrected() {
    let bits = "let a = salary < 5\nlet b = salary > 3\n";
    let assert = |text: &str, column: u32, part: &str| {
        assert_error(&format!("{bits}{text}\n"), (3, column), part);
    };
    assert("let c = a && b", 11, "written `&`");
    assert("let c = (a || b)", 12, "written `|`");
    assert("let c = sum(a and b, axis 0)", 15, "written `&`");
    assert("let c = a or b", 11, "written `|`");
    assert("let c = not a", 9, "written `!`");
    assert("let c = sum(not a, axis 0)", 13, "written `!`");
    assert("let c = ~a", 9, "written `!`");
    assert("let c = salary = 3", 16, "written `==`");
    assert("let c = select(salary = 3, 1, 0)", 23, "written `==`");
    assert("let c = sum(salary, axis = 0)", 21, "written without `=`");
    assert("let c = if a { 1 } else { 2 }", 9, "`select(");
    assert("let c = if (a) 1 else 2", 9, "`select(");
    assert("let c = 1 if a else 2", 11, "`select(");
    assert("let c = sum(salary if a else 2, axis 0)", 20, "`select(");
    assert("let c = a ? 1 : 2", 11, "`select(");
    assert("let c = for i in n", 9, "`loop LENGTH");
    assert("let c = a;", 10, "ends with its line");
    assert("reveal salary to bob as 'pay'", 25, "double quotes");
}

#[test]
fn brackets_must_be_closed() {
    let expected = "expected `,` or the `)` for the `(` at 5:12, found `let`";
    assert_error("let x = sum(salary, axis 0\nlet y = 3\n", (2, 1), expected);
    assert_error("let x = (salary + 1\n", (2, 1), "`)` for the `(` at 5:9, found the end");
    assert_error("let x: u8[3 = salary\n", (1, 13), "`]` for the `[`");
    assert_error("let x = salary)\n", (1, 15), "expected the end of the line, found `)`");
    assert_error(
        "let x = loop 3 carry (y = salary) {\nyield y\nreveal",
        (3, 1),
        "`}` for the `{` at 5:35",
    );
}

#[test]
fn types_must_fit() {
    assert_error(
        "let x: u8[n] = salary + 1\n",
        (1, 8),
        "another element type: it is u64[n] from alice",
    );
    assert_error("let x = salary + [1, 2]\n", (1, 16), "shapes");
    assert_error("let x = salary & salary\n", (1, 16), "where bits are needed");
    assert_error("let x = 1 +\n  exp(salary) / 2\n", (2, 3), "where fixed point is needed");
    assert_error("let x = salary * 0.5\n", (1, 18), "whole numbers");
    assert_error("let x: u8 = 256\n", (1, 13), "does not fit u8");
    assert_error("let (a, b) = salary\n", (1, 14), "1 results, not 2");
    assert_error("let a = sort(salary, salary)\n", (1, 9), "2 results, not 1");
    assert_error("let a = salary + sort(salary, salary)\n", (1, 18), "take them apart");
    assert_error("let a = add(salary)\n", (1, 9), "operands");
    assert_error("let a = select(salary < 1, salary)\n", (1, 9), "operands");
    assert_error("let a = sum(salary)\n", (1, 9), "needs `axis NUMBER`");
    assert_error("let a = assume(salary, in 5..1)\n", (1, 27), "empty");
    assert_error("let a = salary[0]\n", (1, 15), "slice");
    assert_error("let a = salary < 3 < 5\n", (1, 20), "chain");
    assert_error("let a = [1, salary]\n", (1, 13), "lists are constants");
    assert_error("let a = [[1, 2], [3]]\n", (1, 18), "equally long");
    assert_error("let a: u8[2, 2] = [[1, 2, 3]]\n", (1, 19), "another shape");
    assert_error("input x: fixed(8,8) from bob\n", (1, 18), "fractional bits must be from 0 to 7");
    assert_error("input x: u8 in 0..256\n", (1, 16), "u8 has the values 0..255");
    assert_error("input x: u8\n", (1, 10), "who gives this input");
}

#[test]
fn names_are_given_once() {
    assert_error("let x = 1\nlet x = 2\n", (2, 5), "of line 5");
    assert_error("input salary: u8 from bob\n", (1, 7), "already a input `salary`");
    assert_error("rows n <= 3\n", (1, 6), "already");
    assert_error("rows m in 4..3\n", (1, 14), "empty");
    assert_error("rows m in 4\n", (1, 12), "expected `..`");
    assert_error("rows m = 4\n", (1, 8), "`in` and a range");
    assert_error("parties alice\n", (1, 9), "already");
    assert_error("reveal salary to bob\nreveal salary to alice\n", (2, 8), "already");
    assert_error("reveal salary to bob, bob\n", (1, 23), "twice");
    assert_error("reveal salary + 1 to bob\n", (1, 25), "expected `as`");
    assert_error("let let = 1\n", (1, 5), "in quotes if");
    assert_error("let x = add(salary, 1, wrap, wrap)\n", (1, 30), "twice");
}

#[test]
fn loops_must_carry_what_they_say() {
    let looped = |body: &str| {
        format!(
            "let x = loop 3 carry (y: u32[n] from alice in 0..9 = assume(salary, in 0..9)) {{\n{body}\n}}\n"
        )
    };
    assert_error(&looped("yield y + 1"), (2, 9), "another range");
    assert_error(&looped("yield y, y"), (2, 1), "carries 1 values");
    assert_error(&looped("yield sum(y, axis 0)"), (2, 7), "another shape");
    assert_error(&looped("reveal y to bob"), (2, 1), "`let` or `yield`");
    let unfit = "let x = loop 3 carry (y: u32[n] public = salary) { yield y }\n";
    assert_error(unfit, (1, 42), "another visibility");
}

#[test]
fn nesting_and_sizes_are_limited() {
    let deep = format!("let x = {}1{}\n", "(".repeat(5000), ")".repeat(5000));
    assert!(error(&deep).2.contains("within each other"));
    assert!(error(&format!("let x = {}salary\n", "-".repeat(5000))).2.contains("signs"));
    assert!(error(&format!("let x = {}\n", "[".repeat(5000))).2.contains("lists within"));
    let loops = "let x = loop 2 carry (y = salary) {\n".repeat(50);
    assert!(error(&loops).2.contains("loops within each other"));
    assert!(error("input x: u8[999999999999999999] from bob\n").2.contains("must be from"));
    assert!(error("let x = 99999999999999999999\n").2.contains("64 bits"));
    assert!(error(&format!("let x = 1{}\n", "0".repeat(60))).2.contains("too large"));
}

#[test]
fn lengths_do_not_overflow() {
    let doubled: String =
        (1..20).map(|i| format!("let x{i} = concat(x{0}, x{0}, axis 1)\n", i - 1)).collect();
    let text = format!("input x0: u8[0, 281474976710656] from bob\n{doubled}");
    assert!(error(&text).2.contains("at most 2^48"));
    let text = format!("rows m <= 0\ninput x0: u8[1, 281474976710656*m] from bob\n{doubled}");
    assert!(error(&text).2.contains("at most 2^48"));
}

#[test]
fn what_loops_read_is_found_fast() {
    let outer: String = (0..20_000).map(|i| format!("let x{i} = {i}\n")).collect();
    let inner: String = (0..20_000).map(|i| format!("let y{i} = min(x{i}, x0)\n")).collect();
    let text = format!("{HEADER}{outer}let z = loop 3 carry (c = 1) {{\n{inner}yield c\n}}\n");
    assert!(parse("p.tacit", &text).is_ok());
}

#[test]
fn long_chains_are_no_nesting() {
    let chain = format!("{HEADER}let x = salary < 1{}\n", " | salary < 1".repeat(20_000));
    assert!(parse("p.tacit", &chain).is_ok());
}

#[test]
fn files_outside_of_the_folder_are_not_read() {
    for path in ["/etc/passwd", "../x.txt", "a/../../x.txt"] {
        let text = format!("let x = circuit_file(\"{path}\")(salary)\n");
        assert_error(&text, (1, 22), "not in the program's folder");
    }
    assert_error("let x = circuit_file(\"none.txt\")(salary)\n", (1, 22), "cannot read");
}
