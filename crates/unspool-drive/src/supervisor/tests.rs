//! Questions that need no host.
