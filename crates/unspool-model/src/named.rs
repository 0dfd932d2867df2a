//! Closed sets of values that have names.
//!
//! [`names!`](crate::names) declares such a set: each value is written once, next to the name that
//! scripts and people see. It knows nothing of what the values mean.

/// A closed set of values with names.
pub trait Named: Copy + Eq + 'static {
    /// All values, in order.
    const ALL: &'static [Self];
    /// The names of all values, in the same order.
    const NAMES: &'static [&'static str];

    /// Returns the value of a name, also of another name that is understood.
    fn from_name(name: &str) -> Option<Self>;

    /// Returns the value after this one, and the first one after the last.
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
            /// Returns the name.
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
