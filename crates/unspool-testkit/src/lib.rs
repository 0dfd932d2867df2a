//! Session builder, hermetic home and log generator.
