//! Queries in SQL by the command line: the two examples, as processes and in the clear, and what is refused.

#[path = "common/commands.rs"]
mod commands;

use commands::{command, fails, ok};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The folder of an example.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The tables of parties, as flags.
fn tables(parties: &[&str]) -> String {
    parties.iter().map(|party| format!(" --table {party}={party}.csv")).collect()
}

fn json_of(folder: &Path, arguments: &str) -> Value {
    serde_json::from_str(&ok(folder, arguments)).expect("JSON")
}

/// What DuckDB says of the same tables; the third plan has fewer than 20 patients.
fn survey() -> Value {
    json!({ "plan": ["basic", "half"], "patients": [53, 37], "visits": [450, 355], "most": [20, 20] })
}

#[test]
fn a_survey_of_three_parties_by_group() {
    let (folder, tables) = (example("survey"), tables(&["alice", "bob", "carol"]));
    let clear = json_of(&folder, &format!("program eval survey.sql --json{tables}"));
    assert_eq!(clear["results"], survey());
    let run = format!("run survey.sql --local --protocol replicated --json{tables}");
    let run = json_of(&folder, &run);
    for party in run["parties"].as_array().expect("parties") {
        assert_eq!(party["results"], survey());
    }
    // On screen the answer says which groups are missing.
    let shown = ok(&folder, &format!("program eval survey.sql{tables}"));
    assert!(shown.contains("groups of fewer than 20 rows are not shown: plan full\n"), "{shown}");
}

#[test]
fn a_join_of_two_banks_with_a_third_party_that_computes() {
    let (folder, tables) = (example("banks"), tables(&["alice", "bob"]));
    let expected = json!({
        "segment": ["retail", "business"],
        "customers": [5, 9],
        "accounts": [5, 10],
        "owed": [1516.64, 2505.94],
        "since": ["2022-05-01", "2023-11-30"],
        "beyond": [0, 1],
    });
    let clear = json_of(&folder, &format!("program eval banks.sql --json{tables}"));
    assert_eq!(clear["results"], expected);
    let run = json_of(&folder, &format!("run banks.sql --local --protocol trio --json{tables}"));
    let learned = |party: usize| run["parties"][party]["results"].clone();
    assert_eq!([learned(0), learned(1), learned(2)], [expected.clone(), expected, Value::Null]);
}

#[test]
fn what_a_query_discloses_is_told_before_it_runs() {
    let told = ok(&example("survey"), "sql survey.sql");
    for part in [
        "alice, bob, carol learn plan, patients, visits, most",
        "groups of fewer than 20 rows are left out",
        "how many rows bob.patients has, from 0 to 100000",
        "group by plan: count(*) as patients, sum(visits) as visits, max(visits) as most",
        "filter age >= 40",
    ] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    let banks = json_of(&example("banks"), "sql banks.sql --json");
    assert_eq!(banks["checked"], json!([]));
    let codes: Vec<&str> = banks["advice"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it.as_str()?.get(..2))
        .collect();
    assert_eq!(codes, ["D1", "D3", "D4"]);
}

#[test]
fn wrong_queries_are_refused_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "CREATE TABLE alice.t (a INT NOT NULL) WITH (max_rows = 10);\nGRANT SELECT ON result TO alice;\n";
    let refused = |query: &str| {
        std::fs::write(folder.path().join("q.sql"), format!("{table}{query}")).expect("a file");
        let (code, told) = fails(folder.path(), "sql q.sql");
        assert_eq!(code, 2);
        told.trim_start_matches("tacit: q.sql:").trim_end().to_owned()
    };
    assert_eq!(refused("SELECT b FROM t"), "3:8: there is no column `b` here: there is a");
    assert_eq!(
        refused("SELECT t.a FROM t FULL JOIN t u ON t.a = u.a"),
        "3:29: a full join is not supported; LEFT JOIN and UNION ALL can say it"
    );
    assert!(
        refused("SELECT a FROM t WHERE a > 3").contains("nothing bounds it: add ORDER BY .. LIMIT")
    );
}

const TWO_TABLES: &str = "\
CREATE TABLE alice.prices (k INT NOT NULL UNIQUE CHECK (k BETWEEN 0 AND 99), price DECIMAL(5, 2)) WITH (max_rows = 10);
CREATE TABLE alice.orders (k INT NOT NULL CHECK (k BETWEEN 0 AND 99)) WITH (max_rows = 10);
CREATE ROLE bob;
CREATE ROLE carol;
GRANT SELECT ON result TO alice, bob;
SET max_rows = 2;
SELECT o.k, p.price FROM orders o JOIN prices p ON o.k = p.k;
";

/// A folder with a query over two tables of one party.
fn two_tables(prices: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("q.sql", TWO_TABLES);
    write("prices.csv", prices);
    write("orders.csv", "k\n3\n1\n7\n1\n");
    folder
}

#[test]
fn answers_are_written_to_files_and_say_that_there_is_more() {
    let folder = two_tables("k,price\n1,2.50\n3,\n");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=orders.csv";
    let run = format!("{run} --result alice=out.csv --result bob=out.json");
    let output = command(folder.path(), &run).output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("there are more rows than these"), "{told}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a result");
    assert_eq!(read("out.csv"), "k,price\n1,2.5\n1,2.5\n".replace("2.5\n", "2.50\n"));
    let json: Value = serde_json::from_str(&read("out.json")).expect("JSON");
    assert_eq!(json, json!({ "k": [1, 1], "price": [2.5, 2.5] }));
}

/// Whose key repeats is told before anything leaves its machine.
#[test]
fn keys_that_repeat_are_told_to_their_owner() {
    let folder = two_tables("k,price\n1,2.50\n3,1.00\n1,9.99\n");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=orders.csv";
    let (_, told) = fails(folder.path(), run);
    assert!(told.contains("alice.prices: rows 1 and 3 have the same k"), "{told}");
}

/// Rows that are appended to hide how many there are repeat no key.
#[test]
fn appended_rows_are_no_rows_of_a_table() {
    let folder = two_tables("k,price\n1,2.50\n3,\n");
    let query = TWO_TABLES
        .replace("DECIMAL(5, 2))", "DECIMAL(5, 2), counts BOOLEAN NOT NULL)")
        .replace("JOIN prices p", "JOIN (SELECT k, price FROM prices WHERE counts) p");
    std::fs::write(folder.path().join("q.sql"), query).expect("a file");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=orders.csv";
    let run = format!("{run} --pad alice.prices=alice.prices.counts --result alice=-");
    let told = ok(folder.path(), &run);
    assert!(told.contains("2.50"), "{told}");
}

/// A padded table takes what one of the most rows takes, whatever it has, and nobody is told how many rows that is.
#[test]
fn padded_tables_hide_how_many_rows_they_have() {
    let folder = two_tables("k,price\n1,2.50\n3,\n");
    let query = TWO_TABLES.replace("(max_rows = 10)", "(max_rows = 10, padded = true)");
    std::fs::write(folder.path().join("q.sql"), query).expect("a file");
    std::fs::write(folder.path().join("more.csv"), "k\n3\n7\n1\n1\n1\n3\n9\n").expect("a file");
    let shown = ok(folder.path(), "sql q.sql");
    assert!(shown.contains("alice.orders has 10 rows at most, and not how many"), "{shown}");
    assert!(shown.contains("filter there"), "{shown}");
    // The text form says it, too, so that whoever reads that appends rows as well.
    ok(folder.path(), "sql q.sql --output q.tacit");
    let text = std::fs::read_to_string(folder.path().join("q.tacit")).expect("a program");
    let padding = "input \"alice.orders.there\" as v1: bit[\"alice.orders\"] from alice of padding";
    assert!(text.contains(padding), "{text}");
    let run = |program: &str, orders: &str, protocol: &str| {
        let prefix = if program == "q.sql" { "" } else { "alice." };
        let tables = format!(
            "--table alice/{prefix}prices=prices.csv --table alice/{prefix}orders={orders}.csv"
        );
        json_of(
            folder.path(),
            &format!("run {program} --local --protocol {protocol} {tables} --json"),
        )
    };
    for protocol in ["replicated", "lift"] {
        let (few, many) = (run("q.sql", "orders", protocol), run("q.sql", "more", protocol));
        assert_eq!(few["parties"][0]["results"]["k"], json!([1, 1]));
        assert_eq!(many["parties"][0]["results"]["k"], json!([1, 1]));
        let rows = |report: &Value| report["parties"][0]["report"]["rows"].clone();
        assert_eq!(rows(&few), json!([["alice.orders", 10], ["alice.prices", 10]]));
        let sent = |report: &Value| {
            let links = report["parties"][0]["report"]["links"].as_array().expect("links").clone();
            let bytes = links.iter().map(|link| link["bytes"].as_u64().expect("bytes"));
            bytes.collect::<Vec<u64>>()
        };
        assert_eq!(sent(&few), sent(&many));
        assert_eq!(rows(&run("q.tacit", "orders", protocol)), rows(&few));
    }
    std::fs::write(folder.path().join("more.csv"), format!("k{}", "\n1".repeat(11)))
        .expect("a file");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=more.csv";
    let (_, told) = fails(folder.path(), run);
    assert!(told.contains("more rows than the declared maximum of 10"), "{told}");
    // Rows are counted also where nothing else of them is needed.
    let (head, _) = TWO_TABLES.split_once("GRANT").expect("tables");
    let head = head.replace("(max_rows = 10)", "(max_rows = 10, padded = true)");
    let count = format!("{head} GRANT SELECT ON result TO bob; SELECT count(*) AS n FROM orders;");
    std::fs::write(folder.path().join("n.sql"), count).expect("a file");
    let run = "run n.sql --local --protocol replicated --table alice/orders=orders.csv --json";
    let counted = json_of(folder.path(), run);
    assert_eq!(counted["parties"][1]["results"]["n"], json!([4]), "{counted}");
    // Rows that are appended repeat no key, and those that are there may not.
    std::fs::write(folder.path().join("prices.csv"), "k,price\n0,1\n0,2\n").expect("a file");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=orders.csv";
    assert!(fails(folder.path(), run).1.contains("rows 1 and 2 have the same k"));
}

/// An owner that does not look, as the program itself has no unique columns, is found out in the run: under protocols of both kinds it
/// ends, all are told why, and nobody learns a result.
#[test]
fn keys_that_repeat_end_the_run_for_all() {
    let folder = two_tables("k,price\n1,2.50\n3,1.00\n1,9.99\n");
    ok(folder.path(), "sql q.sql --output q.tacit");
    for protocol in ["replicated", "lift"] {
        let run = format!(
            "run q.tacit --local --protocol {protocol} --table alice/alice.prices=prices.csv --table alice/alice.orders=orders.csv"
        );
        let (_, told) = fails(folder.path(), &run);
        assert!(told.contains("no result was revealed"), "{told}");
    }
}

/// What a run discloses is said before it.
#[test]
fn runs_say_what_they_disclose() {
    let folder = two_tables("k,price\n1,2.50\n3,\n");
    let run = "run q.sql --local --protocol replicated --table alice/prices=prices.csv --table alice/orders=orders.csv";
    let output = command(folder.path(), run).output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    for said in [
        "discloses: alice, bob learn k, price, and how many rows there are, of 2 at most",
        "everybody learns how many rows alice.orders has, from 0 to 10",
        "checks in the run: that no two rows on one side of a join have the same k",
        "look at D1: rows of tables are shown as they are",
    ] {
        assert!(told.contains(said), "{told}");
    }
}

/// Files of SQL are programs for the other commands.
#[test]
fn other_commands_take_queries() {
    let folder = example("survey");
    assert!(
        ok(&folder, "plan survey.sql --network lan --security semi-honest").contains("replicated")
    );
    let rows = "--rows alice.patients=60 --rows bob.patients=45 --rows carol.patients=52";
    assert!(
        ok(&folder, &format!("lab survey.sql --network lan --protocol trio {rows}"))
            .contains("trio")
    );
    assert!(ok(&folder, "program check survey.sql").contains("program survey"));
    let told =
        ok(&folder, &format!("program explain survey.sql --protocol trio --network global {rows}"));
    assert!(told.starts_with("under trio, by rings, predicted on global"), "{told}");
    assert!(told.contains("survey.sql:13") && told.contains("segment_max"), "{told}");
    let json = ok(&folder, &format!("program explain survey.sql --json {rows}"));
    let told: Value = serde_json::from_str(&json).expect("JSON");
    let seconds = |it: &Value| {
        ["waiting_seconds", "sending_seconds", "computing_seconds"]
            .map(|part| it[part].as_f64().expect("seconds"))
            .iter()
            .sum::<f64>()
    };
    let all: f64 = told["operations"].as_array().expect("operations").iter().map(seconds).sum();
    assert!((all - seconds(&told["total"])).abs() < 1e-6, "{told}");
    let operators = told["plan"].as_array().expect("operators");
    let all: f64 = operators.iter().map(seconds).sum();
    assert!((all - seconds(&told["total"])).abs() < 1e-6, "{told}");
    let sent = |what: &str| {
        let name = |it: &&Value| it["name"].as_str().expect("a name").trim().starts_with(what);
        operators.iter().find(name).expect("an operator")["bytes"].as_f64().expect("bytes")
    };
    // Each party compares its own ages; the groups are of all.
    assert!(sent("group by plan") > sent("filter") && sent("rows that are shown") > 0.0, "{told}");
    assert!(
        fails(&folder, "program explain survey.sql --protocol trioo")
            .1
            .contains("did you mean `trio`")
    );
}

const LETTERS: &str = "\
CREATE TABLE alice.visits (icd TEXT NOT NULL, mail TEXT, note VARCHAR(12), cost INT NOT NULL CHECK (cost BETWEEN 0 AND 999)) WITH (max_rows = 10);
CREATE TABLE bob.people (mail TEXT, age INT NOT NULL CHECK (age BETWEEN 0 AND 120)) WITH (max_rows = 10);
CREATE ROLE carol;
GRANT SELECT ON result TO alice;
SET max_matches = 1;
SELECT count(*) AS n, sum(v.cost) AS cost, sum(p.age) AS age, sum(length(v.note)) AS letters
FROM alice.visits v JOIN bob.people p ON lower(v.mail) = lower(trim(p.mail)) WHERE v.icd LIKE 'C50%';
";
const VISITS: &str = "icd,mail,note,cost\n\
    C50.1,Ann@x.org,été,100\n\
    c50,ann@x.org,abc,1\n\
    C509,zo\u{eb}@X.org,,20\n\
    XC50,bob@x.org,abc,2\n\
    C50,,abc,3\n\
    C50,bob@x.org,\u{1f926}\u{1f3fc},300\n";
const PEOPLE: &str =
    "mail,age\n\u{a0}ANN@x.org,30\nZO\u{cb}@x.org,40\n,7\nbob@X.ORG,50\ncara@x.org,60\n";

/// What owners compute of texts is told, is a part of the program, and is computed when a table is read.
#[test]
fn owners_compute_functions_of_their_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("q.sql", LETTERS);
    write("visits.csv", VISITS);
    write("people.csv", PEOPLE);
    let told = ok(folder, "sql q.sql --output q.tacit");
    for part in [
        "COMPUTED BY THE OWNERS",
        "alice computes alice.visits.icd LIKE 'C50%'\n",
        "alice computes length(alice.visits.note)\n",
        "alice computes lower(alice.visits.mail)\n",
        "bob computes lower(trim(bob.people.mail))\n",
        "filter icd LIKE 'C50%'",
    ] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    let program = std::fs::read_to_string(folder.join("q.tacit")).expect("the program");
    assert!(program.contains("of text(\"alice.visits.icd\", like \"C50%\")"), "{program}");
    // The texts themselves do not go in.
    let shown = ok(folder, "program show q.tacit");
    assert!(shown.contains("text(\"bob.people.mail\", trim, lower)"), "{shown}");
    assert!(!shown.contains("\"alice.visits.icd\"  "), "{shown}");

    let expected = json!({ "n": [3], "cost": [420], "age": [120], "letters": [5] });
    let tables = "--json --table alice=visits.csv --table bob=people.csv";
    let clear = json_of(folder, &format!("program eval q.sql {tables}"));
    assert_eq!(clear["results"], expected);
    let run = json_of(folder, &format!("run q.sql --local --protocol trio {tables}"));
    assert_eq!(run["parties"][0]["results"], expected);
    let text = json_of(folder, &format!("program eval q.tacit {tables}"));
    assert_eq!(text["results"]["letters"], expected["letters"]);

    // A column is called otherwise, by a flag and by a schema.
    write("other.csv", &VISITS.replace("icd,mail", "diagnosis,address"));
    let tables = "--json --table alice=other.csv --table bob=people.csv";
    let flags = "--column alice.visits.icd=diagnosis --column alice.visits.mail=address";
    let clear = json_of(folder, &format!("program eval q.sql {tables} {flags}"));
    assert_eq!(clear["results"], expected);
    let schema = "[[column]]\ninput = \"icd\"\nname = \"diagnosis\"\n[[column]]\ninput = \"alice.visits.mail\"\nname = \"address\"\n";
    write("schema.toml", schema);
    let clear = json_of(folder, &format!("program eval q.sql {tables} --schema schema.toml"));
    assert_eq!(clear["results"], expected);
    let (_, told) =
        fails(folder, &format!("program eval q.sql {tables} --column alice.visits.icdd=diagnosis"));
    assert!(told.contains("did you mean"), "{told}");

    // A text is longer than is said of the column.
    write("visits.csv", &VISITS.replace("\u{e9}t\u{e9}", "a longer text"));
    let tables = "--table alice=visits.csv --table bob=people.csv";
    let (code, told) = fails(folder, &format!("program eval q.sql {tables}"));
    assert_eq!(code, 2);
    assert!(told.contains("\"note\"") && told.contains("0 to 12 characters"), "{told}");
    assert!(!told.contains("longer text"), "{told}");
    write("visits.csv", &VISITS.replace("C509,", ","));
    let (_, told) = fails(folder, &format!("program eval q.sql {tables}"));
    assert!(told.contains("\"icd\"") && told.contains("no value"), "{told}");
}
