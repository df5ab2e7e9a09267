//! Times in JSON: RFC 3339 in UTC with nanoseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// The last second of the year 9999, the last that RFC 3339 can write.
const END: Duration = Duration::from_secs(253_402_300_799);

/// A clock that is set before 1970 or after 9999 gives the nearest time in between.
pub(crate) fn serialize<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default().min(END);
    to.collect_str(&humantime::format_rfc3339_nanos(UNIX_EPOCH + since))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
    let text = String::deserialize(from)?;
    humantime::parse_rfc3339(&text).map_err(|error| {
        let start: String = text.chars().take(64).collect();
        D::Error::custom(format!("{start:?} is no RFC 3339 time in UTC: {error}"))
    })
}

/// The same, or null.
pub(crate) mod option {
    use std::time::SystemTime;

    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "the shape that serde calls")]
    pub(crate) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, to),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        #[derive(Deserialize)]
        struct Time(#[serde(with = "super")] SystemTime);
        Ok(Option::<Time>::deserialize(from)?.map(|time| time.0))
    }
}
