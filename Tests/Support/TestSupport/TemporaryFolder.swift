import Foundation
import Synchronization

/// A temporary folder. It is removed when the object is released, or when the process exits.
package final class TemporaryFolder: Sendable {
    package let path: String

    private static let open = Mutex<Set<String>>([])
    private static let cleansUpAtExit: Void = {
        atexit {
            for path in TemporaryFolder.open.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }()

    package init() throws {
        Self.cleansUpAtExit
        path = NSTemporaryDirectory() + "gatehouse-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        Self.open.withLock { _ = $0.insert(path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        Self.open.withLock { _ = $0.remove(path) }
    }

    package func file(_ name: String) -> String { path + "/" + name }
}
