import Foundation
import TestSupport

/// A file system of a test's own, with little room. Only root can have one.
final class SmallDisk {
    static let isPossible: Bool = {
        do {
            _ = try SmallDisk(kibibytes: 64)
            return true
        } catch { return false }
    }()

    let path: String
    private let folder: TemporaryFolder

    init(kibibytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.file("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Shell.run(["mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
    }

    deinit { _ = try? Shell.run(["umount", "-l", path]) }
}
