//! The commands, one module each.

mod bench;
mod deny;
mod fuzz;
mod soak;
mod test;

use crate::args::XtaskCommand;

/// Every command, in the order `--help` lists them.
pub(crate) const ALL: [XtaskCommand; 5] = [
    test::COMMAND,
    soak::COMMAND,
    deny::COMMAND,
    fuzz::COMMAND,
    bench::COMMAND,
];
