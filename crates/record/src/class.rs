//! The classes that operations fall into.

use crate::named::named;

named! {
    /// A class of operations. Bounds, drop counts and coverage are per class.
    ///
    /// ```
    /// use whybox_record::Class;
    /// assert_eq!(Class::FileRead.to_string(), "file-read");
    /// assert_eq!("network".parse(), Ok(Class::Network));
    /// ```
    pub enum Class: "class" {
        /// Reading of a file, of a directory, or of what is known about them.
        FileRead = "file-read",
        /// Any change to a file, a directory, or what is known about them.
        FileWrite = "file-write",
        /// Running a program.
        Exec = "exec",
        /// Internet and other network sockets.
        Network = "network",
        /// Unix sockets.
        UnixSocket = "unix-socket",
        /// Sending a signal.
        Signal = "signal",
        /// Reaching into, making, or asking about another process.
        Process = "process",
        /// A system call that the sandbox refuses as such.
        SystemCall = "system-call",
        /// A limit of the run.
        Limit = "limit",
    }
}

/// The JSON Schema of a map from classes to something: no other keys.
pub(crate) fn map_schema<T: schemars::JsonSchema>(
    generator: &mut schemars::SchemaGenerator,
) -> schemars::Schema {
    let value = generator.subschema_for::<T>();
    let properties: serde_json::Map<String, serde_json::Value> = Class::ALL
        .iter()
        .map(|class| (class.to_string(), value.clone().into()))
        .collect();
    schemars::json_schema!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false
    })
}
