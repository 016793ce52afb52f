//! okfp
fn main() {}
