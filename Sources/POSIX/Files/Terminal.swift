import Glibc

/// The person at the keyboard.
package enum Terminal {
    /// Whether there is one; a script has none.
    package static var isAttached: Bool { isatty(0) == 1 }

    /// Whether what is written to standard output appears there.
    package static var showsOutput: Bool { isatty(1) == 1 }

    /// The same of standard error.
    package static var showsErrors: Bool { isatty(2) == 1 }
}
