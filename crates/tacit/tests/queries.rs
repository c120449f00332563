//! Random queries under protocols of each kind: what their programs show is what the oracle of plans says.

use tacit::{ErrorKind, LocalParties, Program, Values, protocols};
use tacit_protocol::Protocol;
use tacit_query::clear;
use tacit_query::lower::lower;
use tacit_query::random;
use tacit_query::sql::{self, Settings};

/// Protocols, and how many parties compute under them.
const PROTOCOLS: [(Protocol, usize); 6] = [
    (protocols::TRIO, 3),
    (protocols::REPLICATED, 3),
    (protocols::LIFT, 3),
    (protocols::QUAD, 4),
    (protocols::GMW, 3),
    (protocols::YAO_THREE, 3),
];

fn check(seed: u64, (protocol, parties): (Protocol, usize)) {
    let mut case = random::case(seed);
    let names = ["alice", "bob", "carol", "dave"];
    case.catalog.others = names[..parties].iter().map(ToString::to_string).collect();
    let to = vec!["alice".to_owned()];
    let max_matches = case.max_matches;
    let settings = Settings { to, max_rows: Some(60), max_matches, ..Settings::default() };
    let query =
        sql::bind("random.sql", &case.sql, &mut case.catalog.clone(), &settings).expect("a query");
    let lowered = lower(&query, &case.catalog).expect("a program");
    let program = Program::from(lowered.program);
    let mut parties = LocalParties::new(&program, protocol);
    for (name, raw) in random::inputs(&program, &case.catalog, &case.tables) {
        parties = parties.input(&name, Values::raw(&raw));
    }
    let outcome = parties
        .run()
        .unwrap_or_else(|error| panic!("seed {seed} under {protocol}: {error}\n{}", case.sql));
    let result = |name: &str| outcome.get(name).map(|value| value.raw().collect());
    let answer = lowered.shown.answer(result).expect("an answer");
    let expected = clear::evaluate(&query, &case.catalog, &case.tables).expect("an answer");
    assert_eq!(answer.rows.rows, expected.rows.rows, "seed {seed} under {protocol}\n{}", case.sql);
    assert_eq!(answer.truncated, expected.truncated, "seed {seed} under {protocol}");
}

#[test]
fn queries_show_the_same_under_protocols_of_each_kind() {
    for (seed, protocol) in (0..18).zip(PROTOCOLS.iter().cycle()) {
        check(seed, *protocol);
    }
}

/// Minutes long: part of `make test-all`.
#[test]
#[ignore = "minutes long"]
fn many_queries_show_the_same_under_six_protocols() {
    for seed in 0..300 {
        PROTOCOLS.iter().for_each(|protocol| check(seed, *protocol));
    }
}

const SHOP: &str = "
CREATE TABLE alice.people (id INT PRIMARY KEY CHECK (id BETWEEN 1 AND 9), city ENUM ('Bern', 'Genf')) WITH (max_rows = 9);
CREATE TABLE alice.cards (person INT NOT NULL CHECK (person BETWEEN 1 AND 9)) WITH (max_rows = 9);
CREATE TABLE bob.sales (person INT NOT NULL CHECK (person BETWEEN 1 AND 9), cost DECIMAL(6, 2)) WITH (max_rows = 9);
CREATE ROLE carol;
GRANT SELECT ON result TO bob;
SET min_rows = 2;
SELECT p.city, count(*) AS sales, sum(s.cost) AS cost FROM bob.sales s JOIN alice.people p ON s.person = p.id
WHERE p.id IN (SELECT person FROM alice.cards) GROUP BY p.city ORDER BY p.city;";

#[test]
fn tables_are_read_from_files_one_by_one_and_the_answer_is_a_table() {
    let program = Program::parse_sql("shop.sql", SHOP).expect("a query");
    assert_eq!(program.unique(), [["alice.people.id"]]);
    assert_eq!(program.disclosed().expect("a query").learned[0], "bob learns city, sales, cost");
    let folder = tempfile::tempdir().expect("a folder");
    let mut lab = LocalParties::new(&program, protocols::TRIO);
    for (party, table, text) in [
        ("alice", "people", "id,city\n1,Bern\n2,\n3,Genf\n"),
        ("alice", "cards", "person\n1\n2\n3\n"),
        ("bob", "bob.sales", "person,cost\n1,0.29\n1,0.1\n3,5\n2,\n2,\n"),
    ] {
        let path = folder.path().join(table);
        std::fs::write(&path, text).expect("a file");
        for (name, values) in program.read_table(party, Some(table), &path).expect("a table") {
            lab = lab.input(&name, values);
        }
    }
    let outcome = lab.run().expect("an outcome");
    let answer = outcome.answer().expect("an answer").expect("a query");
    assert_eq!(
        (answer.names().collect::<Vec<_>>(), answer.rows()),
        (vec!["city", "sales", "cost"], 2)
    );
    assert_eq!(answer.remarks(), ["groups of fewer than 2 rows are not shown: city Genf"]);
    let shown = outcome.to_string();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> =
        shown.lines().map(cells).filter(|line| line[0].is_ascii()).collect();
    // The group of what is null comes last, and has no sum.
    assert_eq!(lines[1..3], [vec!["Bern", "2", "0.39"], vec!["2"]], "{shown}");
    assert!(shown.ends_with("groups of fewer than 2 rows are not shown: city Genf\n"), "{shown}");
    let each = lab.run_each().expect("outcomes");
    assert!(each[0].answer().expect("no error").is_none());
}

#[test]
fn tables_that_are_not_there_and_files_that_do_not_fit_are_refused() {
    let program = Program::parse_sql("shop.sql", SHOP).expect("a query");
    let wrong = |party: &str, table: Option<&str>| {
        let error = program.read_table(party, table, "absent.csv").expect_err("an error");
        assert_eq!(error.kind(), ErrorKind::Input);
        error.to_string()
    };
    assert!(wrong("alice", None).contains("say which table of alice it is; there are alice."));
    assert!(wrong("alice", Some("card")).contains("alice gives no table `card`; there are alice."));
    assert!(wrong("carol", Some("cards")).contains("carol gives no table"));
    assert!(wrong("dave", None).contains("there is no party `dave`; there are alice, bob, carol"));
    assert!(wrong("bob", None).contains("absent.csv"));
}

#[test]
fn mistakes_say_where_they_are() {
    let error =
        Program::parse_sql("shop.sql", &SHOP.replace("p.city ORDER", "p.citty ORDER")).unwrap_err();
    assert_eq!(error.place().map(|(file, line, _)| (file, line)), Some(("shop.sql", 9)));
    assert!(error.to_string().starts_with("shop.sql:9:"), "{error}");
    let error = Program::parse("no.tacit", "program no\nparties alice\nreveal x to all as \"x\"")
        .unwrap_err();
    assert_eq!(error.place().map(|(_, line, _)| line), Some(3));
    let nothing = Program::parse_sql("shop.sql", "").unwrap_err();
    assert_eq!(nothing.place().map(|(file, line, _)| (file, line)), Some(("shop.sql", 1)));
}

/// Rows are appended to the tables of those who say it, and to no others.
#[test]
fn padding_is_of_its_owner() {
    let source = "
        program both
        parties alice, bob, carol
        rows n in 3..3
        input there: bit[n] from alice of padding
        input x: u8[n] from alice
        input y: u8[n] from bob
        reveal sum(select(there, x + y, 0), axis 0) to all as \"sum\"";
    let program = Program::parse("both.tacit", source).expect("a program");
    let run = |y: &[u8]| {
        let lab = LocalParties::new(&program, protocols::TRIO);
        lab.input("x", [1u8, 2].as_slice()).input("y", y).run()
    };
    let outcome = run(&[10, 20, 40]).expect("an outcome");
    assert!(outcome.to_string().contains("33"), "{outcome}");
    assert!(run(&[10, 20]).is_err());
}
