/// The store could not do what was asked, and did none of it. Never to be taken for "there is no such row".
package struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// What an operator would have to look at.
    package enum Cause: Sendable, Equatable, CaseIterable {
        case full
        case busy
        case readOnly
        case damaged
        case unreadable
        case unwritable
        case other
    }

    /// For the log: names the fault, never a value.
    package let description: String
    package let cause: Cause

    package init(_ description: String, cause: Cause = .other) {
        self.description = description
        self.cause = cause
    }
}

extension StoreFailure.Cause {
    /// For whoever asks how the server is: what to do, and no path.
    package var advice: String {
        switch self {
        case .full: "the disk is full, or the file may not grow: make room where the database lies"
        case .busy: "another process holds the database: see which one has it open, and end it"
        case .readOnly: "the database cannot be written: look at its owner, its mode and how the disk is mounted"
        case .damaged: "the database is damaged: run gatehouse check, and restore a backup"
        case .unreadable: "the database cannot be opened or read: look at the log, the disk and the file's permissions"
        case .unwritable: "the disk does not take what is written: look at its room, quotas and errors (dmesg)"
        case .other: "the log says why (event storage)"
        }
    }
}
