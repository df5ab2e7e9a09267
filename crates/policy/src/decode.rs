//! From the tree of a policy file to a policy.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::document::{self, Entry, Misplaced, Node, Syntax, Value};
use crate::format::{self, FILES, LIMITS, Limit, TOP};
use crate::nearest::did_you_mean;
use crate::settings::Word;
use crate::{
    Context, Environment, EnvironmentMode, ErrorKind, Lifetime, Limits, Network, Pattern, Policy,
    PolicyError, Rule, RuleKind, Source, Terminal, Tmp, expand,
};

/// Where a text came from.
pub(crate) enum Origin<'a> {
    File(&'a Path),
    Preset { name: &'a str, version: u32 },
}

/// Reads a policy from text.
pub(crate) fn decode(
    text: &str,
    syntax: Syntax,
    origin: &Origin<'_>,
    ctx: &Context,
) -> Result<Policy, PolicyError> {
    let (path, base) = match origin {
        Origin::File(path) => {
            let base = ctx.cwd().join(path.parent().unwrap_or(Path::new("")));
            (path.to_path_buf(), base)
        }
        Origin::Preset { name, .. } => {
            (PathBuf::from(format!("preset {name}")), PathBuf::from("/"))
        }
    };
    let reader = Reader {
        text,
        origin,
        path: &path,
        base: expand::normalize(&base),
        ctx,
    };
    let policy = document::parse(text, syntax).and_then(|node| reader.policy(&node));
    policy.map_err(|Misplaced { offset, error }| {
        error.at(&path, Some(document::position(text, offset)))
    })
}

struct Reader<'a> {
    text: &'a str,
    origin: &'a Origin<'a>,
    path: &'a Path,
    /// What relative paths are relative to.
    base: PathBuf,
    ctx: &'a Context,
}

type Read<T> = Result<T, Misplaced>;

impl Reader<'_> {
    fn policy(&self, node: &Node) -> Read<Policy> {
        let top = table(node, "a policy")?;
        let names: Vec<&str> = TOP.to_vec();
        known(top, &names, "the file")?;
        self.version(node, top)?;
        let mut policy = match find(top, "preset") {
            Some(node) => self.preset(node)?,
            None => Policy::default(),
        };
        for Entry { key, node, .. } in top {
            match key.as_str() {
                "files" => self.files(node, &mut policy)?,
                "environment" => environment(node, policy.environment_mut())?,
                "network" => network(node, &mut policy)?,
                "tmp" => policy.set_tmp(word::<Tmp>(node, "tmp")?),
                "limits" => policy.set_limits(limits(node, *policy.limits())?),
                "lifetime" => policy.set_lifetime(word::<Lifetime>(node, "lifetime")?),
                "terminal" => policy.set_terminal(word::<Terminal>(node, "terminal")?),
                // Read above, since everything else builds on them.
                _ => {}
            }
        }
        Ok(policy)
    }

    fn version(&self, node: &Node, top: &[Entry]) -> Read<()> {
        let written = find(top, "version").ok_or_else(|| {
            let text = format!(
                "the version of the format is missing; add `version = {}` at the top",
                format::VERSION
            );
            Misplaced::new(node.offset, ErrorKind::Key, text)
        })?;
        match written.value {
            Value::Integer(format::VERSION) => Ok(()),
            _ => {
                let text = format!(
                    "`version` must be {}, the only version of the format that this program reads",
                    format::VERSION
                );
                Err(Misplaced::new(written.offset, ErrorKind::Value, text))
            }
        }
    }

    fn preset(&self, node: &Node) -> Read<Policy> {
        let name = text(node, "`preset`")?;
        Policy::preset(name, self.ctx).map_err(|error| Misplaced {
            offset: node.offset,
            error,
        })
    }

    fn files(&self, node: &Node, policy: &mut Policy) -> Read<()> {
        let files = table(node, "[files]")?;
        known(files, FILES, "[files]")?;
        for Entry { key, node, .. } in files {
            let Some(kind) = RuleKind::ALL.into_iter().find(|kind| kind.as_str() == key) else {
                continue;
            };
            for item in list(node, key)? {
                let placed = |error| Misplaced {
                    offset: item.offset,
                    error,
                };
                let (pattern, written) = match self.pattern(item) {
                    Ok(found) => found,
                    // A preset is for every machine: what has no home or repository needs no rule for it.
                    Err(e) if e.error.kind() == ErrorKind::Variable && self.is_preset() => continue,
                    Err(e) => return Err(e),
                };
                let rule = Rule::new(kind, pattern, written, self.source(item));
                policy.add(rule).map_err(placed)?;
            }
        }
        Ok(())
    }

    const fn is_preset(&self) -> bool {
        matches!(self.origin, Origin::Preset { .. })
    }

    fn source(&self, node: &Node) -> Source {
        match self.origin {
            Origin::Preset { name, version } => Source::Preset {
                name: (*name).to_owned(),
                version: *version,
            },
            Origin::File(_) => {
                let (line, column) = document::position(self.text, node.offset);
                Source::File {
                    path: self.path.to_owned(),
                    line,
                    column,
                }
            }
        }
    }

    /// A pattern, and its author's spelling.
    fn pattern(&self, node: &Node) -> Read<(Pattern, String)> {
        let placed = |error| Misplaced {
            offset: node.offset,
            error,
        };
        match &node.value {
            Value::Text(text) => {
                let pattern =
                    Pattern::parse(text.as_ref(), &self.base, self.ctx).map_err(placed)?;
                Ok((pattern, text.clone()))
            }
            Value::Table(entries) => {
                known(entries, &["bytes", "glob"], "a path")?;
                let path = self.base.join(bytes(node, entries)?);
                let written = path.to_string_lossy().into_owned();
                match find(entries, "glob") {
                    None => Ok((Pattern::path(path).map_err(placed)?, written)),
                    Some(glob) => {
                        let glob = text(glob, "`glob`")?;
                        let pattern = expand::beneath(path, glob).map_err(placed)?;
                        Ok((pattern, format!("{written}/{glob}")))
                    }
                }
            }
            _ => Err(wrong(node, "a path", "a string")),
        }
    }
}

fn environment(node: &Node, environment: &mut Environment) -> Read<()> {
    let entries = table(node, "[environment]")?;
    known(entries, format::ENVIRONMENT, "[environment]")?;
    if let Some(mode) = find(entries, "mode") {
        *environment = Environment::new(word::<EnvironmentMode>(mode, "mode")?);
    }
    if let Some(allow) = find(entries, "allow") {
        for item in list(allow, "allow")? {
            let name = text(item, "a name")?;
            environment.allow(name).map_err(|error| Misplaced {
                offset: item.offset,
                error,
            })?;
        }
    }
    if let Some(set) = find(entries, "set") {
        for Entry { key, offset, node } in table(set, "`set`")? {
            let value = match &node.value {
                Value::Text(text) => OsString::from(text),
                Value::Table(entries) => {
                    known(entries, &["bytes"], "a value")?;
                    bytes(node, entries)?
                }
                _ => return Err(wrong(node, "the value of a variable", "a string")),
            };
            environment.set(key, value).map_err(|error| Misplaced {
                offset: *offset,
                error,
            })?;
        }
    }
    Ok(())
}

fn network(node: &Node, policy: &mut Policy) -> Read<()> {
    let entries = table(node, "[network]")?;
    known(entries, format::NETWORK, "[network]")?;
    if let Some(mode) = find(entries, "mode") {
        policy.set_network(word::<Network>(mode, "mode")?);
    }
    Ok(())
}

fn limits(node: &Node, mut limits: Limits) -> Read<Limits> {
    let entries = table(node, "[limits]")?;
    known(entries, LIMITS, "[limits]")?;
    for Entry { key, node, .. } in entries {
        let number = match node.value {
            Value::Integer(number) => u64::try_from(number).ok().filter(|n| *n > 0),
            _ => None,
        };
        let Some(number) = number else {
            let text = format!(
                "`{key}` is {}; it must be a whole number, at least 1",
                node.value.name()
            );
            return Err(Misplaced::new(node.offset, ErrorKind::Value, text));
        };
        match Limit::named(key) {
            Some(Limit::TimeoutMs) => limits.timeout = Some(Duration::from_millis(number)),
            Some(Limit::Count(slot)) => *slot(&mut limits) = Some(number),
            None => {}
        }
    }
    Ok(limits)
}

fn find<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries
        .iter()
        .find(|entry| entry.key == key)
        .map(|entry| &entry.node)
}

/// Refuses keys that the format does not have: a misspelt rule must not be silently no rule.
fn known(entries: &[Entry], names: &[&str], place: &str) -> Read<()> {
    match entries
        .iter()
        .find(|entry| !names.contains(&entry.key.as_str()))
    {
        None => Ok(()),
        Some(Entry { key, offset, .. }) => {
            let text = format!(
                "unknown key {key:?} in {place}; {}",
                did_you_mean(key, names)
            );
            Err(Misplaced::new(*offset, ErrorKind::Key, text))
        }
    }
}

fn wrong(node: &Node, what: &str, wanted: &str) -> Misplaced {
    Misplaced::new(
        node.offset,
        ErrorKind::Value,
        format!("{what} is {}; it must be {wanted}", node.value.name()),
    )
}

fn table<'n>(node: &'n Node, what: &str) -> Read<&'n [Entry]> {
    match &node.value {
        Value::Table(entries) => Ok(entries),
        _ => Err(wrong(node, what, "a table")),
    }
}

fn list<'n>(node: &'n Node, key: &str) -> Read<&'n [Node]> {
    match &node.value {
        Value::List(items) => Ok(items),
        _ => Err(wrong(
            node,
            &format!("`{key}`"),
            "a list of strings, in brackets",
        )),
    }
}

fn text<'n>(node: &'n Node, what: &str) -> Read<&'n str> {
    match &node.value {
        Value::Text(text) => Ok(text),
        _ => Err(wrong(node, what, "a string")),
    }
}

fn bytes(node: &Node, entries: &[Entry]) -> Read<OsString> {
    let missing = || {
        let text = "a table that stands for a string needs `bytes`, its bytes as pairs of hexadecimal digits";
        Misplaced::new(node.offset, ErrorKind::Value, text)
    };
    let digits = text(find(entries, "bytes").ok_or_else(missing)?, "`bytes`")?;
    expand::from_hex(digits).ok_or_else(missing)
}

fn word<W: Word>(node: &Node, key: &str) -> Read<W> {
    let words = W::words();
    let written = text(node, &format!("`{key}`"))?;
    W::parse(written).ok_or_else(|| {
        let text = format!(
            "`{key}` cannot be {written:?}; {}",
            did_you_mean(written, &words)
        );
        Misplaced::new(node.offset, ErrorKind::Value, text)
    })
}
