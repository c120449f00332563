//! The store: redb in one file.

use crate::error::Error;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use std::collections::BTreeMap;
use std::path::Path;
use tacit_node::{Batch, Dataset, Stored, Table};

/// What a change of the store's layout raises.
const SCHEMA: &[u8] = b"1";

/// The node's records, durably.
pub struct Store(Database);

fn table(table: Table) -> TableDefinition<'static, &'static str, &'static [u8]> {
    TableDefinition::new(table.name())
}

const META: TableDefinition<'static, &'static str, &'static [u8]> = TableDefinition::new("meta");

fn failed(e: impl std::fmt::Display) -> Error {
    Error::system(format!("the state's database: {e}"))
}

impl Store {
    /// Opens a store, or makes it.
    ///
    /// # Errors
    /// It is damaged, in use by another process, of a later version, or cannot be written.
    pub fn open(path: &Path) -> Result<Store, Error> {
        let store = Store(Database::create(path).map_err(failed)?);
        let writing = store.0.begin_write().map_err(failed)?;
        {
            let mut meta = writing.open_table(META).map_err(failed)?;
            let known = meta.get("schema").map_err(failed)?.map(|it| it.value().to_vec());
            match known {
                None => drop(meta.insert("schema", SCHEMA).map_err(failed)?),
                Some(known) if known == SCHEMA => {}
                Some(_) => {
                    let path = path.display();
                    return Err(Error::config(format!(
                        "{path}: a later version of Tacit wrote this state"
                    )));
                }
            }
            for kind in Table::ALL {
                writing.open_table(table(kind)).map_err(failed)?;
            }
        }
        writing.commit().map_err(failed)?;
        Ok(store)
    }

    /// All records.
    ///
    /// # Errors
    /// It is damaged.
    pub fn load(&self) -> Result<Vec<Stored>, Error> {
        let reading = self.0.begin_read().map_err(failed)?;
        let mut all = Vec::new();
        for kind in Table::ALL {
            let records = reading.open_table(table(kind)).map_err(failed)?;
            for record in records.iter().map_err(failed)? {
                let (key, value) = record.map_err(failed)?;
                let (key, value) = (key.value().to_owned(), value.value().to_vec());
                all.push(Stored { table: kind, key, value });
            }
        }
        Ok(all)
    }

    /// Copies all records, as they are at one moment, into a store that is not there yet, and gives them.
    ///
    /// # Errors
    /// It is damaged, or the copy cannot be written.
    pub fn copy(&self, path: &Path) -> Result<Vec<Stored>, Error> {
        let records = self.load()?;
        let copy = Store::open(path)?;
        copy.insert(&records)?;
        Ok(records)
    }

    /// Adds one record.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, record: &Stored) -> Result<(), Error> {
        self.insert(std::slice::from_ref(record))
    }

    fn insert(&self, records: &[Stored]) -> Result<(), Error> {
        let writing = self.0.begin_write().map_err(failed)?;
        for Stored { table: kind, key, value } in records {
            let mut records = writing.open_table(table(*kind)).map_err(failed)?;
            records.insert(key.as_str(), value.as_slice()).map_err(failed)?;
        }
        writing.commit().map_err(failed)
    }

    /// The records of one table, in order of their keys.
    ///
    /// # Errors
    /// It is damaged.
    pub fn values(&self, kind: Table) -> Result<Vec<Vec<u8>>, Error> {
        let reading = self.0.begin_read().map_err(failed)?;
        let records = reading.open_table(table(kind)).map_err(failed)?;
        let values = records.iter().map_err(failed)?;
        values.map(|record| Ok(record.map_err(failed)?.1.value().to_vec())).collect()
    }

    /// Digests of this party's tables, by version.
    ///
    /// # Errors
    /// It is damaged.
    pub fn tables(&self) -> Result<BTreeMap<String, String>, Error> {
        let datasets = self.values(Table::Datasets)?;
        let datasets = datasets.iter().map(|it| serde_json::from_slice::<Dataset>(it));
        let datasets: Vec<Dataset> = datasets.collect::<Result<_, _>>().map_err(failed)?;
        let versions = datasets.into_iter().flat_map(|it| it.versions);
        Ok(versions.map(|it| (it.version, it.digest)).collect())
    }

    /// Makes changes durable, all or none, and returns when they are.
    ///
    /// # Errors
    /// They may or may not be durable: the process must end.
    pub fn commit(&self, batch: &Batch) -> Result<(), Error> {
        let writing = self.0.begin_write().map_err(failed)?;
        for change in batch.changes() {
            let mut records = writing.open_table(table(change.table)).map_err(failed)?;
            match &change.value {
                Some(value) => {
                    records.insert(change.key.as_str(), value.as_slice()).map_err(failed)?;
                }
                None => drop(records.remove(change.key.as_str()).map_err(failed)?),
            }
        }
        writing.commit().map_err(failed)
    }
}
