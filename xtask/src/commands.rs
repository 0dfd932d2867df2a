//! The commands, one module each.

mod bench;
mod deny;
mod fuzz;
mod real_client;
mod soak;
mod test;

use crate::args::XtaskCommand;

/// Every command, in the order `--help` lists them.
pub(crate) const ALL: [XtaskCommand; 6] = [
    test::COMMAND,
    soak::COMMAND,
    deny::COMMAND,
    fuzz::COMMAND,
    real_client::COMMAND,
    bench::COMMAND,
];
