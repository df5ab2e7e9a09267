//! A policy written out, with absolute paths, so that it reads back with the same decisions and digest.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Map, Value, json};

use crate::format::{self, Limit};
use crate::{Pattern, Policy, RuleKind, expand};

impl Policy {
    /// The policy as JSON in the format of policy files: absolute paths, sorted, without preset.
    ///
    /// ```
    /// use whybox_policy::{Context, Policy};
    /// let ctx = Context::new("/srv/app");
    /// let policy = Policy::builder(&ctx).write("data").build()?;
    /// let json = policy.to_json();
    /// assert_eq!(json["files"]["write"][0], "/srv/app/data");
    /// let again = Policy::from_json(&json.to_string(), "policy.json".as_ref(), &ctx)?;
    /// assert_eq!(again.digest(), policy.digest());
    /// # Ok::<(), whybox_policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut files = Map::new();
        for kind in RuleKind::ALL {
            let paths = self.patterns(kind);
            if !paths.is_empty() {
                files.insert(kind.to_string(), paths.into_iter().map(pattern).collect());
            }
        }
        let environment = self.environment();
        let set: Map<String, Value> = environment
            .assigned()
            .map(|(name, value)| (name.to_owned(), os_text(value)))
            .collect();
        let limits: Map<String, Value> = Limit::values(self.limits())
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.into()))
            .collect();
        json!({
            "version": format::VERSION,
            "tmp": self.tmp().as_str(),
            "lifetime": self.lifetime().as_str(),
            "terminal": self.terminal().as_str(),
            "files": files,
            "environment": {
                "mode": environment.mode().as_str(),
                "allow": environment.allowed().collect::<Vec<_>>(),
                "set": set,
            },
            "network": { "mode": self.network().as_str() },
            "limits": limits,
        })
    }

    /// The policy as a TOML policy file: absolute paths, sorted, without preset.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        if let Value::Object(top) = self.to_json() {
            let (tables, words): (Vec<_>, Vec<_>) =
                top.iter().partition(|(_, value)| value.is_object());
            // The version leads, as people write it.
            out.push_str(&format!("version = {}\n", format::VERSION));
            for (key, value) in words.into_iter().filter(|(key, _)| *key != "version") {
                line(&mut out, key, value);
            }
            for (key, table) in tables {
                let entries = table.as_object().into_iter().flatten();
                let _ = write!(out, "\n[{key}]\n");
                entries.for_each(|(key, value)| line(&mut out, key, value));
            }
        }
        out
    }

    /// The patterns of one kind, sorted, each once.
    fn patterns(&self, kind: RuleKind) -> Vec<&Pattern> {
        let of_kind = self.rules().iter().filter(|rule| rule.kind() == kind);
        let mut patterns: Vec<_> = of_kind.map(crate::Rule::pattern).collect();
        patterns.sort();
        patterns.dedup();
        patterns
    }
}

fn pattern(pattern: &Pattern) -> Value {
    match (expand::to_text(pattern), pattern) {
        (Some(text), _) => text.into(),
        (None, Pattern::Path(path)) => os_text(path.as_os_str()),
        (None, Pattern::Glob(glob)) => {
            json!({ "bytes": expand::to_hex(glob.base().as_os_str().as_bytes()), "glob": glob.pattern() })
        }
    }
}

fn os_text(text: &OsStr) -> Value {
    match text.to_str() {
        Some(text) => text.into(),
        None => json!({ "bytes": expand::to_hex(text.as_bytes()) }),
    }
}

// Writing to a string cannot fail, so results of `write!` are dropped here.
fn line(out: &mut String, key: &str, value: &Value) {
    out.push_str(&toml_key(key));
    out.push_str(" = ");
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for item in items {
                let _ = writeln!(out, "    {},", toml_value(item));
            }
            out.push(']');
        }
        other => out.push_str(&toml_value(other)),
    }
    out.push('\n');
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::String(text) => toml_text(text),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(toml_value).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(entries) => {
            let pair = |(key, value): (&String, &Value)| {
                format!("{} = {}", toml_key(key), toml_value(value))
            };
            format!(
                "{{ {} }}",
                entries.iter().map(pair).collect::<Vec<_>>().join(", ")
            )
        }
        // Numbers are written alike in both; a policy has nothing else.
        other => other.to_string(),
    }
}

fn toml_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        toml_text(key)
    }
}

/// A basic string: quotes, backslashes and control characters escaped.
fn toml_text(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
