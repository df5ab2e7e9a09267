//! The settings of a policy that are a choice of one word.

/// A setting that is a choice of one word.
pub(crate) trait Word: Sized {
    fn words() -> Vec<&'static str>;
    fn parse(word: &str) -> Option<Self>;
}

/// A choice of one word, with its spelling in files.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All choices.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word used in files and on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The choice that `word` names.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }

        impl crate::settings::Word for $name {
            fn words() -> Vec<&'static str> {
                Self::ALL.iter().map(|choice| choice.as_str()).collect()
            }

            fn parse(word: &str) -> Option<Self> {
                Self::from_word(word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

choice! {
    /// Which network a run has.
    Network {
        /// Its own loopback only.
        #[default]
        None = "none",
        /// The host's network, without restriction.
        All = "all",
    }
}

choice! {
    /// Which `/tmp` a run has.
    Tmp {
        /// One of its own, empty at the start and gone at the end.
        #[default]
        Own = "own",
        /// The host's, as far as rules grant it.
        Host = "host",
    }
}

choice! {
    /// What happens to descendants that outlive the command.
    Lifetime {
        /// They end with the command.
        #[default]
        Run = "run",
        /// They may go on until the harness ends them.
        Detached = "detached",
    }
}

choice! {
    /// Whether a run may use the terminal that it was started from.
    Terminal {
        /// It has the caller's terminal: job control, window size, `/dev/tty`.
        #[default]
        Inherit = "inherit",
        /// It has no controlling terminal; open descriptors still work.
        None = "none",
    }
}
pub(crate) use choice;
