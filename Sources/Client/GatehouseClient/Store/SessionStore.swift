import Foundation

/// Where the client keeps the session and the logouts that it still has to deliver: one value, which holds both tokens.
///
/// Several processes may share a store (an app and its extensions). The client reads it before each change, so the
/// store needs no lock, but a save must replace the value as a whole.
public protocol SessionStore: Sendable {
    /// Nil if nothing is stored. Throws where that is not known, such as on a device that has not been unlocked yet.
    func load() throws(StoreUnavailable) -> Data?

    /// Replaces the stored value. Nil removes it.
    func save(_ contents: Data?) throws(StoreUnavailable)

    /// The keys that sessions of this store are bound to, for all processes that share it. Nil, the default, means that
    /// sessions are not bound, unless the client is made with other keys.
    var deviceKeys: (any DeviceKeyStore)? { get }
}

extension SessionStore {
    public var deviceKeys: (any DeviceKeyStore)? { nil }
}

/// Why it is not known what is stored, or why it could not be replaced.
public enum StoreUnavailable: Error, Hashable, Sendable {
    /// `restore()` has not been called yet.
    case notRead
    /// The device has not been unlocked since it started, or the process may not read the file yet.
    case locked
    /// The stored value is damaged, or a later version of this library wrote it. Signing in or out replaces it.
    case unreadable
    /// The system's error, such as `OSStatus -34018` or `errno 28`.
    case failed(String)
}

extension StoreUnavailable: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRead: "The stored session has not been read yet: call restore()."
        case .locked: "The stored session cannot be read before the device is unlocked."
        case .unreadable: "The stored session is damaged or of a later version. Sign in again to replace it."
        case .failed(let reason): "The stored session cannot be read or saved: \(reason)."
        }
    }
}

/// A store that ends with the process, for tests and previews.
public final class MemorySessionStore: SessionStore {
    private let contents = Locked<Data?>(nil)

    public init() {}

    public func load() -> Data? { contents.withLock { $0 } }

    public func save(_ contents: Data?) { self.contents.withLock { $0 = contents } }
}

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
