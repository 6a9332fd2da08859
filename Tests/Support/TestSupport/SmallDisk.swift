import Foundation

/// A small file system for a test. Only root can mount it.
package final class SmallDisk {
    package static let isPossible: Bool = {
        do {
            _ = try SmallDisk(kibibytes: 64)
            return true
        } catch { return false }
    }()

    package let path: String
    private let folder: TemporaryFolder

    package init(kibibytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.file("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Shell.run(["mount", "-t", "tmpfs", "-o", "mode=700,size=\(kibibytes)k", "tmpfs", path])
    }

    deinit { _ = try? Shell.run(["umount", "-l", path]) }

    /// Fills the file system completely.
    package func fill() throws {
        let outcome = try Shell.outcome(of: ["dd", "if=/dev/zero", "of=\(path)/full", "bs=1k"])
        guard outcome.errorOutput.contains("No space left") else {
            throw Spawn.Failure(description: "the disk could not be filled: \(outcome.errorOutput)")
        }
    }
}
