import Foundation

/// A service manager for tests: receives messages, stores descriptors, and passes them and a listening socket to the
/// next process. Like systemd, it keeps its own copies of the descriptors that it has passed.
package final class FakeServiceManager: @unchecked Sendable {
    package let address: String
    private let socket: Int32
    private let lock = NSLock()
    private var messages: [String] = []
    private var store: [(name: String, descriptor: Int32)] = []
    private var isOver = false
    private var refuses = false
    private let listening = DispatchSemaphore(value: 0)

    /// - Parameter address: a path, or an abstract name that begins with `@`.
    package init(at address: String) throws {
        self.address = address
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.utf8) }
        if address.hasPrefix("@") { name.sun_path.0 = 0 }
        let size = MemoryLayout<sa_family_t>.size + address.utf8.count
        let bound = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(size)) }
        }
        guard bound == 0 else { throw Spawn.Failure(description: "bind \(address): error \(errno)") }
        Thread.detachNewThread { [self] in
            listen()
            listening.signal()
        }
    }

    deinit {
        close(socket)
        for entry in store { close(entry.descriptor) }
    }

    /// Stores no descriptors, as for a unit without `FileDescriptorStoreMax=`.
    package var keepsNothing: Bool {
        get { lock.withLock { refuses } }
        set { lock.withLock { refuses = newValue } }
    }

    /// Stops receiving.
    package func stop() {
        guard !lock.withLock({ isOver }) else { return }
        lock.withLock { isOver = true }
        listening.wait()
    }

    /// The lines of all received messages.
    package var lines: [String] { lock.withLock { messages.flatMap { $0.split(separator: "\n").map(String.init) } } }

    package func count(of line: String) -> Int { lines.count { $0 == line } }

    /// The last received status.
    package var status: String { String((lines.last { $0.hasPrefix("STATUS=") } ?? "STATUS=").dropFirst(7)) }

    package func keptCount(of name: String = "connection") -> Int {
        lock.withLock { store.count { $0.name == name } }
    }

    /// Copies of the stored descriptors. The caller has to close them.
    package func keptCopies() -> [(name: String, descriptor: Int32)] {
        lock.withLock { store.map { ($0.name, fcntl($0.descriptor, F_DUPFD_CLOEXEC, 700)) } }
    }

    /// Closes stored connections that the peer has closed.
    package func closeDead() {
        lock.withLock {
            store = store.filter { entry in
                var interest = pollfd(fd: entry.descriptor, events: 0, revents: 0)
                guard poll(&interest, 1, 0) > 0 else { return true }
                close(entry.descriptor)
                return false
            }
        }
    }

    private func listen() {
        var interest = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while !lock.withLock({ isOver }) {
            if poll(&interest, 1, 20) > 0 { receive() }
        }
    }

    private func receive() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var control = [UInt8](repeating: 0, count: 4096)
        var (count, controlCount) = (0, 0)
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = control.count
                    count = recvmsg(socket, &header, Int32(MSG_CMSG_CLOEXEC))
                    controlCount = header.msg_controllen
                }
            }
        }
        guard count > 0 else { return }
        let numbers = Self.descriptors(in: Array(control.prefix(controlCount)))
        take(String(decoding: bytes.prefix(count), as: UTF8.self), numbers)
    }

    /// The descriptors after the 16-byte header of a control message.
    private static func descriptors(in control: [UInt8]) -> [Int32] {
        guard control.count >= 20 else { return [] }
        let length = control.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
        return stride(from: 16, to: length, by: 4).map { offset in
            control.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int32.self) }
        }
    }

    private func take(_ message: String, _ descriptors: [Int32]) {
        let lines = message.split(separator: "\n").map(String.init)
        let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        lock.withLock {
            if lines.contains("FDSTORE=1"), !refuses {
                store += descriptors.map { (name, $0) }
            } else {
                for descriptor in descriptors { close(descriptor) }
            }
            if lines.contains("FDSTOREREMOVE=1") {
                for entry in store where entry.name == name { close(entry.descriptor) }
                store.removeAll { $0.name == name }
            }
            messages.append(message)
        }
    }
}
