//! Without network nothing leaves the cage, and what stays inside works.

use std::net::{TcpListener, UdpSocket};

use crate::bed::{Bed, have};

/// A link to a file that is not granted by its own name is followed.
#[test]
fn net_01_linked_configuration() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("run");
        bed.write("run/stub", "nameserver 192.0.2.1\n");
        bed.link("$T/run/stub", "ro/resolv.conf");
        the_link_is_read(&bed);
    }
}

/// A chain of links is followed to its end.
#[test]
fn net_01_configuration_behind_two_links() {
    two_links(&Bed::new());
}

/// The same where the cage's own `/tmp` has to show the names.
#[test]
fn net_01_configuration_behind_two_links_in_tmp() {
    two_links(&Bed::in_tmp());
}

fn two_links(bed: &Bed) {
    bed.dir("run");
    bed.write("run/stub", "nameserver 192.0.2.1\n");
    bed.link("stub", "run/resolv.conf");
    bed.link("$T/run/resolv.conf", "ro/resolv.conf");
    the_link_is_read(bed);
}

fn the_link_is_read(bed: &Bed) {
    bed.sbx()
        .w("$T/w")
        .r("$T/ro/resolv.conf")
        .run(&["cat", "$T/ro/resolv.conf"])
        .code(0)
        .out("nameserver 192.0.2.1\n")
        .no_entry()
        .unchanged();
}

/// The names of the system's own configuration lead to something under the default preset.
#[test]
fn net_01_the_systems_configuration() {
    let bed = Bed::new();
    let files = [
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/localtime",
        "/etc/nsswitch.conf",
    ];
    for file in files.iter().filter(|file| std::fs::read(file).is_ok()) {
        let ran = bed.sbx_of("agent").run(&["cat", file]);
        assert_eq!(
            ran.out,
            String::from_utf8_lossy(&std::fs::read(file).unwrap())
        );
        ran.code(0).no_entry().unchanged();
    }
}

/// Servers of one's own on the own loopback.
#[test]
fn net_03_local_servers() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .python(
            "import socket
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    s = socket.socket(family); s.bind((address, 0)); s.listen()
    c = socket.create_connection(s.getsockname()[:2]); c.send(b'ok'); print(s.accept()[0].recv(9))",
        )
        .code(0)
        .out("b'ok'\nb'ok'\n")
        .no_entry()
        .unchanged();
}

/// No packet reaches a port of the host, whichever call sends it.
#[test]
fn net_04_net_07_no_datagram_leaves() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let script = format!(
        "import socket, ctypes, struct
here = ('127.0.0.1', {port})
def batch(s):
    libc = ctypes.CDLL(None, use_errno=True)
    name = struct.pack('=HHI8x', 2, socket.htons({port}), struct.unpack('=I', bytes([127, 0, 0, 1]))[0])
    names, data = ctypes.create_string_buffer(name, 16), ctypes.create_string_buffer(b'd', 1)
    vector = struct.pack('PN', ctypes.addressof(data), 1); vectors = ctypes.create_string_buffer(vector, len(vector))
    header = struct.pack('PIPNPNiI', ctypes.addressof(names), 16, ctypes.addressof(vectors), 1, 0, 0, 0, 0)
    one = ctypes.create_string_buffer((header + bytes(64 - len(header))) * 2, 128)
    print('batch', libc.sendmmsg(s.fileno(), one, 2, 0) > 0)
for send in (lambda s: s.sendto(b'a', here), lambda s: s.sendmsg([b'b'], [], 0, here), lambda s: (s.connect(here), s.send(b'c')), batch):
    s = socket.socket(2, 2)
    try: send(s)
    except OSError: pass
print('done')"
    );
    let ran = bed.sbx().w("$T/w").python(&script).code(0).unchanged();
    assert!(ran.out.ends_with("done\n"), "{ran:#?}");
    // The control: the same program without a wall is heard.
    socket.set_nonblocking(true).unwrap();
    let mut buffer = [0; 9];
    let heard = socket.recv(&mut buffer).map_err(|error| error.kind());
    assert_eq!(
        heard,
        Err(std::io::ErrorKind::WouldBlock),
        "a datagram left the cage"
    );
    bed.sbx()
        .w("$T/w")
        .option(["--net", "all"])
        .python(&script)
        .code(0)
        .no_entry()
        .unchanged();
    for _ in 0..4 {
        assert_eq!(socket.recv(&mut buffer).unwrap(), 1);
    }
}

/// Every spelling of the host's loopback is another loopback inside.
#[test]
fn net_06_every_spelling_of_an_address() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket
for name in ('127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0.0.0.0', '127.1', 'localhost'):
    try: socket.create_connection((name, {port}), 2).close(); print('CONNECTED')
    except OSError as e: print(e.errno)"
    );
    bed.sbx()
        .w("$T/w")
        .python(&script)
        .code(0)
        .out(&"111\n".repeat(6))
        .unchanged();
    let ran = bed.sbx().w("$T/w").option(["--net", "all"]).python(&script);
    assert!(ran.out.starts_with("CONNECTED\n"), "{ran:#?}");
}

/// Loops, pairs of sockets and counters by which threads wake each other.
#[test]
fn net_13_wake_ups_among_threads() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .option(["--timeout", "60"])
        .python(
            "import asyncio, threading, socket, os, select
l = asyncio.new_event_loop(); t = threading.Thread(target=l.run_forever); t.start()
print(asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 'ok'), l).result(30)); l.call_soon_threadsafe(l.stop); t.join()
a, b = socket.socketpair(); threading.Thread(target=lambda: a.send(b'x')).start(); print(b.recv(1))
e = os.eventfd(0); p = select.epoll(); p.register(e); threading.Thread(target=lambda: os.eventfd_write(e, 1)).start(); print(len(p.poll(30)))",
        )
        .code(0)
        .out("ok\nb'x'\n1\n")
        .no_entry()
        .unchanged();
}
