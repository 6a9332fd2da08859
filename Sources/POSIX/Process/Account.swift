/// A user of this machine, as far as files and sockets care.
package struct Account: Sendable, Equatable {
    package let name: String
    package let id: UInt32
    package let groups: Set<UInt32>

    package init(name: String, id: UInt32, groups: Set<UInt32>) {
        self.name = name
        self.id = id
        self.groups = groups
    }

    /// Whom no permission keeps out.
    package var isRoot: Bool { id == 0 }
}
