import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that only its owner can read, for command-line programs and servers. On Apple's platforms, apps use
/// ``KeychainSessionStore``.
public struct FileSessionStore: SessionStore {
    private let file: URL

    /// - Parameter file: its folder must exist.
    public init(file: URL) { self.file = file }

    public func load() throws(StoreUnavailable) -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch {
            switch Self.reason(of: error) {
            case ENOENT: return nil
            case EACCES, EPERM: throw .locked
            case let number: throw .failed("errno \(number)")
            }
        }
    }

    public func save(_ contents: Data?) throws(StoreUnavailable) {
        guard let contents else { return try remove() }
        // A name of its own for each save, because other processes may save at the same time.
        let draft = file.appendingPathExtension(UUID().uuidString)
        do {
            try write(contents, to: draft)
            guard rename(draft.path, file.path) == 0 else { throw StoreUnavailable.failed("errno \(errno)") }
        } catch {
            unlink(draft.path)
            throw error as? StoreUnavailable ?? .failed("errno \(Self.reason(of: error))")
        }
    }

    private func write(_ contents: Data, to draft: URL) throws {
        let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreUnavailable.failed("errno \(errno)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: contents)
        // Otherwise a crash of the machine may leave an empty file behind the new name.
        try handle.synchronize()
        try handle.close()
    }

    private func remove() throws(StoreUnavailable) {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw .failed("errno \(errno)") }
    }

    private static func reason(of error: any Error) -> Int32 {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
            return Int32(cause.code)
        }
        switch CocoaError.Code(rawValue: error.code) {
        case .fileReadNoSuchFile, .fileNoSuchFile: return ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
        case .fileWriteOutOfSpace: return ENOSPC
        default: return EIO
        }
    }
}
