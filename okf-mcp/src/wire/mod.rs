//! The stdio transport: framing, guards and shutdown.
//!
//! Two tasks serve the streams: one reads frames, one writes lines. So a client that stops reading
//! blocks nothing but its own answers, the end of input is noticed while nobody receives, and a
//! message passes from the stream to the session without waking another thread.

mod frames;
mod message;
#[cfg(target_os = "linux")]
mod socket;
mod stdio;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

pub(crate) use stdio::claim;

use crate::logging::say;
use frames::{Frame, Frames};
use message::Inbound;

/// Messages read ahead of the session; then the client has to wait.
const READ_AHEAD: usize = 64;

/// A frame of more bytes is parsed beside the event loop, where it holds nobody up.
const LONG_FRAME: usize = 64 * 1024;

/// A flood of bad frames must not fill a stderr that nobody reads.
const MAX_REPORTS: usize = 20;

/// A transport over a pair of byte streams, one message a line.
pub(crate) struct Wire {
    inbound: mpsc::Receiver<Inbound>,
    outbound: Option<mpsc::UnboundedSender<Line>>,
    open: bool,
    ends: Ends,
}

/// How the two streams can end.
#[derive(Clone, Default)]
pub(crate) struct Ends {
    /// Fires when there is no more input.
    pub(crate) input: CancellationToken,
    /// Fires when the client no longer takes output.
    pub(crate) output: CancellationToken,
    /// Fires when the transport is gone and all that was to be written is written.
    pub(crate) drained: CancellationToken,
}

/// A line to write, and who waits until that is done.
struct Line {
    bytes: Vec<u8>,
    written: oneshot::Sender<()>,
}

impl Wire {
    /// Starts the tasks that serve the streams. `speaker` begins each line on stderr: `okf mcp`.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub(crate) fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        speaker: String,
    ) -> Self {
        let ends = Ends::default();
        let (inbound_sender, inbound) = mpsc::channel(READ_AHEAD);
        let input_end = ends.input.clone();
        tokio::spawn(async move {
            read_frames(input, &inbound_sender, &speaker).await;
            input_end.cancel();
        });
        let (outbound, lines) = mpsc::unbounded_channel();
        let output_ends = ends.clone();
        tokio::spawn(async move {
            write_lines(output, lines, &output_ends.output).await;
            output_ends.drained.cancel();
        });
        Self { inbound, outbound: Some(outbound), open: false, ends }
    }

    /// The ends of the streams.
    pub(crate) fn ends(&self) -> Ends {
        self.ends.clone()
    }

    /// Whether a message may reach the session. rmcp takes a notification or a response before the
    /// handshake for the end of the session.
    fn admits(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.open |= message::opens_session(&request.request);
            return true;
        }
        self.open
    }
}

impl Transport<RoleServer> for Wire {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outbound = self.outbound.clone();
        async move {
            let (written, done) = oneshot::channel();
            let line = Line { bytes: message::write(&message)?, written };
            // A client that has gone is no error: the session ends on its own.
            if outbound.is_some_and(|outbound| outbound.send(line).is_ok()) {
                let _ = done.await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.inbound.recv().await? {
                Inbound::Message(message) if self.admits(&message) => return Some(*message),
                Inbound::Message(_) => tracing::debug!("dropped a message before the handshake"),
                Inbound::Malformed(error, id) => self.refuse(error, id),
                Inbound::NotJson(_) | Inbound::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outbound = None;
        Ok(())
    }
}

impl Wire {
    /// Answers a malformed message without bothering the session. Nobody waits for the writing, so
    /// that `receive` stays free of awaits that could be cancelled half-way.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
        if let (Some(outbound), Ok(bytes)) = (&self.outbound, message::write(&answer)) {
            let (written, _) = oneshot::channel();
            let _ = outbound.send(Line { bytes, written });
        }
    }
}

async fn read_frames(input: impl AsyncRead + Unpin, messages: &mpsc::Sender<Inbound>, speaker: &str) {
    let mut frames = Frames::new(BufReader::with_capacity(64 * 1024, input));
    let mut reports = 0;
    let mut report = |line: u64, problem: &dyn std::fmt::Display| {
        reports += 1;
        if reports <= MAX_REPORTS {
            say(format_args!("{speaker}: ignored line {line} of the input: {problem}"));
        }
        if reports == MAX_REPORTS {
            say(format_args!("{speaker}: further bad lines are ignored without a word"));
        }
    };
    loop {
        let inbound = match frames.next().await {
            Ok(Some(Frame::Line(line))) => parse(line).await,
            Ok(Some(Frame::TooLong)) => {
                report(frames.line(), &format_args!("longer than {} MiB", frames::MAX_FRAME >> 20));
                continue;
            }
            Ok(None) => return,
            Err(error) => {
                report(frames.line() + 1, &error);
                return;
            }
        };
        if let Inbound::NotJson(error) = &inbound {
            report(frames.line(), &format_args!("not JSON: {error}"));
        } else if messages.send(inbound).await.is_err() {
            return;
        }
    }
}

async fn parse(line: Vec<u8>) -> Inbound {
    if line.len() <= LONG_FRAME {
        return message::read(&line);
    }
    // The runtime is shutting down, and nobody will receive this.
    tokio::task::spawn_blocking(move || message::read(&line)).await.unwrap_or(Inbound::Ignored)
}

async fn write_lines(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<Line>,
    end: &CancellationToken,
) {
    while let Some(line) = lines.recv().await {
        if write_line(&mut output, &line.bytes).await.is_err() {
            end.cancel();
            return;
        }
        // Nobody waits for the answer to a malformed message.
        let _ = line.written.send(());
    }
}

async fn write_line(output: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> std::io::Result<()> {
    output.write_all(line).await?;
    output.flush().await
}

#[cfg(test)]
mod tests;
