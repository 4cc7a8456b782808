//! Single values of `case.json`, as people write them. What is not one is an error with its line.

use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use umbra_text::{from_hex, to_hex};

use crate::text::visible;
use crate::{Resource, Timestamp};

/// Bytes: a string where it would show as what it is, otherwise `{"hex": "00ff"}`.
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = visible(&self.0, &['\n', '\t']) {
            return serializer.serialize_str(text);
        }
        let hex = to_hex(&self.0);
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("hex", &hex)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or {\"hex\": \"...\"}")
    }

    fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
        Ok(Bytes(text.as_bytes().to_vec()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
        let mut bytes = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "hex" {
                let digits: String = map.next_value()?;
                let parsed = from_hex(&digits);
                bytes = Some(parsed.ok_or_else(|| A::Error::custom("not a hexadecimal string"))?);
            } else {
                map.next_value::<serde::de::IgnoredAny>()?;
            }
        }
        bytes.map(Bytes).ok_or_else(|| A::Error::missing_field("hex"))
    }
}

/// A mode or mask, written as people write it: "0644".
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Octal(pub u32);

impl From<Octal> for String {
    fn from(octal: Octal) -> Self {
        format!("{:04o}", octal.0)
    }
}

impl TryFrom<String> for Octal {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u32::from_str_radix(&text, 8).map(Self).map_err(|_| "not an octal number")
    }
}

/// A time, as the decimal number of its seconds.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimestampFile(pub Timestamp);

impl From<TimestampFile> for String {
    fn from(time: TimestampFile) -> Self {
        time.0.to_string()
    }
}

impl TryFrom<String> for TimestampFile {
    type Error = crate::NotATimestamp;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// A resource, by its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResourceName(pub Resource);

impl From<ResourceName> for String {
    fn from(name: ResourceName) -> Self {
        name.0.name().to_owned()
    }
}

impl TryFrom<String> for ResourceName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Resource::by_name(&text).map(Self).ok_or("not a resource that can be limited")
    }
}

/// A limit: a number, or "unlimited".
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LimitFile {
    Value(u64),
    Word(LimitWord),
}

/// The limit that is none.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitWord {
    Unlimited,
}
