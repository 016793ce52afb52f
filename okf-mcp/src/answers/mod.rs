//! What tools and commands return: the JSON shapes of contract §§5, 7 and 9.
//!
//! okf-core knows no wire format; this module is the edge that converts. The built-in plugins and the
//! command line share it, so that a tool and its command cannot disagree.

mod findings;
pub mod graph;
pub mod list;
pub mod lookup;
pub mod page;
pub mod profile;
pub mod search;
pub mod summary;
pub mod validate;
pub mod write;
