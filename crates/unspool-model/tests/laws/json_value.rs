//! Reads a whole value with the pull parser, to compare it with the value that `serde_json` reads.

use serde_json::{Map, Value};
use unspool_model::json::{Cursor, JsonResult, JsonShape, Malformed};

/// Reads one value; recurses, so the text must not be nested deeply.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> JsonResult<Value> {
    match cursor.shape()? {
        JsonShape::String => {
            let text = cursor.string()?.ok_or(Malformed)?;
            Ok(Value::String(text.decode().into_owned()))
        }
        JsonShape::Object => {
            let mut map = Map::new();
            cursor.object(|cursor, key| {
                let key = String::from_utf8_lossy(key).into_owned();
                map.insert(key, read(cursor)?);
                Ok(())
            })?;
            Ok(Value::Object(map))
        }
        JsonShape::Array => {
            let mut items = Vec::new();
            cursor.array(|cursor| {
                items.push(read(cursor)?);
                Ok(())
            })?;
            Ok(Value::Array(items))
        }
        // The pull parser does not interpret numbers, so only their text is compared.
        JsonShape::Number | JsonShape::Bool | JsonShape::Null => {
            Ok(serde_json::from_slice(cursor.skip()?).unwrap_or_default())
        }
    }
}

/// Reads the first value of `bytes`; fails if anything but white space follows.
pub(crate) fn read_whole(bytes: &[u8]) -> JsonResult<Value> {
    let mut cursor = Cursor::new(bytes);
    let value = read(&mut cursor)?;
    if cursor.at_end() { Ok(value) } else { Err(Malformed) }
}
