//! Fields of tool inputs and results that contain texts of files.

/// The form of a file's text in the result of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileForm {
    /// The whole file, before or after a change.
    Whole,
    /// The lines of a change, each after a sign.
    Patch,
    /// The text that was read from the file or written to it.
    Content,
}

impl FileForm {
    /// Returns the form of the text with this key, if the text consists of a file's lines.
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

/// Tells whether an input with this key is text of a file, before or after the call.
pub fn is_file_input(key: &[u8]) -> bool {
    matches!(
        key,
        b"content" | b"old_string" | b"new_string" | b"old_str" | b"new_str" | b"new_source"
    )
}
