import Synchronization

/// A table of open descriptors with an entry for each. A caller that takes an entry becomes the only
/// owner of its descriptor.
final class DescriptorTable<Entry: Sendable>: Sendable {
    /// A part of the table with a lock of its own, so that threads rarely wait for the same lock.
    private final class Shard: Sendable {
        let entries = Mutex<[Int32: Entry]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    private func shard(of number: Int32) -> Shard { shards[Int(number) % shards.count] }

    func put(_ number: Int32, _ entry: Entry) {
        shard(of: number).entries.withLock { $0[number] = entry }
    }

    /// Removes and returns an entry. Nil if there is none, or if the condition does not hold.
    func take(_ number: Int32, where isWanted: (Entry) -> Bool) -> Entry? {
        shard(of: number).entries.withLock { entries in
            guard let entry = entries[number], isWanted(entry) else { return nil }
            entries[number] = nil
            return entry
        }
    }

    /// The entries for which the condition holds. They stay in the table, so another thread may
    /// take them before the caller.
    func all(where isWanted: (Entry) -> Bool) -> [(number: Int32, entry: Entry)] {
        shards.flatMap { shard in
            shard.entries.withLock { entries in entries.filter { isWanted($1) }.map { ($0, $1) } }
        }
    }
}
