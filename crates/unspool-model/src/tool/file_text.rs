//! Which texts next to a call are texts of files.

/// How a text of a file is written in what a tool gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileForm {
    /// The file as it was before a change, or is after it.
    Whole,
    /// The lines of a change, each after a sign.
    Patch,
    /// What was read of the file, or written to it.
    Content,
}

impl FileForm {
    /// Returns what a text with this key is, if a file has its lines.
    pub fn of(key: &[u8]) -> Option<Self> {
        match key {
            b"originalFile" | b"originalFileContents" | b"original_file" | b"updated_file" => {
                Some(Self::Whole)
            }
            b"lines" | b"patch" => Some(Self::Patch),
            b"content" => Some(Self::Content),
            _ => None,
        }
    }
}

/// Tells whether what a tool is given under this key is in a file, or is to be in it.
pub fn is_file_input(key: &[u8]) -> bool {
    matches!(
        key,
        b"content" | b"old_string" | b"new_string" | b"old_str" | b"new_str" | b"new_source"
    )
}
