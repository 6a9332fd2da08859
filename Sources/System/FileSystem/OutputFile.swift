import Glibc
package import POSIX

/// A new file that grows while it is written, such as a report. What was written stays if the process is killed.
package final class OutputFile {
    private static let bufferSize = 1 << 16

    private let descriptor: FileDescriptor
    private let path: String
    private var buffer: [UInt8] = []

    /// Creates the file with mode 0600, or empties it.
    package init(replacing path: String) throws(POSIXError) {
        descriptor = try FileDescriptor(
            takingOwnership: unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600), from: "open \(path)")
        self.path = path
    }

    package func append(_ bytes: [UInt8]) throws(POSIXError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    package func flush() throws(POSIXError) {
        try File.write(buffer, to: descriptor.number, named: path)
        buffer.removeAll(keepingCapacity: true)
    }
}
