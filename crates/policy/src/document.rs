//! A policy file as a tree of values that know where they stand: the common form of TOML and JSON.

mod json;
mod toml;

use std::ops::Range;

use crate::{ErrorKind, PolicyError};

/// Deeper nesting than any policy has.
const DEEPEST: usize = 16;

/// A value and the byte offset of its first character.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) offset: usize,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    List(Vec<Node>),
    /// In the order of the text.
    Table(Vec<Entry>),
    /// Anything else, by what it is called.
    Other(&'static str),
}

/// A key with its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) offset: usize,
    pub(crate) node: Node,
}

/// A mistake at an offset of the text.
#[derive(Debug)]
pub(crate) struct Misplaced {
    pub(crate) offset: usize,
    pub(crate) error: PolicyError,
}

impl Misplaced {
    pub(crate) fn new(offset: usize, kind: ErrorKind, message: impl Into<String>) -> Self {
        Misplaced {
            offset,
            error: PolicyError::new(kind, message),
        }
    }
}

/// The language of a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Toml,
    Json,
}

/// Reads a text.
pub(crate) fn parse(text: &str, syntax: Syntax) -> Result<Node, Misplaced> {
    match syntax {
        Syntax::Toml => toml::parse(text),
        Syntax::Json => json::parse(text),
    }
}

impl Value {
    /// What it is called in a message.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Integer(_) => "a whole number",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(name) => name,
        }
    }
}

fn too_deep(offset: usize) -> Misplaced {
    Misplaced::new(
        offset,
        ErrorKind::Value,
        "values are nested deeper than a policy needs",
    )
}

/// Line and column (in characters) of an offset, both from 1.
pub(crate) fn position(text: &str, offset: usize) -> (u32, u32) {
    let Range { start, end } = line_at(text, offset);
    let before = text.get(..start).unwrap_or_default();
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = text.get(start..end).unwrap_or_default().chars().count() + 1;
    (
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    )
}

/// From the start of the line that `offset` is in to the offset.
fn line_at(text: &str, offset: usize) -> Range<usize> {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let start = text
        .get(..end)
        .and_then(|t| t.rfind('\n'))
        .map_or(0, |newline| newline + 1);
    start..end
}
