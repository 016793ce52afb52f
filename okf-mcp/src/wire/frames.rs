//! Frames: one line, one message; cut out of a byte stream in bounded memory.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// A frame longer than this is dropped unread.
pub(super) const MAX_FRAME: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Its bytes without line break and byte-order mark; blank lines are skipped.
    Line(Vec<u8>),
    /// It was longer than [`MAX_FRAME`] and is gone.
    TooLong,
}

/// Cuts input into frames and counts lines, 1-based. A last line without a line break counts.
pub(super) struct Frames<R> {
    input: R,
    line: u64,
}

impl<R: AsyncBufRead + Unpin> Frames<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: 0 }
    }

    /// The number of the line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The next frame; `None` at the end of input. Dropped half-way, it loses what it has read of a frame.
    pub(super) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let mut bytes = Vec::new();
            let limit = MAX_FRAME as u64 + 1;
            if (&mut self.input).take(limit).read_until(b'\n', &mut bytes).await? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if bytes.len() > MAX_FRAME && !bytes.ends_with(b"\n") {
                self.skip_line().await?;
                return Ok(Some(Frame::TooLong));
            }
            let line = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes).trim_ascii();
            if !line.is_empty() {
                return Ok(Some(Frame::Line(line.to_vec())));
            }
        }
    }

    async fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(());
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let skipped = end.map_or(available.len(), |end| end + 1);
            self.input.consume(skipped);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next<R: AsyncBufRead + Unpin>(frames: &mut Frames<R>) -> Option<Frame> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(frames.next()).expect("reading memory does not fail")
    }

    fn frames(input: &[u8]) -> Vec<Frame> {
        // A buffer of one byte: the stream arrives in the smallest pieces there are.
        let mut frames = Frames::new(tokio::io::BufReader::with_capacity(1, input));
        std::iter::from_fn(|| next(&mut frames)).collect()
    }

    fn line(text: &str) -> Frame {
        Frame::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn marks_carriage_returns_and_blank_lines_are_no_content() {
        assert_eq!(frames(b"\xef\xbb\xbf{}\r\n\n \r\n[]\n"), [line("{}"), line("[]")]);
    }

    #[test]
    fn a_last_line_without_a_break_counts() {
        assert_eq!(frames(b"{}\n1"), [line("{}"), line("1")]);
        assert_eq!(frames(b""), []);
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_beyond_is_dropped() {
        let mut input = vec![b'a'; MAX_FRAME];
        input.push(b'\n');
        input.extend(vec![b'b'; MAX_FRAME + 1]);
        input.extend(b"\n{}\n");
        let mut frames = Frames::new(input.as_slice());
        assert!(matches!(next(&mut frames), Some(Frame::Line(line)) if line.len() == MAX_FRAME));
        assert_eq!(next(&mut frames), Some(Frame::TooLong));
        assert_eq!(next(&mut frames), Some(line("{}")));
        assert_eq!(frames.line(), 3);
    }
}
