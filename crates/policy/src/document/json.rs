//! JSON to a tree of values.
//!
//! Each value is first taken as the slice of the text that it is: where the slice starts is where the value stands.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{DEEPEST, Entry, Misplaced, Node, Value, line_at, too_deep};
use crate::ErrorKind;

pub(super) fn parse(text: &str) -> Result<Node, Misplaced> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| syntax(text, 0, &e))?;
    node(text, raw, DEEPEST)
}

fn syntax(text: &str, start: usize, e: &serde_json::Error) -> Misplaced {
    let inner = text.get(start..).unwrap_or_default();
    let line = inner
        .split_inclusive('\n')
        .take(e.line().saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let message = e.to_string();
    // The position is told apart, and of the whole text rather than of the slice.
    let message = message.split(" at line ").next().unwrap_or_default();
    let offset = line_at(text, start + line + e.column().saturating_sub(1)).end;
    Misplaced::new(
        offset,
        ErrorKind::Syntax,
        format!("this is not JSON: {message}"),
    )
}

fn node(text: &str, raw: &RawValue, depth: usize) -> Result<Node, Misplaced> {
    let slice = raw.get();
    let offset = (slice.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let Some(depth) = depth.checked_sub(1) else {
        return Err(too_deep(offset));
    };
    let failed = |e| syntax(text, offset, &e);
    let value = match slice.bytes().next() {
        Some(b'"') => Value::Text(serde_json::from_str(slice).map_err(failed)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(slice).map_err(failed)?;
            Value::List(
                items
                    .into_iter()
                    .map(|item| node(text, item, depth))
                    .collect::<Result<_, _>>()?,
            )
        }
        Some(b'{') => {
            let Pairs(pairs) = serde_json::from_str(slice).map_err(failed)?;
            let mut seen = BTreeSet::new();
            let mut entries = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                let Node {
                    offset,
                    value: Value::Text(key),
                } = node(text, key, 1)?
                else {
                    continue;
                };
                if !seen.insert(key.clone()) {
                    let message = format!("the key {key:?} is given twice; remove one of the two");
                    return Err(Misplaced::new(offset, ErrorKind::Key, message));
                }
                entries.push(Entry {
                    key,
                    offset,
                    node: node(text, value, depth)?,
                });
            }
            Value::Table(entries)
        }
        Some(b't' | b'f') => Value::Other("a truth value"),
        Some(b'n') => Value::Other("null"),
        _ => match slice.parse() {
            Ok(number) => Value::Integer(number),
            Err(_) if slice.contains(['.', 'e', 'E']) => Value::Other("a number that is not whole"),
            Err(_) => Value::Other("a number that is too large"),
        },
    };
    Ok(Node { offset, value })
}

/// The pairs of an object, in order, repeated keys included.
struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'t> Visitor<'t> for PairsVisitor {
            type Value = Pairs<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}
