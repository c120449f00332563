//! Tables and their schemas: any bytes are a schema or an error, and a CSV or Parquet file is a table
//! within the schema's types and ranges or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Write;
use tacit_tables::{Schema, read};

const SCHEMA: &str = "
[[column]]
input = \"a\"
type = \"i16\"
range = [-300, 300]

[[column]]
input = \"b\"
type = \"fixed(32,8)\"
missing = { fill = 0 }

[[column]]
input = \"c\"
type = \"bit\"

[[column]]
input = \"d\"
type = \"date\"

[[column]]
input = \"e\"
type = \"u8\"
categories = [\"low\", \"high\"]
";

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = Schema::parse(&text, "schema", &[]) {
        assert!(!error.to_string().is_empty());
    }
    let schema = Schema::parse(SCHEMA, "schema", &[]).expect("a schema");
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(data).expect("room");
    match read(file.path(), &schema) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(table) => assert_eq!(table.fields(), schema.fields()),
    }
});
