//! Results as Parquet.

use std::io::{self, Write};

use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::arrow;
use super::table::OutputTable;

pub(super) fn write(table: &OutputTable, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let (schema, batches) = arrow::batches(table);
    let options = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut parquet = ArrowWriter::try_new(writer, schema, Some(options))?;
    for batch in batches {
        parquet.write(&batch.map_err(io::Error::other)?)?;
    }
    parquet.close()?;
    Ok(())
}
