//! How a value and what scripts see of it are written together.

/// Declares what scripts see of a value: every field is named once, with its type and where it
/// comes from, so that a field and its source cannot drift apart.
macro_rules! wire {
    ($(
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? from $value:ident: $source:ty {
            $($(#[$note:meta])* $field:ident: $kind:ty = $from:expr,)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $vis struct $name $(<$life>)? {
            $($(#[$note])* $field: $kind,)*
        }

        impl $(<$life>)? From<$source> for $name $(<$life>)? {
            fn from($value: $source) -> Self {
                Self { $($field: $from,)* }
            }
        }
    )*};
}

pub(super) use wire;
