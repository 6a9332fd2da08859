import Glibc
import Synchronization

/// A TCP port for a program that cannot choose one itself and report it.
///
/// No other test gets the port before this process ends: it holds an abstract unix socket with the port's name, which one
/// process of the machine can bind, and which the kernel releases with the process. The port lies outside of the range from
/// which the kernel chooses, so no outgoing connection and no listener on port 0 takes it.
package enum FreePort {
    private static let candidates = Mutex(shuffled())

    /// - Parameter count: for a program that also uses the ports after this one: how many consecutive ones it needs.
    package static func any(of count: UInt16 = 1) throws -> UInt16 {
        try candidates.withLock { ports in
            while let port = ports.popLast() {
                guard port <= .max - (count - 1) else { continue }
                if (port...port + (count - 1)).allSatisfy({ reserve($0) && isUnused($0) }) { return port }
            }
            throw Spawn.Failure(description: "no TCP port is left for a test")
        }
    }

    private static func shuffled() -> [UInt16] {
        let path = "/proc/sys/net/ipv4/ip_local_port_range"
        var text = [UInt8](repeating: 0, count: 64)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let count = max(0, read(file, &text, text.count))
        let range = String(decoding: text.prefix(count), as: UTF8.self).split { $0.isWhitespace }.compactMap { Int($0) }
        let chosen = range.count == 2 ? range[0]...max(range[0], range[1]) : 32768...60999
        return (10_000...65_535).filter { !chosen.contains($0) }.map { UInt16($0) }.shuffled()
    }

    /// The descriptor stays open until the process ends.
    private static func reserve(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array("\0gatehouse-test-port-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        if bind(descriptor, &address, MemoryLayout<sa_family_t>.size + name.count) { return true }
        close(descriptor)
        return false
    }

    /// A program outside of the tests may listen on it.
    private static func isUnused(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        // As servers do, so that closed connections of the port do not matter.
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return bind(descriptor, &address, MemoryLayout<sockaddr_in>.size)
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address, _ size: Int) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(size)) == 0 }
        }
    }
}
