//! Network none and all.

use std::io::{Read, Write};
use std::net::TcpListener;

use whybox::policy::Network;

use crate::common::{Tree, lines, run, verdicts};

/// A server on the host's loopback, and attempts to reach it and others.
fn script(port: u16) -> String {
    format!(
        "def connect(address):\n    s = socket.create_connection((address, {port}), timeout=5); s.send(b'x'); s.close()\n\
         attempt('loopback', connect, '127.0.0.1')\n"
    )
}

#[test]
fn the_hosts_loopback_is_reached_only_with_the_network() {
    let tree = Tree::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = script(listener.local_addr().unwrap().port());
    let accepting = std::thread::spawn(move || {
        for _ in 0..2 {
            let mut bytes = Vec::new();
            listener
                .accept()
                .unwrap()
                .0
                .read_to_end(&mut bytes)
                .unwrap();
        }
    });
    let without = tree.open().build().unwrap();
    verdicts(&without, tree.root(), &script)
        .0
        .all_give(&["ECONNREFUSED"]);
    let with = tree.open().network(Network::All).build().unwrap();
    verdicts(&with, tree.root(), &script).0.all_succeed();
    accepting.join().unwrap();
}

#[test]
fn nothing_is_routed_out_without_the_network() {
    let tree = Tree::new();
    let script = "def tcp(a, f=socket.AF_INET):\n    s = socket.socket(f); s.settimeout(2); s.connect((a, 9))\n\
                  attempt('tcp', tcp, '192.0.2.1')\nattempt('private', tcp, '10.0.0.1')\n\
                  attempt('six', tcp, '2001:db8::1', socket.AF_INET6)\n\
                  attempt('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9)))\n\
                  attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))\n\
                  attempt('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))\n";
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), script);
    verdicts.all_give(&["ENETUNREACH", "EPERM", "EACCES", "EADDRNOTAVAIL"]);
}

/// The host's abstract sockets are not in the cage's name space.
#[test]
fn abstract_sockets_of_the_host_are_not_reached() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let tree = Tree::new();
    let name = format!("whybox-test-{}", std::process::id());
    let _listener =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let script = format!(
        "attempt('abstract', lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))\n"
    );
    verdicts(&tree.open().build().unwrap(), tree.root(), &script)
        .0
        .all_give(&["ECONNREFUSED", "EPERM"]);
    // Landlock keeps it away where the network is the host's.
    let with = tree.open().network(Network::All).build().unwrap();
    verdicts(&with, tree.root(), &script)
        .0
        .all_give(&["EPERM", "ECONNREFUSED"]);
    let mut control = std::os::unix::net::UnixStream::connect_addr(
        &SocketAddr::from_abstract_name(&name).unwrap(),
    )
    .unwrap();
    control.write_all(b"x").unwrap();
}

#[test]
fn the_cages_own_loopback_works() {
    let tree = Tree::new();
    let script = "for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):\n    \
                  server = socket.create_server((address, 0), family=family)\n    \
                  client = socket.create_connection(server.getsockname()[:2], timeout=5)\n    \
                  peer, _ = server.accept(); client.send(b'x'); assert peer.recv(1) == b'x'\nprint('ok')";
    let outcome = run(
        &tree.open().build().unwrap(),
        &mut crate::common::python(tree.root(), script),
    );
    assert_eq!(outcome.success(), "ok");
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}
