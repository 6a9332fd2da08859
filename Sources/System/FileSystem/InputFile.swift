import Glibc
package import POSIX

/// A file of any size that is read from its beginning to its end, or standard input.
package struct InputFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: String
    /// Of a regular file; nil for a pipe.
    package let size: Int64?

    /// - Parameter path: `-` is standard input.
    package init(_ path: String) throws(POSIXError) {
        let number = path == "-" ? dup(0) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        self.init(try FileDescriptor(takingOwnership: number, from: "open \(path)"), path)
    }

    /// The same bytes from a file that can be read again: a copy without a name of what is not one.
    package consuming func rewindable() throws(POSIXError) -> InputFile {
        if size != nil { return self }
        var name = Array("/tmp/gatehouse-input-XXXXXX".utf8CString)
        let copy = try FileDescriptor(takingOwnership: unsafe mkstemp(&name), from: "make a file in /tmp")
        _ = unsafe unlink(name)
        let number = copy.number
        try File.copyAll(from: descriptor) { bytes throws(POSIXError) in
            try File.write(bytes, to: number, named: "a file in /tmp")
        }
        let file = InputFile(copy, path)
        try file.rewind()
        return file
    }

    private init(_ descriptor: consuming FileDescriptor, _ path: String) {
        let status = try? FileStatus(ofDescriptor: descriptor.number)
        size = status?.kind == .file ? status?.size : nil
        self.descriptor = descriptor
        self.path = path
    }

    /// Goes back to the beginning.
    package func rewind() throws(POSIXError) {
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw POSIXError("lseek \(path)") }
    }

    /// The next bytes; empty at the end.
    package func next(atMost limit: Int = 1 << 18) throws(POSIXError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe Glibc.read(descriptor.number, &bytes, limit)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError("read \(path)") }
            bytes.removeLast(limit - count)
            return bytes
        }
    }
}
