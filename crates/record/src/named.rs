//! Enumerations whose variants have one fixed name, in text and in JSON.

use std::fmt;

/// A name that is not one of the fixed names of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; known are {known}")]
#[non_exhaustive]
pub struct UnknownName {
    /// What the name should have been, such as `operation`.
    pub what: &'static str,
    /// The name that was read, at most its first 64 characters.
    pub name: String,
    /// The names that are known, separated by commas.
    pub known: String,
}

impl UnknownName {
    pub(crate) fn new<T: fmt::Display>(what: &'static str, name: &str, known: &[T]) -> Self {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Self {
            what,
            name: name.chars().take(64).collect(),
            known: known.join(", "),
        }
    }
}

/// Declares an enumeration from a table of variants and names. The names are
/// part of the JSON format.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident: $what:literal {
            $($(#[$variant_attribute:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, schemars::JsonSchema)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_attribute])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// All values, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The fixed name, as it stands in text and in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(crate::UnknownName::new($what, text, Self::ALL)),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use named;
