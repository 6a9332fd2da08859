import Glibc

/// The person at the keyboard.
package enum Terminal {
    /// Whether there is one; a script has none.
    package static var isAttached: Bool { isatty(0) == 1 }
}
