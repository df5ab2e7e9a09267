//! Answers, as bytes.

use super::abi;
use super::attributes::Attributes;

/// One answer under construction, header first. The buffer is kept from
/// answer to answer.
#[derive(Debug, Default)]
pub(super) struct Reply {
    bytes: Vec<u8>,
}

impl Reply {
    /// Starts an answer that succeeds.
    pub(super) fn begin(&mut self, unique: u64) -> &mut Self {
        self.start(0, unique)
    }

    /// Makes the answer an error; `errno` is positive.
    pub(super) fn error(&mut self, unique: u64, errno: rustix::io::Errno) {
        self.start(-errno.raw_os_error(), unique).finish();
    }

    /// The whole message that makes the kernel forget `name` in `parent`.
    pub(super) fn forget_name(&mut self, parent: u64, name: &[u8]) {
        self.start(abi::NOTIFY_INVAL_ENTRY, 0);
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        self.u64(parent)
            .u32(length)
            .u32(0)
            .raw(name)
            .raw(&[0])
            .finish();
    }

    fn start(&mut self, code: i32, unique: u64) -> &mut Self {
        self.bytes.clear();
        self.u32(0).raw(&code.to_ne_bytes()).u64(unique)
    }

    /// Writes the length into the header.
    pub(super) fn finish(&mut self) {
        let length = u32::try_from(self.bytes.len())
            .unwrap_or(u32::MAX)
            .to_ne_bytes();
        if let Some(field) = self.bytes.get_mut(..4) {
            field.copy_from_slice(&length);
        }
    }

    /// The finished answer.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes behind the header so far.
    pub(super) fn payload(&self) -> usize {
        self.bytes.len().saturating_sub(abi::OUT_HEADER)
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(super) fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_ne_bytes())
    }

    pub(super) fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_ne_bytes())
    }

    pub(super) fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_ne_bytes())
    }

    /// The answer to `INIT`.
    pub(super) fn init(&mut self, readahead: u32, flags: u32) {
        self.u32(abi::MAJOR)
            .u32(abi::MINOR)
            .u32(readahead)
            .u32(flags);
        // Background requests do not occur; 0 lets the kernel choose.
        self.u16(0).u16(0).u32(abi::MAX_WRITE).u32(1).u16(0).u16(0);
        self.raw(&[0; 32]).finish();
    }

    /// The answer to `LOOKUP`: a node, and for how long its name is valid, in
    /// seconds and nanoseconds. Its attributes never are.
    pub(super) fn entry(
        &mut self,
        node: u64,
        (seconds, nanoseconds): (u64, u32),
        attributes: &Attributes,
    ) {
        self.u64(node)
            .u64(0)
            .u64(seconds)
            .u64(0)
            .u32(nanoseconds)
            .u32(0);
        self.attributes(node, attributes).finish();
    }

    /// The answer to `GETATTR`.
    pub(super) fn attr(&mut self, node: u64, valid: u64, attributes: &Attributes) {
        self.u64(valid)
            .u32(0)
            .u32(0)
            .attributes(node, attributes)
            .finish();
    }

    fn attributes(&mut self, node: u64, shown: &Attributes) -> &mut Self {
        self.u64(node).u64(shown.size).u64(shown.blocks);
        self.u64(shown.accessed.0)
            .u64(shown.modified.0)
            .u64(shown.changed.0);
        self.u32(shown.accessed.1)
            .u32(shown.modified.1)
            .u32(shown.changed.1);
        self.u32(shown.mode)
            .u32(shown.links)
            .u32(shown.uid)
            .u32(shown.gid);
        self.u32(0).u32(4096).u32(0)
    }

    /// The answer to `OPENDIR`: no handle, nothing cached.
    pub(super) fn opened(&mut self) {
        self.u64(0).u32(0).u32(0).finish();
    }

    /// The answer to `STATFS`: an empty, full file system of one block. Zeros
    /// would make `df` and installers divide by them.
    pub(super) fn statfs(&mut self) {
        self.u64(1).u64(0).u64(0).u64(1).u64(0);
        self.u32(4096)
            .u32(abi::NAME_MAX as u32)
            .u32(4096)
            .u32(0)
            .raw(&[0; 24])
            .finish();
    }

    /// Adds one name to the answer to `READDIR`, if `limit` bytes hold it.
    pub(super) fn name(
        &mut self,
        limit: usize,
        node: u64,
        next: u64,
        directory: bool,
        name: &[u8],
    ) -> bool {
        const FIXED: usize = 24;
        let padded = (FIXED + name.len()).next_multiple_of(8);
        if self.payload() + padded > limit {
            return false;
        }
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        self.u64(node)
            .u64(next)
            .u32(length)
            .u32(if directory { 4 } else { 8 })
            .raw(name);
        self.raw(&[0; 8][..padded - FIXED - name.len()]);
        true
    }
}
