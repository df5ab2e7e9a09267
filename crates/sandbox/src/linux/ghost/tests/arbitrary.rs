//! Any bytes in place of a request, and the table of nodes against a plain
//! model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use proptest::collection::vec;
use proptest::prelude::*;
use whybox_policy::{Context, Policy};

use super::super::call::{Common, Owed, answer};
use super::super::encode::Reply;
use super::super::host::Host;
use super::super::nodes::Nodes;
use super::super::watch::{Slot, Watch};
use super::super::{Ghost, NodeKind, View, abi};
use super::mounted::Kept;
use crate::linux::process::Processes;

fn ghost() -> Arc<Ghost> {
    let policy = Policy::builder(&Context::new("/"))
        .read("/usr")
        .hide("/etc")
        .absent("/opt")
        .build()
        .unwrap();
    let view = View {
        decider: policy.decider(),
        fixed: vec![("/usr/share".into(), NodeKind::Directory)],
        shadow: vec!["/tmp".into()],
        hidden: std::collections::HashMap::new(),
        uid: 1000,
        gid: 1000,
        quiet: false,
    };
    let device = std::fs::File::open("/dev/null").unwrap().into();
    Ghost::new(device, view, Arc::new(Kept::default()))
}

fn common() -> Common {
    Common {
        host: Host::new().unwrap(),
        watch: Watch::default(),
        processes: Arc::new(Processes::new()),
        evictions: sync_channel(1).0,
    }
}

/// A request of which the header is whole.
fn request(opcode: u32, unique: u64, node: u64, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(abi::IN_HEADER + payload.len()).unwrap();
    let mut bytes = Vec::new();
    bytes.extend(length.to_ne_bytes());
    bytes.extend(opcode.to_ne_bytes());
    bytes.extend(unique.to_ne_bytes());
    bytes.extend(node.to_ne_bytes());
    bytes.extend([0; 16]);
    bytes.extend(payload);
    bytes
}

/// Checks an answer as the kernel does before it takes it.
fn check(owed: Owed, unique: u64, reply: &Reply) -> Result<(), TestCaseError> {
    if matches!(owed, Owed::Nothing | Owed::Overdue) {
        return Ok(());
    }
    let bytes = reply.as_bytes();
    let (header, payload) = bytes.split_at(abi::OUT_HEADER);
    prop_assert_eq!(
        &header[..4],
        u32::try_from(bytes.len()).unwrap().to_ne_bytes()
    );
    prop_assert_eq!(&header[8..], unique.to_ne_bytes());
    let error = i32::from_ne_bytes(header[4..8].try_into().unwrap());
    prop_assert!((-511..=0).contains(&error));
    prop_assert!(error == 0 || payload.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_answered_or_passed_over(bytes in vec(any::<u8>(), 0..200)) {
        let mut reply = Reply::default();
        let owed = answer(&ghost(), &common(), &Slot::default(), &bytes, &mut reply);
        prop_assert!(!matches!(owed, Owed::Overdue));
    }

    #[test]
    fn any_request_has_an_answer_of_the_right_shape(
        requests in vec((0_u32..60, any::<u64>(), 0_u64..8, vec(prop_oneof![any::<u8>(), Just(0), 97_u8..100], 0..120)), 1..8),
    ) {
        let (ghost, common, slot, mut reply) = (ghost(), common(), Slot::default(), Reply::default());
        for (opcode, unique, node, payload) in requests {
            let bytes = request(opcode, unique, node, &payload);
            let owed = answer(&ghost, &common, &slot, &bytes, &mut reply);
            check(owed, unique, &reply)?;
            let asks_nothing = matches!(opcode, abi::op::FORGET | abi::op::BATCH_FORGET | abi::op::INTERRUPT | abi::op::NOTIFY_REPLY);
            prop_assert_eq!(owed == Owed::Nothing, asks_nothing || unique == 0, "{}", opcode);
        }
    }

    #[test]
    fn a_cut_request_is_an_error(opcode in 0_u32..60, cut in 1_usize..40) {
        let bytes = request(opcode, 7, 1, &[0; 64]);
        let mut reply = Reply::default();
        let owed = answer(&ghost(), &common(), &Slot::default(), &bytes[..bytes.len() - cut], &mut reply);
        if owed != Owed::Nothing {
            prop_assert_eq!(&reply.as_bytes()[4..8], (-22_i32).to_ne_bytes());
        }
    }

    #[test]
    fn paths_come_back_from_ids(steps in vec((0_usize..12, 0_u8..4, any::<bool>()), 1..60)) {
        let mut nodes = Nodes::new([(&b"/a/b"[..], NodeKind::Directory)], 1000);
        let mut model: BTreeMap<u64, (Vec<u8>, u64)> = BTreeMap::from([(abi::ROOT, (Vec::new(), u64::MAX))]);
        for (place, name, forget) in steps {
            let (&id, (path, lookups)) = model.iter().nth(place % model.len()).unwrap();
            let (path, lookups) = (path.clone(), *lookups);
            if forget && lookups != u64::MAX {
                let has_children = model.values().any(|(other, _)| other.len() > path.len() && other.starts_with(&path));
                if !has_children {
                    nodes.forget(id, lookups);
                    model.remove(&id);
                }
            } else {
                let name = [b'a' + name];
                let below = [&path[..], b"/", &name].concat();
                let new = nodes.remember(id, &name, NodeKind::Directory, 0).unwrap();
                model.entry(new).or_insert((below, 0)).1 += 1;
            }
            for (id, (path, _)) in &model {
                let mut found = Vec::new();
                prop_assert_eq!(nodes.path(*id, &mut found), Ok(()));
                prop_assert_eq!(found, if path.is_empty() { b"/".to_vec() } else { path.clone() });
            }
        }
        let fixed = model.values().filter(|(path, _)| path.is_empty() || path == b"/a" || path == b"/a/b").count();
        prop_assert_eq!(nodes.remembered(), model.len() - fixed);
    }
}

#[test]
fn what_the_kernel_forgets_is_forgotten() {
    let mut nodes = Nodes::new([(&b"/a"[..], NodeKind::Directory)], 1);
    let fixed = nodes
        .remember(abi::ROOT, b"a", NodeKind::Directory, 0)
        .unwrap();
    let first = nodes.remember(fixed, b"x", NodeKind::Directory, 0).unwrap();
    let second = nodes.remember(first, b"y", NodeKind::File, 0).unwrap();
    assert!(
        nodes.remember(fixed, b"z", NodeKind::File, 0).is_err(),
        "twice the limit is the end"
    );
    assert_eq!(nodes.surplus(1), [(fixed, (*b"x").into())]);
    assert_eq!(nodes.surplus(8), [(first, (*b"y").into())]);
    // The parent stays for the sake of its child.
    nodes.forget(first, 1);
    assert_eq!(nodes.remembered(), 2);
    nodes.forget(second, 1);
    assert_eq!(nodes.remembered(), 0);
    nodes.forget(fixed, 1);
    assert!(
        nodes.get(fixed).is_some(),
        "a mount point is never forgotten"
    );
    // Another kind of thing under the same name is another node.
    let file = nodes.remember(fixed, b"x", NodeKind::File, 0).unwrap();
    let directory = nodes.remember(fixed, b"x", NodeKind::Directory, 0).unwrap();
    assert_ne!(file, directory);
    nodes.forget(file, 1);
    assert_eq!(nodes.child(fixed, b"x").map(|(id, _)| id), Some(directory));
}
