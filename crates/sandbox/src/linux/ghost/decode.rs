//! Requests, from bytes. A pure function: every length is checked, nothing is
//! trusted because the kernel is believed to have written it.

use super::abi::op;

/// What every request carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Names the request in its answer.
    pub(super) unique: u64,
    /// The node that it is about.
    pub(super) node: u64,
    /// The thread that asks, as the process that mounted the ghost sees it;
    /// 0 when the kernel asks for itself.
    pub(super) thread: u32,
}

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub(super) header: Header,
    pub(super) body: Body<'a>,
}

/// What is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body<'a> {
    Init {
        major: u32,
        minor: u32,
        readahead: u32,
        flags: u32,
    },
    Lookup {
        name: &'a [u8],
    },
    Forget {
        lookups: u64,
    },
    BatchForget(Forgets<'a>),
    GetAttr,
    SetAttr {
        valid: u32,
    },
    ReadLink,
    Open {
        flags: u32,
    },
    OpenDir,
    ReadDir {
        offset: u64,
        size: u32,
    },
    Access {
        mask: u32,
    },
    /// A new name: a file, directory, special file or symbolic link.
    Make {
        name: &'a [u8],
    },
    /// A file without a name, in the directory of the header.
    MakeUnnamed,
    /// A name taken away, of a file or of a directory.
    Remove {
        name: &'a [u8],
    },
    Rename {
        name: &'a [u8],
        to: u64,
        new: &'a [u8],
    },
    /// A second name for the node `from`.
    Link {
        from: u64,
        name: &'a [u8],
    },
    /// An extended attribute set or removed.
    ChangeXattr,
    GetXattr,
    ListXattr {
        size: u32,
    },
    StatFs,
    /// Data of an open file: the ghost never opened one.
    Data,
    /// The end of something that the kernel wants acknowledged.
    Acknowledge,
    /// Nothing is owed: the answer would be an error.
    Silent,
    /// An operation that the ghost does not know.
    Unknown,
}

/// The list of a `BATCH_FORGET`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Forgets<'a>(&'a [u8]);

impl Forgets<'_> {
    /// Each node with the number of look-ups that the kernel takes back.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.chunks_exact(16).filter_map(|one| {
            let mut reader = Reader(one);
            Some((reader.u64()?, reader.u64()?))
        })
    }
}

/// Bytes that are no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The request to refuse, when at least its header was whole and an
    /// answer is owed.
    pub(super) unique: Option<u64>,
}

/// Reads one request.
pub(super) fn decode(bytes: &[u8]) -> Result<Request<'_>, Malformed> {
    let mut reader = Reader(bytes);
    let (length, opcode, header) = header(&mut reader).ok_or(Malformed { unique: None })?;
    let owed = !matches!(
        opcode,
        op::FORGET | op::BATCH_FORGET | op::INTERRUPT | op::NOTIFY_REPLY
    );
    let unique = (owed && header.unique != 0).then_some(header.unique);
    if length as usize != bytes.len() || (owed && header.unique == 0) {
        return Err(Malformed { unique });
    }
    let body = body(opcode, &mut reader).ok_or(Malformed { unique })?;
    Ok(Request { header, body })
}

fn header(reader: &mut Reader<'_>) -> Option<(u32, u32, Header)> {
    let length = reader.u32()?;
    let opcode = reader.u32()?;
    let unique = reader.u64()?;
    let node = reader.u64()?;
    reader.skip(8)?;
    let thread = reader.u32()?;
    reader.skip(4)?;
    Some((
        length,
        opcode,
        Header {
            unique,
            node,
            thread,
        },
    ))
}

fn body<'a>(opcode: u32, reader: &mut Reader<'a>) -> Option<Body<'a>> {
    Some(match opcode {
        op::INIT => Body::Init {
            major: reader.u32()?,
            minor: reader.u32()?,
            readahead: reader.u32()?,
            flags: reader.u32()?,
        },
        op::LOOKUP => Body::Lookup {
            name: reader.name()?,
        },
        op::FORGET => Body::Forget {
            lookups: reader.u64()?,
        },
        op::BATCH_FORGET => {
            let count = reader.u32()? as usize;
            reader.skip(4)?;
            Body::BatchForget(Forgets(reader.take(count.checked_mul(16)?)?))
        }
        op::GETATTR => Body::GetAttr,
        op::SETATTR => Body::SetAttr {
            valid: reader.u32()?,
        },
        op::READLINK => Body::ReadLink,
        op::OPEN => Body::Open {
            flags: reader.u32()?,
        },
        op::OPENDIR => Body::OpenDir,
        op::READDIR => {
            reader.skip(8)?;
            Body::ReadDir {
                offset: reader.u64()?,
                size: reader.u32()?,
            }
        }
        op::ACCESS => Body::Access {
            mask: reader.u32()?,
        },
        op::CREATE | op::MKNOD => Body::Make {
            name: reader.skip(16)?.name()?,
        },
        op::MKDIR => Body::Make {
            name: reader.skip(8)?.name()?,
        },
        op::SYMLINK => Body::Make {
            name: reader.name()?,
        },
        op::TMPFILE => Body::MakeUnnamed,
        op::UNLINK | op::RMDIR => Body::Remove {
            name: reader.name()?,
        },
        op::RENAME => rename(reader, 0)?,
        op::RENAME2 => rename(reader, 8)?,
        op::LINK => Body::Link {
            from: reader.u64()?,
            name: reader.name()?,
        },
        op::SETXATTR | op::REMOVEXATTR => Body::ChangeXattr,
        op::GETXATTR => Body::GetXattr,
        op::LISTXATTR => Body::ListXattr {
            size: reader.u32()?,
        },
        op::STATFS => Body::StatFs,
        op::READ | op::WRITE => Body::Data,
        op::RELEASE | op::RELEASEDIR | op::FLUSH | op::FSYNC | op::FSYNCDIR | op::DESTROY => {
            Body::Acknowledge
        }
        op::INTERRUPT | op::NOTIFY_REPLY => Body::Silent,
        _ => Body::Unknown,
    })
}

fn rename<'a>(reader: &mut Reader<'a>, flags: usize) -> Option<Body<'a>> {
    let to = reader.u64()?;
    reader.skip(flags)?;
    Some(Body::Rename {
        name: reader.name()?,
        to,
        new: reader.name()?,
    })
}

/// Takes bytes from the front, or nothing.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn skip(&mut self, count: usize) -> Option<&mut Self> {
        self.take(count)?;
        Some(self)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_ne_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_ne_bytes(self.take(8)?.try_into().ok()?))
    }

    /// One component of a path, up to its NUL. What could climb or split a
    /// path is no name.
    fn name(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        let name = self.take(end)?;
        self.take(1)?;
        let sound = !name.is_empty() && name != b"." && name != b".." && !name.contains(&b'/');
        sound.then_some(name)
    }
}
