import Synchronization

/// Numbers of open descriptors, with something about each. Taking one out makes the caller the descriptor's only owner.
package final class DescriptorTable<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry?]>([])

    package init() {}

    package func put(_ number: Int32, _ entry: Entry) {
        entries.withLock { entries in
            while entries.count <= number { entries.append(nil) }
            entries[Int(number)] = entry
        }
    }

    /// Nil where it is not there, or not wanted.
    package func take(_ number: Int32, where isWanted: (Entry) -> Bool) -> Entry? {
        entries.withLock { entries in
            guard number < entries.count, let entry = entries[Int(number)], isWanted(entry) else { return nil }
            entries[Int(number)] = nil
            return entry
        }
    }

    /// Those that are wanted. They are still to be taken: another thread may have been faster.
    package func all(where isWanted: (Entry) -> Bool) -> [(number: Int32, entry: Entry)] {
        entries.withLock { entries in
            entries.enumerated().compactMap { number, entry in
                entry.flatMap { isWanted($0) ? (Int32(number), $0) : nil }
            }
        }
    }
}
