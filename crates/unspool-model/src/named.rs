//! Enums whose values have names.
//!
//! [`names!`](crate::names) declares such an enum: each value is written once, next to the name
//! that scripts and people see. The meaning of the values belongs to the caller.

/// An enum whose values have names.
pub trait Named: Copy + Eq + 'static {
    /// All values, in the order of their declaration.
    const ALL: &'static [Self];
    /// The names of all values, in the same order.
    const NAMES: &'static [&'static str];

    /// Returns the value with a name, which may be an alternative name.
    fn from_name(name: &str) -> Option<Self>;

    /// Returns the next value; after the last one, the first.
    #[must_use]
    fn following(self) -> Self {
        let after = Self::ALL.iter().skip_while(|value| **value != self).nth(1);
        after.copied().unwrap_or(Self::ALL[0])
    }
}

/// Declares enums whose values have names, see [`Named`].
///
/// ```
/// use unspool_model::named::Named as _;
///
/// unspool_model::names! {
///     /// Which way to turn.
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     enum Direction {
///         /// Against the clock.
///         Left = "left" | "port",
///         Right = "right",
///     }
/// }
///
/// assert_eq!(Direction::Left.name(), "left");
/// assert_eq!(Direction::from_name("port"), Some(Direction::Left));
/// assert_eq!(Direction::from_name("up"), None);
/// assert_eq!(Direction::NAMES, ["left", "right"]);
/// assert_eq!(Direction::Right.following(), Direction::Left);
/// assert_eq!(Direction::Right.to_string(), "right");
/// ```
#[macro_export]
macro_rules! names {
    ($(
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$note:meta])* $value:ident = $word:literal $(| $other:literal)*,)+
        }
    )+) => {$(
        $(#[$about])*
        $vis enum $name {
            $($(#[$note])* $value,)+
        }

        impl $name {
            /// Returns the name of the value.
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }

        impl $crate::named::Named for $name {
            const ALL: &'static [Self] = &[$(Self::$value,)+];
            const NAMES: &'static [&'static str] = &[$($word,)+];

            fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($word $(| $other)* => Some(Self::$value),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )+};
}
