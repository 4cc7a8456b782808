//! What the terminal can show.

use std::io::{IsTerminal, stderr, stdout};

use clap::ValueEnum;
use umbra_report::Colour;

use crate::environment;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// When standard output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Columns of the terminal that standard error is, one less so that the line never wraps.
pub fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col);
    if columns == 0 { 79 } else { usize::from(columns) - 1 }
}

/// Whether someone watches standard error.
pub fn is_watched() -> bool {
    stderr().is_terminal()
}

/// Whether standard output is coloured.
pub fn colour(choice: ColourChoice) -> Colour {
    match choice {
        ColourChoice::Always => Colour::Ansi,
        ColourChoice::Auto if stdout().is_terminal() && environment::wants_colours() => {
            Colour::Ansi
        }
        ColourChoice::Auto | ColourChoice::Never => Colour::Plain,
    }
}
