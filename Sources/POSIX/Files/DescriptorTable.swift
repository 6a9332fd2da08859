import Synchronization

/// Numbers of open descriptors, with something about each. Taking one out makes the caller the descriptor's only owner.
package final class DescriptorTable<Entry: Sendable>: Sendable {
    /// A part of the table: threads that use different descriptors rarely meet at one lock.
    private final class Shard: Sendable {
        let entries = Mutex<[Int32: Entry]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    package init() {}

    private func shard(of number: Int32) -> Shard { shards[Int(number) % shards.count] }

    package func put(_ number: Int32, _ entry: Entry) {
        shard(of: number).entries.withLock { $0[number] = entry }
    }

    /// Nil where it is not there, or not wanted.
    package func take(_ number: Int32, where isWanted: (Entry) -> Bool) -> Entry? {
        shard(of: number).entries.withLock { entries in
            guard let entry = entries[number], isWanted(entry) else { return nil }
            entries[number] = nil
            return entry
        }
    }

    /// Those that are wanted. They are still to be taken: another thread may have been faster.
    package func all(where isWanted: (Entry) -> Bool) -> [(number: Int32, entry: Entry)] {
        shards.flatMap { shard in
            shard.entries.withLock { entries in entries.filter { isWanted($1) }.map { ($0, $1) } }
        }
    }
}
