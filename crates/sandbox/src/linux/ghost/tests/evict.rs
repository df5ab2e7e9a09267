//! The bound on what is remembered.

use rustix::io::Errno;

use super::mounted::Setup;

#[test]
fn the_oldest_names_are_taken_back_and_work_again() {
    let mut setup = Setup::new();
    setup.node_limit = 20;
    for number in 0..100 {
        std::fs::write(setup.path(&format!("{number}")), b"").unwrap();
    }
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    for round in 0..3 {
        for number in 0..100 {
            let path = cage.path(&format!("{number}"));
            // With too many at once a name is refused; it is not, in time.
            while cage.text("stat", &path) == Err(Errno::ACCESS) {
                std::thread::yield_now();
            }
            assert!(cage.text("stat", &path).is_ok(), "{round} {number}");
        }
    }
    assert!(cage.ghost.nodes().remembered() <= 40);
    // Held open, a node stays the same.
    let file = cage.path("7");
    assert_eq!(cage.call("open", &file, &["0"]), Err(Errno::ACCESS));
}
