/// Whether a server can do all of its work, part by part.
package struct Readiness: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// What scripts know it by.
        package let name: String
        package let isReady: Bool
        /// How it is, in words; where it is not ready, what to do about it.
        package let detail: String

        package init(_ name: String, isReady: Bool, _ detail: String) {
            self.name = name
            self.isReady = isReady
            self.detail = detail
        }
    }

    package let parts: [Part]

    package init(parts: [Part]) {
        self.parts = parts
    }

    package var isReady: Bool { parts.allSatisfy(\.isReady) }

    /// What is wrong, in one line.
    package var complaint: String {
        parts.filter { !$0.isReady }.map(\.detail).joined(separator: "; ")
    }
}
