//! Small JSON files next to the logs: the sidecar of an agent's log (`.meta.json`), and tasks.

use crate::json::{Cursor, Str};
use crate::schema::{TextKind, is_text};

/// The content of an agent's sidecar.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sidecar {
    /// The id of the call that started the agent.
    pub call: Option<String>,
    /// The id of the agent that started this one.
    pub parent: Option<String>,
    /// The type of the agent.
    pub kind: Option<String>,
    /// A short description of the agent's task.
    pub description: Option<String>,
    /// The depth of the agent below the session.
    pub depth: Option<u32>,
}

impl Sidecar {
    /// Reads a sidecar; of a damaged one, the fields before the damage.
    pub fn read(bytes: &[u8]) -> Self {
        let mut sidecar = Self::default();
        let _ = Cursor::new(bytes).object_or_skip(|cursor, key| {
            let text = |cursor: &mut Cursor<'_>| {
                Ok(cursor.string()?.map(|text| text.decode().into_owned()))
            };
            match key {
                b"toolUseId" => sidecar.call = text(cursor)?,
                b"parentAgentId" => sidecar.parent = text(cursor)?,
                b"agentType" => sidecar.kind = text(cursor)?,
                b"description" => sidecar.description = text(cursor)?,
                b"spawnDepth" => sidecar.depth = cursor.count()?.map(|depth| depth as u32),
                _ => drop(cursor.skip()?),
            }
            Ok(())
        });
        sidecar
    }
}

/// Passes the strings of a sidecar or a task that are texts to `each`.
pub fn side_texts<'a>(bytes: &'a [u8], mut each: impl FnMut(Str<'a>)) {
    // A damaged file gives the strings before the damage.
    let _ = Cursor::new(bytes).strings(|key, text| {
        let is_named = matches!(
            key,
            b"id"
                | b"status"
                | b"toolUseId"
                | b"parentAgentId"
                | b"priority"
                | b"model"
                | b"worktreePath"
        );
        if !is_named && is_text(TextKind::Result, key, text) {
            each(text);
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_tells_about_its_agent() {
        let bytes = br#"{"agentType":"scout","description":"look around","toolUseId":"t","spawnDepth":2,"model":"m"}"#;
        let sidecar = Sidecar::read(bytes);
        assert_eq!(sidecar.kind.as_deref(), Some("scout"));
        assert_eq!((sidecar.call.as_deref(), sidecar.depth), (Some("t"), Some(2)));
        let mut texts = Vec::new();
        side_texts(bytes, |text| texts.push(text.decode().into_owned()));
        assert_eq!(texts, ["scout", "look around"]);
        assert_eq!(Sidecar::read(b"[]"), Sidecar::default());
    }
}
