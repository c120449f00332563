//! Files of SQL: tables, settings, who learns the result, and the query.

use super::{At, Binder, Settings, finished, instead, parts, read, statements};
use crate::catalog::Catalog;
use crate::error::{QueryError, Result};
use crate::plan::Query;
use sqlparser::ast::{
    self, Action, Expr as Ast, GrantObjects, GranteeName, Privileges, Set, Statement, Value,
};
use std::sync::Arc;
use tacit_program::Span;

/// Reads a file of SQL: CREATE TABLE statements that say which tables there are, settings, one query, and who learns its result.
/// `file` stands for it in messages.
///
/// # Errors
/// When the text is no such file, or its query is not supported, with line and column.
pub fn parse(file: &str, sql: &str) -> Result<(Catalog, Query)> {
    read::deep(|| parsed(file, sql))
}

fn parsed(file: &str, sql: &str) -> Result<(Catalog, Query)> {
    let (file, name): (Arc<str>, String) = (file.into(), name_of(file));
    let (statements, words) = statements(&file, sql)?;
    let empty = Catalog::default();
    let mut settings = Settings { name, ..Settings::default() };
    let mut reader = Binder::new(&file, &empty, &settings, words.clone());
    let (mut catalog, mut query, mut to) = (Catalog::default(), None, Vec::new());
    for statement in &statements {
        match statement {
            Statement::CreateTable(create) => {
                let table = reader.table_of(create, &catalog.tables)?;
                catalog.tables.push(table);
            }
            Statement::Set(set) => {
                reader.set(set, statement, &mut settings)?;
                reader.fraction = settings.fraction;
            }
            Statement::CreateRole(create) => {
                for name in &create.names {
                    match parts(name).as_deref() {
                        Some([name]) => catalog.others.push(name.value.clone()),
                        _ => return reader.error(name, "a party has a name: CREATE ROLE carol"),
                    }
                }
            }
            Statement::Grant(grant) => to.push((grant, words.numbered(to.len(), "GRANT"))),
            Statement::Query(_) if query.is_some() => {
                return reader.error(
                    statement,
                    "there is one query in a file: put its parts together by WITH",
                );
            }
            Statement::Query(of) => query = Some(of),
            _ => {
                return reader.error(
                    statement,
                    "a file has CREATE TABLE, CREATE ROLE, SET, GRANT SELECT ON result TO .., and one SELECT",
                );
            }
        }
    }
    let Some(query) = query else {
        return Err(QueryError::new(&words.end, "there is no query: a file ends with a SELECT"));
    };
    if catalog.tables.is_empty() {
        let what = "no table is described: CREATE TABLE alice.visits (age INT NOT NULL CHECK (age BETWEEN 0 AND 120)) WITH (max_rows = 100000)";
        return reader.error(query.as_ref(), what);
    }
    for (grant, place) in to {
        for name in reader.granted(grant, &place, &catalog)? {
            if !settings.to.contains(&name) {
                settings.to.push(name);
            }
        }
    }
    if settings.to.is_empty() {
        let what = "nobody learns the result: GRANT SELECT ON result TO alice, or TO public, which means all parties";
        return Err(QueryError::new(&words.end, what));
    }
    let query = Binder::new(&file, &catalog, &settings, words).whole(query, &settings)?;
    let query = finished(query, &mut catalog)?;
    Ok((catalog, query))
}

/// The name of a program, from that of its file.
fn name_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = name.strip_suffix(".sql").unwrap_or(name);
    if name.is_empty() { "query".to_owned() } else { name.to_owned() }
}

/// The most that `max_matches` may be: results have so many times as many rows.
const MOST_MATCHES: u64 = 100;

impl Binder<'_> {
    fn set(&self, set: &Set, at: &Statement, settings: &mut Settings) -> Result<()> {
        const WHAT: &str = "there are SET max_rows = 100, SET min_rows = 10, SET max_matches = 4, SET fraction = 16 and SET name = 'visits'";
        let Set::SingleAssignment { variable, values, .. } = set else {
            return self.error(at, WHAT);
        };
        let [value] = values.as_slice() else { return self.error(at, WHAT) };
        match variable.to_string().to_ascii_lowercase().as_str() {
            // No array has more.
            "max_rows" => settings.max_rows = Some(self.count(value)?.clamp(1, u32::MAX.into())),
            "min_rows" => settings.min_rows = Some(self.count(value)?),
            "max_matches" => match self.count(value)? {
                matches @ 1..=MOST_MATCHES => settings.max_matches = Some(matches),
                _ => {
                    let what = "max_matches is 1 to 100, the most rows behind JOIN that may have the same key";
                    return self.error(value, what);
                }
            },
            "fraction" => match self.count(value)? {
                bits @ 1..=32 => settings.fraction = bits as u8,
                _ => {
                    return self.error(
                        value,
                        "fraction is 1 to 32, the bits behind the point of quotients and means",
                    );
                }
            },
            "name" => match value {
                Ast::Value(value) => match &value.value {
                    Value::SingleQuotedString(name) => settings.name.clone_from(name),
                    _ => return self.error(value, WHAT),
                },
                _ => return self.error(value, WHAT),
            },
            _ => return self.error(variable, WHAT),
        }
        Ok(())
    }

    /// The parties that learn the result.
    fn granted(&self, grant: &ast::Grant, at: &Span, catalog: &Catalog) -> Result<Vec<String>> {
        const WHAT: &str = "who learns the result is said so: GRANT SELECT ON result TO alice, bob";
        let select = match &grant.privileges {
            Privileges::Actions(actions) => {
                matches!(actions.as_slice(), [Action::Select { columns: None }])
            }
            Privileges::All { .. } => false,
        };
        let result = match &grant.objects {
            Some(GrantObjects::Tables(tables)) => {
                matches!(tables.as_slice(), [name] if name.to_string().eq_ignore_ascii_case("result"))
            }
            _ => false,
        };
        let wrong = || QueryError::new(at, WHAT);
        if !select || !result || grant.with_grant_option {
            return Err(wrong());
        }
        let mut names = Vec::new();
        for grantee in &grant.grantees {
            match &grantee.name {
                Some(GranteeName::ObjectName(name)) => match parts(name).as_deref() {
                    Some([name])
                        if name.quote_style.is_none()
                            && name.value.eq_ignore_ascii_case("public") =>
                    {
                        names.extend(catalog.parties().into_iter().map(str::to_owned));
                    }
                    Some([name]) => {
                        let known = catalog.parties();
                        let spelled = known.iter().find(|it| it.eq_ignore_ascii_case(&name.value));
                        let Some(spelled) = spelled else {
                            let named = &name.value;
                            let meant = instead(named, known.iter().copied());
                            let what = format!(
                                "there is no party `{named}`: {meant} One that gives no table is named by CREATE ROLE {named}"
                            );
                            return self.error(&At(name), what);
                        };
                        names.push((*spelled).to_owned());
                    }
                    _ => return Err(wrong()),
                },
                _ if grantee.grantee_type == ast::GranteesType::Public => {
                    names.extend(catalog.parties().into_iter().map(str::to_owned));
                }
                _ => return Err(wrong()),
            }
        }
        Ok(names)
    }
}
