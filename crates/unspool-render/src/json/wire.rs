//! A macro that declares a JSON type together with its source.

/// Declares the JSON of a value: every field is named once, with its type and its source, so that a
/// field and its source cannot drift apart.
///
/// `from(value: T)` generates `From`, `new(one: A, other: B)` a constructor.
macro_rules! wire {
    ($(
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$($life:lifetime),+>)? $how:ident $sources:tt $fields:tt
    )*) => {$(
        wire! { @struct [$(#[$about])*] $vis $name [$(<$($life),+>)?] $fields }
        wire! { @$how $vis $name [$(<$($life),+>)?] $sources $fields }
    )*};
    (@struct [$($about:tt)*] $vis:vis $name:ident [$($lives:tt)*] {
        $($(#[$note:meta])* $field:ident: $kind:ty = $from:expr,)*
    }) => {
        $($about)*
        #[derive(serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $vis struct $name $($lives)* {
            $($(#[$note])* $field: $kind,)*
        }
    };
    (@from $vis:vis $name:ident [$($lives:tt)*] ($value:ident: $source:ty) {
        $($(#[$note:meta])* $field:ident: $kind:ty = $from:expr,)*
    }) => {
        impl $($lives)* From<$source> for $name $($lives)* {
            fn from($value: $source) -> Self {
                Self { $($field: $from,)* }
            }
        }
    };
    (@new $vis:vis $name:ident [$($lives:tt)*] ($($value:ident: $source:ty),* $(,)?) {
        $($(#[$note:meta])* $field:ident: $kind:ty = $from:expr,)*
    }) => {
        impl $($lives)* $name $($lives)* {
            /// Creates the JSON of these values.
            $vis fn new($($value: $source),*) -> Self {
                Self { $($field: $from,)* }
            }
        }
    };
}

pub(crate) use wire;
