import Glibc
package import POSIX

/// A socket address as the kernel represents it (sockaddr).
package struct SocketAddress: Sendable {
    package let family: Int32
    private let bytes: [UInt8]

    package init(path: String) throws(ListenerError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard name.count < field.count, !name.contains(0) else { return false }
            unsafe field.copyBytes(from: name)
            return true
        }
        guard fits else { throw .pathTooLong(path: path) }
        family = AF_UNIX
        bytes = Self.bytes(of: address)
    }

    /// The address in NOTIFY_SOCKET (sd_notify(3)): a path, or an abstract name that begins with
    /// `@`. Nil for any other text.
    package init?(notifySocket text: String) {
        guard text.count > 1, text.hasPrefix("@") || text.hasPrefix("/") else { return nil }
        guard let address = try? SocketAddress(path: text) else { return nil }
        guard text.hasPrefix("@") else {
            self = address
            return
        }
        family = AF_UNIX
        // An abstract name begins with a zero byte, and its length is the length of the address.
        let offset = MemoryLayout<sa_family_t>.size
        bytes = Array(address.bytes[..<offset]) + [0] + Array(text.utf8.dropFirst())
    }

    /// The local address of a socket.
    package init(of socket: borrowing FileDescriptor) throws(POSIXError) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(socket.number, address, &size)
            }
        }
        guard result == 0 else { throw POSIXError("getsockname") }
        family = Int32(storage.ss_family)
        bytes = Array(Self.bytes(of: storage).prefix(Int(size)))
    }

    /// A numeric IPv4 or IPv6 address. Host names are not resolved.
    package init(host: String, port: UInt16) throws(ListenerError) {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if unsafe inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            family = AF_INET
            bytes = Self.bytes(of: v4)
        } else if unsafe inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            family = AF_INET6
            bytes = Self.bytes(of: v6)
        } else {
            throw .notAnAddress(host)
        }
    }

    func bind(_ socket: borrowing FileDescriptor) throws(POSIXError) {
        let result = unsafe withAddress { address, size in unsafe Glibc.bind(socket.number, address, size) }
        guard result == 0 else { throw POSIXError("bind") }
    }

    /// False with `errno` set if the connection was not established immediately.
    package func connect(_ socket: borrowing FileDescriptor) -> Bool {
        unsafe withAddress { address, size in unsafe Glibc.connect(socket.number, address, size) } == 0
    }

    /// The port of a bound IPv4 or IPv6 socket; both address families store it at the same offset.
    static func port(of socket: borrowing FileDescriptor) -> UInt16? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(socket.number, address, &size)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }

    func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe body(buffer.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(buffer.count))
        }
    }

    private static func bytes<Address>(of address: Address) -> [UInt8] {
        unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
    }
}
