import CLinux
import Glibc

extension Listener {
    /// The socket that a service manager hands over (sd_listen_fds(3)), or nil if it hands over none.
    package static func inherited() throws(ListenerError) -> Listener? {
        let isOffered = try isOffered(processID: getpid()) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        return isOffered ? try adopt(FileDescriptor(takingOwnership: firstInherited)) : nil
    }

    /// By convention the first descriptor after the standard ones.
    private static let firstInherited: Int32 = 3

    /// Reads the environment's word: LISTEN_PID says whom it is for, since a child inherits the same environment.
    static func isOffered(processID: Int32, variable: (String) -> String?) throws(ListenerError) -> Bool {
        guard let owner = variable("LISTEN_PID"), let promised = variable("LISTEN_FDS") else { return false }
        guard let owner = Int32(owner) else { throw .malformedInheritance(variable: "LISTEN_PID", value: owner) }
        guard let count = Int(promised), count >= 0 else {
            throw .malformedInheritance(variable: "LISTEN_FDS", value: promised)
        }
        guard owner == processID, count > 0 else { return false }
        guard count == 1 else { throw .severalInherited(count) }
        return true
    }

    /// Takes over a descriptor if it is what it should be. One that is not is somebody else's, and stays open.
    static func adopt(_ descriptor: consuming FileDescriptor) throws(ListenerError) -> Listener {
        guard let isTCP = try? familyOfListener(descriptor) else {
            _ = descriptor.release()
            throw .inheritedIsNoListener
        }
        do throws(POSIXError) {
            try descriptor.setCloseOnExec()
            try descriptor.setNonBlocking()
        } catch {
            throw .system("LISTEN_FDS", error)
        }
        return Listener(descriptor, origin: .inherited(isTCP: isTCP))
    }

    /// Whether a listening stream socket is one of TCP's; throws for anything else.
    private static func familyOfListener(_ socket: borrowing FileDescriptor) throws -> Bool {
        guard try socket.option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), try socket.option(SO_ACCEPTCONN) == 1 else {
            throw ListenerError.inheritedIsNoListener
        }
        return try socket.option(SO_DOMAIN) != AF_UNIX
    }
}
