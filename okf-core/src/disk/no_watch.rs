//! Watching directories where no way to do so is known that misses nothing: never.

use super::directory::Directory;
use super::marks::{Marks, Trouble};
use super::tree::Key;

/// There is none.
#[derive(Debug)]
pub(super) enum Watch {}

impl Watch {
    pub(super) fn new(_root: &Directory) -> Result<Self, Trouble> {
        Err(Trouble::FileSystem)
    }

    pub(super) fn is_of(&self, _root: &Directory) -> bool {
        match *self {}
    }

    pub(super) fn has(&self, _path: &[u8]) -> bool {
        match *self {}
    }

    pub(super) fn add(&mut self, _path: &Key, _directory: &Directory) -> Result<(), Trouble> {
        match *self {}
    }

    pub(super) fn forget(&mut self, _path: &[u8]) {
        match *self {}
    }

    pub(super) fn retain(&mut self, _is_in_use: impl FnMut(&Key) -> bool) {
        match *self {}
    }

    pub(super) fn drain(&mut self, _marks: &mut Marks) -> Result<(), Trouble> {
        match *self {}
    }
}
