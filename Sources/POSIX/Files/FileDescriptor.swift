import Glibc

/// The one owner of an open descriptor, which is closed when its owner goes.
package struct FileDescriptor: ~Copyable, Sendable {
    /// For calls that borrow the descriptor; it stays this value's to close.
    package let number: Int32

    package init(takingOwnership number: Int32) {
        self.number = number
    }

    /// Takes what `operation` opened, or says why it opened nothing.
    package init(takingOwnership number: Int32, from operation: String) throws(POSIXError) {
        guard number >= 0 else { throw POSIXError(operation) }
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let released = number
        discard self
        return released
    }
}
