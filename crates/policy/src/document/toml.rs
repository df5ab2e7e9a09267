//! TOML to a tree of values.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DEEPEST, Entry, Misplaced, Node, Value, too_deep};
use crate::ErrorKind;

pub(super) fn parse(text: &str) -> Result<Node, Misplaced> {
    let table = DeTable::parse(text).map_err(|e| {
        let offset = e.span().map_or(0, |span| span.start);
        Misplaced::new(
            offset,
            ErrorKind::Syntax,
            format!("this is not TOML: {}", e.message()),
        )
    })?;
    Ok(Node {
        offset: 0,
        value: entries(table.get_ref(), DEEPEST)?,
    })
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Misplaced> {
    let offset = value.span().start;
    let Some(depth) = depth.checked_sub(1) else {
        return Err(too_deep(offset));
    };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Other("a number that is too large"),
        },
        DeValue::Float(_) => Value::Other("a number that is not whole"),
        DeValue::Boolean(_) => Value::Other("a truth value"),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(list) => Value::List(
            list.iter()
                .map(|item| node(item, depth))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => entries(table, depth)?,
    };
    Ok(Node { offset, value })
}

fn entries(table: &DeTable<'_>, depth: usize) -> Result<Value, Misplaced> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let (offset, key) = (key.span().start, key.get_ref().to_string());
        entries.push(Entry {
            key,
            offset,
            node: node(value, depth)?,
        });
    }
    entries.sort_by_key(|entry| entry.offset);
    Ok(Value::Table(entries))
}
