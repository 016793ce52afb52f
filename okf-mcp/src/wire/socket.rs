//! A socket as a stream, waited for without a thread.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// A connected socket that other processes may hold too.
///
/// That no transfer waits is said with each one: `O_NONBLOCK` would hold for everybody.
pub(super) struct Socket(AsyncFd<OwnedFd>);

impl Socket {
    /// # Errors
    ///
    /// The operating system refuses to watch it.
    #[expect(deprecated, reason = "sound for an `OwnedFd`; the successor is unsafe to call")]
    pub(super) fn new(socket: OwnedFd, interest: Interest) -> io::Result<Self> {
        AsyncFd::with_interest(socket, interest).map(Self)
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let room = buffer.initialize_unfilled();
            if let Ok(received) = ready.try_io(|socket| Ok(recv(socket, room, RecvFlags::DONTWAIT)?)) {
                let (bytes, _) = received?;
                buffer.advance(bytes);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            if let Ok(sent) = ready.try_io(|socket| Ok(send(socket, bytes, flags)?)) {
                return Poll::Ready(sent);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
