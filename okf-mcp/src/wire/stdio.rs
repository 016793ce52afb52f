//! The process's own streams, taken so that nothing but the protocol reaches the client.

use std::fs::File;
use std::io;

/// Takes stdin and stdout for the protocol: `(input, output)`.
///
/// From then on whatever is printed to stdout goes to stderr: a stray `println!` in a plugin must
/// not corrupt the stream.
///
/// # Errors
///
/// The operating system refuses to duplicate a descriptor.
pub(crate) fn claim() -> io::Result<(File, File)> {
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((File::from(input), File::from(output)))
}
