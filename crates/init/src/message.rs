/// Size of a [`Message`] and of an [`Order`] on the socket, in bytes.
pub const MESSAGE_BYTES: usize = 16;

/// Which list of steps a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The plan could not be read, or the command could not be waited for.
    Start,
    /// [`crate::Plan::outer`].
    Outer,
    /// [`crate::Plan::build`].
    Build,
    /// [`crate::Plan::confine`].
    Confine,
    /// `execve` of the program.
    Exec,
}

/// What the init tells the harness. Descriptors travel beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The descriptor of `/dev/fuse` for the ghost comes with it.
    Ghost,
    /// The sender waits, in its new user namespace, for its id maps and [`Order::Mapped`].
    Unmapped,
    /// A pidfd of PID 1 comes with it.
    Init {
        /// Its process id in the namespace of the harness.
        pid: i32,
    },
    /// The listener comes with it; the sender is the command's process.
    Listener,
    /// The command runs.
    Started,
    /// A step failed; nothing runs any more.
    Failed {
        /// The list.
        stage: Stage,
        /// Index of the step in its list.
        step: u32,
        /// The part of the step that failed, for steps with parts.
        part: u32,
        /// The error.
        errno: i32,
    },
    /// The command was stopped by this signal.
    Stopped {
        /// The signal.
        signal: i32,
    },
    /// The command ended with this wait status; see wait(2).
    Exited {
        /// The status.
        status: i32,
    },
}

/// What the harness tells the init.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The id maps are written.
    Mapped,
    /// Sends a signal to the command's process group.
    Signal {
        /// The signal.
        signal: i32,
    },
    /// Sends a signal to the command's process alone.
    SignalProcess {
        /// The signal.
        signal: i32,
    },
}

impl Stage {
    const ALL: [Stage; 5] = [
        Stage::Start,
        Stage::Outer,
        Stage::Build,
        Stage::Confine,
        Stage::Exec,
    ];
}

fn pack(kind: u8, stage: u8, part: u16, a: i32, b: i32) -> [u8; MESSAGE_BYTES] {
    let mut out = [0; MESSAGE_BYTES];
    out[0] = kind;
    out[1] = stage;
    out[2..4].copy_from_slice(&part.to_le_bytes());
    out[4..8].copy_from_slice(&a.to_le_bytes());
    out[8..12].copy_from_slice(&b.to_le_bytes());
    out
}

fn word(bytes: &[u8; MESSAGE_BYTES], at: usize) -> i32 {
    i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Message {
    /// The bytes on the socket.
    ///
    /// ```
    /// use whybox_init::Message;
    /// let message = Message::Exited { status: 256 };
    /// assert_eq!(Message::decode(&message.encode()), Some(message));
    /// ```
    #[must_use]
    pub fn encode(self) -> [u8; MESSAGE_BYTES] {
        match self {
            Message::Ghost => pack(1, 0, 0, 0, 0),
            Message::Init { pid } => pack(2, 0, 0, pid, 0),
            Message::Listener => pack(3, 0, 0, 0, 0),
            Message::Started => pack(4, 0, 0, 0, 0),
            Message::Failed {
                stage,
                step,
                part,
                errno,
            } => pack(5, stage as u8, part as u16, step as i32, errno),
            Message::Stopped { signal } => pack(6, 0, 0, signal, 0),
            Message::Exited { status } => pack(7, 0, 0, status, 0),
            Message::Unmapped => pack(8, 0, 0, 0, 0),
        }
    }

    /// Reads a message; `None` for bytes that are none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Message> {
        let bytes: &[u8; MESSAGE_BYTES] = bytes.try_into().ok()?;
        let (a, b) = (word(bytes, 4), word(bytes, 8));
        Some(match bytes[0] {
            1 => Message::Ghost,
            2 => Message::Init { pid: a },
            3 => Message::Listener,
            4 => Message::Started,
            5 => Message::Failed {
                stage: *Stage::ALL.get(usize::from(bytes[1]))?,
                step: u32::try_from(a).ok()?,
                part: u32::from(u16::from_le_bytes([bytes[2], bytes[3]])),
                errno: b,
            },
            6 => Message::Stopped { signal: a },
            7 => Message::Exited { status: a },
            8 => Message::Unmapped,
            _ => return None,
        })
    }
}

impl Order {
    /// The bytes on the socket.
    #[must_use]
    pub fn encode(self) -> [u8; MESSAGE_BYTES] {
        match self {
            Order::Mapped => pack(3, 0, 0, 0, 0),
            Order::Signal { signal } => pack(1, 0, 0, signal, 0),
            Order::SignalProcess { signal } => pack(2, 0, 0, signal, 0),
        }
    }

    /// Reads an order; `None` for bytes that are none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Order> {
        let bytes: &[u8; MESSAGE_BYTES] = bytes.try_into().ok()?;
        let signal = word(bytes, 4);
        match bytes[0] {
            1 => Some(Order::Signal { signal }),
            2 => Some(Order::SignalProcess { signal }),
            3 => Some(Order::Mapped),
            _ => None,
        }
    }
}
