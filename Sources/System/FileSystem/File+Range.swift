import Glibc
package import POSIX

extension File {
    /// A part of a file that another process appends to; empty at its end and behind it.
    package static func read(_ path: String, from offset: Int64, atMost limit: Int) throws(POSIXError) -> [UInt8] {
        let file = try FileDescriptor(
            takingOwnership: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), from: "open \(path)")
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe pread(file.number, &bytes, limit, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            return Array(bytes.prefix(count))
        }
    }
}
