//! Values of options.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};

/// Where a report or events go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    /// A file, made or emptied.
    File(PathBuf),
    /// A descriptor that the caller has opened.
    Descriptor(i32),
}

/// What is said of one environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EnvironmentChange {
    /// The caller's value is passed on.
    Pass(String),
    /// It is set.
    Set(String, OsString),
}

/// `FILE` or `fd:N`.
pub(crate) fn sink() -> impl TypedValueParser<Value = Sink> {
    OsStringValueParser::new().try_map(|text| match text.as_bytes().strip_prefix(b"fd:") {
        Some(number) => std::str::from_utf8(number)
            .ok()
            .and_then(|number| number.parse::<u16>().ok())
            .map(|number| Sink::Descriptor(number.into()))
            .ok_or("after fd: stands the number of an open descriptor; for a file of this name write ./fd:..."),
        None if text.is_empty() => Err("it is empty; name a file, or fd:N for an open descriptor"),
        None => Ok(Sink::File(text.into())),
    })
}

/// `NAME` or `NAME=VALUE`.
pub(crate) fn environment() -> impl TypedValueParser<Value = EnvironmentChange> {
    OsStringValueParser::new().try_map(|text| {
        let bytes = text.as_bytes();
        let (name, value) = match bytes.iter().position(|byte| *byte == b'=') {
            Some(at) => (bytes.get(..at), bytes.get(at + 1..)),
            None => (Some(bytes), None),
        };
        let name = name
            .and_then(|name| OsStr::from_bytes(name).to_str())
            .filter(|name| !name.is_empty())
            .ok_or("a variable's name is UTF-8 text and not empty")?;
        Ok::<_, &str>(match value {
            Some(value) => {
                EnvironmentChange::Set(name.to_owned(), OsString::from_vec(value.to_vec()))
            }
            None => EnvironmentChange::Pass(name.to_owned()),
        })
    })
}

/// `90`, `1.5`, `1m 30s`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = |text: &str| {
        text.parse()
            .ok()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    };
    let duration = match seconds(text) {
        Some(duration) => duration,
        None => humantime::parse_duration(text)
            .map_err(|error| format!("{error}; write seconds, or such as 1m 30s"))?,
    };
    if duration.is_zero() {
        Err("it is zero; leave the option out for no limit".to_owned())
    } else {
        Ok(duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[arg(long, value_parser = sink())]
        sink: Option<Sink>,
        #[arg(long, value_parser = environment())]
        env: Option<EnvironmentChange>,
    }

    fn parse(words: &[&[u8]]) -> Option<Words> {
        let words = words.iter().map(|word| OsStr::from_bytes(word).to_owned());
        Words::try_parse_from([OsString::from("x")].into_iter().chain(words)).ok()
    }

    #[test]
    fn sinks_are_files_or_descriptors() {
        let sink = |text: &[u8]| parse(&[b"--sink", text]).and_then(|words| words.sink);
        assert_eq!(sink(b"fd:3"), Some(Sink::Descriptor(3)));
        assert_eq!(sink(b"./fd:3"), Some(Sink::File("./fd:3".into())));
        assert_eq!(
            sink(b"\xff"),
            Some(Sink::File(OsString::from_vec(vec![0xff]).into()))
        );
        for wrong in ["fd:", "fd:-1", "fd:x", "fd:99999", ""] {
            assert_eq!(sink(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn variables_are_passed_or_set() {
        let env = |text: &[u8]| parse(&[b"--env", text]).and_then(|words| words.env);
        assert_eq!(env(b"A"), Some(EnvironmentChange::Pass("A".into())));
        assert_eq!(
            env(b"A="),
            Some(EnvironmentChange::Set("A".into(), "".into()))
        );
        assert_eq!(
            env(b"A=b=\xff"),
            Some(EnvironmentChange::Set(
                "A".into(),
                OsString::from_vec(b"b=\xff".to_vec())
            ))
        );
        for wrong in [&b""[..], b"=x", b"\xff=x"] {
            assert_eq!(env(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn durations_are_seconds_or_have_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for wrong in ["", "0", "0s", "-1", "NaN", "inf", "soon", "1e30"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
