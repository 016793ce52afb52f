//! The process's own streams, taken so that nothing but the protocol reaches the client.
//!
//! Pipes and, on Linux, sockets are waited for by the event loop. None of them is ever set to
//! `O_NONBLOCK`: that belongs to the open file, which the client and other processes may share.

use std::io;
use std::os::fd::OwnedFd;

use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWrite};

/// What comes from the client.
pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// What goes to the client.
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Takes stdin and stdout for the protocol.
///
/// From then on whatever is printed to stdout goes to stderr: a stray `println!` in a plugin must
/// not corrupt the stream.
///
/// # Errors
///
/// The operating system refuses to duplicate a descriptor.
///
/// # Panics
///
/// Outside a tokio runtime with its I/O enabled.
pub(crate) fn claim() -> io::Result<(Input, Output)> {
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((reader(input), writer(output)))
}

/// Files and terminals are read and written in a thread that waits; so is whatever cannot be watched.
fn reader(input: OwnedFd) -> Input {
    #[cfg(target_os = "linux")]
    if let Some(watched) = watched::reader(&input) {
        return watched;
    }
    Box::new(File::from_std(input.into()))
}

fn writer(output: OwnedFd) -> Output {
    #[cfg(target_os = "linux")]
    if let Some(watched) = watched::writer(&output) {
        return watched;
    }
    Box::new(File::from_std(output.into()))
}

/// Streams that the event loop can watch.
#[cfg(target_os = "linux")]
mod watched {
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::path::PathBuf;

    use rustix::fs::{FileType, fstat};
    use tokio::io::Interest;
    use tokio::net::unix::pipe;

    use super::super::socket::Socket;
    use super::{Input, Output};

    pub(super) fn reader(input: &OwnedFd) -> Option<Input> {
        match kind(input)? {
            FileType::Fifo => Some(Box::new(pipe::OpenOptions::new().open_receiver(anonymous_pipe(input)?).ok()?)),
            FileType::Socket => Some(Box::new(Socket::new(input.try_clone().ok()?, Interest::READABLE).ok()?)),
            _ => None,
        }
    }

    pub(super) fn writer(output: &OwnedFd) -> Option<Output> {
        match kind(output)? {
            FileType::Fifo => Some(Box::new(pipe::OpenOptions::new().open_sender(anonymous_pipe(output)?).ok()?)),
            FileType::Socket => Some(Box::new(Socket::new(output.try_clone().ok()?, Interest::WRITABLE).ok()?)),
            _ => None,
        }
    }

    fn kind(stream: &OwnedFd) -> Option<FileType> {
        Some(FileType::from_raw_mode(fstat(stream).ok()?.st_mode))
    }

    /// Where an anonymous pipe can be opened once more, as a file of our own that may be `O_NONBLOCK`.
    ///
    /// A named one is not opened again: when its last writer has gone before, nothing tells the end of it.
    fn anonymous_pipe(pipe: &OwnedFd) -> Option<PathBuf> {
        let path = PathBuf::from(format!("/proc/self/fd/{}", pipe.as_raw_fd()));
        let name = std::fs::read_link(&path).ok()?;
        name.to_str()?.starts_with("pipe:").then_some(path)
    }
}
