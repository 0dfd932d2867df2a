//! The fields of a flat message that its rules refer to.
//!
//! The flat dialect is specified by rules. The log does not keep the fields that they need, so
//! the bytes of a message are read again.

use super::Dialect as _;
use super::flat::{Flat, says_call};
use crate::json::{Cursor, JsonResult, JsonShape};
use crate::schema::{FlatKey, RecordKey};

/// The fields of a record that the rules of the flat dialect refer to.
#[derive(Default, Debug)]
pub struct FlatMessage {
    kind: TextField,
    uuid: TextField,
    time: TextField,
    session: TextField,
    tool_name: TextField,
    /// The speaker.
    pub user: Option<FlatUser>,
    /// The value of `isSidechain`.
    pub sidechain: Option<bool>,
    /// Set if the record says that it is a call.
    pub calls: bool,
    /// The shape of the tool's arguments.
    pub arguments: Option<JsonShape>,
    message: Option<JsonShape>,
    /// Set if the record has a field, or a type, that only the flat dialect has.
    marked: bool,
    /// Set if the record has a key that only the wire dialect has.
    wire: bool,
    /// Set if the record has a client's version.
    versioned: bool,
}

/// The speaker of a message in the flat dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlatUser {
    /// A calling program.
    External,
    /// A person.
    Human,
    /// Anything else.
    Other,
}

/// Whether a key is present and has a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum TextField {
    #[default]
    Missing,
    Wrong,
    Text,
}

impl FlatMessage {
    /// Reads a record; if its bytes have changed on disk meanwhile, reads as much as possible.
    pub fn read(bytes: &[u8]) -> Self {
        let mut message = Self::default();
        let _ = Cursor::new(bytes).object(|cursor, key| {
            message.marked |= Flat.recognise(key, cursor.rest());
            match (FlatKey::of(key), RecordKey::of(key)) {
                (Some(key), _) => message.own_field(cursor, key),
                (None, Some(key)) => message.field(cursor, key),
                (None, None) => cursor.skip().map(drop),
            }
        });
        message
    }

    fn own_field(&mut self, cursor: &mut Cursor<'_>, key: FlatKey) -> JsonResult<()> {
        match key {
            FlatKey::ToolName => self.tool_name = field(cursor)?,
            FlatKey::ToolArguments => self.arguments = Some(shape(cursor)?),
            FlatKey::IsDeleted | FlatKey::IsAborted => drop(cursor.skip()?),
        }
        Ok(())
    }

    fn field(&mut self, cursor: &mut Cursor<'_>, key: RecordKey) -> JsonResult<()> {
        match key {
            RecordKey::Type => {
                let kind = cursor.string()?;
                self.marked |= kind.is_some_and(|kind| kind.raw() == b"compact_system");
                self.kind = kind.map_or(TextField::Wrong, |_| TextField::Text);
            }
            RecordKey::Uuid => self.uuid = field(cursor)?,
            RecordKey::Timestamp => self.time = field(cursor)?,
            RecordKey::SessionId => self.session = field(cursor)?,
            RecordKey::Subtype => self.calls = says_call(cursor.string()?),
            RecordKey::Message => self.message = Some(shape(cursor)?),
            RecordKey::IsSidechain => self.sidechain = Some(cursor.flag()?),
            RecordKey::UserType => {
                self.user = cursor.string()?.map(|user| match user.raw() {
                    b"external" => FlatUser::External,
                    b"human" => FlatUser::Human,
                    _ => FlatUser::Other,
                });
            }
            RecordKey::Content
            | RecordKey::Cwd
            | RecordKey::GitBranch
            | RecordKey::Level
            | RecordKey::DurationMs
            | RecordKey::CompactMetadata => {
                cursor.skip()?;
                self.wire = true;
            }
            RecordKey::Version => self.versioned = field(cursor)? == TextField::Text,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    }

    /// Tells whether the record itself shows that it is in the flat dialect.
    ///
    /// A record with a client's version is not, whatever else it looks like: some wire records
    /// have a plain text as their message.
    pub fn is_flat(&self) -> bool {
        self.marked && !self.versioned
    }

    /// Tells whether a record without such a mark counts as flat in a file with flat messages:
    /// it has a type, a uuid or a session, and nothing of the wire dialect.
    pub fn is_flat_among_flat(&self) -> bool {
        let placed = [self.kind, self.uuid, self.session].contains(&TextField::Text);
        placed && !self.versioned && !self.wire && self.message != Some(JsonShape::Object)
    }

    /// Returns the required keys that have no text.
    pub fn lacks(&self) -> Vec<RecordKey> {
        let required = [
            (self.kind, RecordKey::Type),
            (self.uuid, RecordKey::Uuid),
            (self.time, RecordKey::Timestamp),
            (self.session, RecordKey::SessionId),
        ];
        let lacking = required.iter().filter(|(field, _)| *field != TextField::Text);
        lacking.map(|&(_, key)| key).collect()
    }

    /// Tells whether the record is a call that does not name its tool.
    pub fn lacks_tool_name(&self) -> bool {
        self.calls && self.tool_name != TextField::Text
    }
}

fn field(cursor: &mut Cursor<'_>) -> JsonResult<TextField> {
    let text = cursor.string()?.filter(|text| !text.raw().is_empty());
    Ok(text.map_or(TextField::Wrong, |_| TextField::Text))
}

fn shape(cursor: &mut Cursor<'_>) -> JsonResult<JsonShape> {
    let shape = cursor.shape()?;
    cursor.skip()?;
    Ok(shape)
}
