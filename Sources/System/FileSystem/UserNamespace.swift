/// The users whose ids a process sees (user_namespaces(7)). All others look like one, `unmapped`.
package struct UserNamespace: Sendable {
    /// `nobody` on Debian. It is also the id under which the kernel shows every user that a namespace does not map.
    package static let unmapped: UInt32 = 65534

    private let ranges: [Range<UInt64>]

    /// - Parameter map: the content of /proc/self/uid_map: the first id within, the first one outside, and the number.
    package init(map: String) {
        ranges = map.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 ? numbers[0]..<(numbers[0] + min(numbers[2], 1 << 32)) : nil
        }
    }

    package static func ofThisProcess() -> UserNamespace {
        UserNamespace(map: String(decoding: (try? File.read("/proc/self/uid_map")) ?? [], as: UTF8.self))
    }

    /// True also where the map is not known.
    package func contains(_ id: UInt32) -> Bool { ranges.isEmpty || ranges.contains { $0.contains(UInt64(id)) } }
}
