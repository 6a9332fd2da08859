import Glibc
import Testing

@testable import FastCGI
@testable import POSIX
@testable import Sockets
@testable import TestSupport

extension SocketTests {
    @Suite struct ListenerTests {
        private func kind(_ path: String) -> mode_t? {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
        }

        @Test(
            "a socket file has the given mode, regardless of the umask", arguments: [0o660, 0o600, 0o666] as [UInt32])
        func mode(_ mode: UInt32) throws {
            let path = TestResponder.freshPath()
            let listener = try Listener.unix(path: path, mode: mode)
            var status = stat()
            lstat(path, &status)
            #expect(status.st_mode & 0o7777 == mode)
            let isRemoved = listener.withdraw()
            #expect(isRemoved)
            #expect(kind(path) == nil)
        }

        @Test("the socket file of a dead process is replaced")
        func stale() throws {
            let path = TestResponder.freshPath()
            do { _ = try Listener.unix(path: path) }
            #expect(kind(path) == S_IFSOCK)
            let listener = try Listener.unix(path: path)
            #expect((try? FastCGIPeer(.unix(path))) != nil)
            _ = listener.withdraw()
        }

        @Test("the socket file of a running process is not replaced")
        func live() throws {
            let path = TestResponder.freshPath()
            let listener = try Listener.unix(path: path)
            let error = #expect(throws: ListenerError.self) { _ = try Listener.unix(path: path) }
            #expect(error == .inUse(path: path))
            #expect(error?.description.contains("another process is listening") == true)
            #expect((try? FastCGIPeer(.unix(path))) != nil)
            _ = listener.withdraw()
        }

        @Test("a file that is not a socket is not removed")
        func notASocket() throws {
            let path = TestResponder.freshPath()
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            defer { unlink(path) }
            #expect(throws: ListenerError.notASocket(path: path)) { _ = try Listener.unix(path: path) }
            #expect(kind(path) == S_IFREG)
            let link = TestResponder.freshPath()
            symlink(path, link)
            defer { unlink(link) }
            #expect(throws: ListenerError.notASocket(path: link)) { _ = try Listener.unix(path: link) }
            #expect(kind(link) == S_IFLNK)
        }

        @Test("a socket file that another process has put at the path is not removed")
        func replacedSocket() throws {
            let path = TestResponder.freshPath()
            let first = try Listener.unix(path: path)
            unlink(path)
            let second = try Listener.unix(path: path)
            _ = first.withdraw()
            #expect(kind(path) == S_IFSOCK)
            _ = second.withdraw()
            #expect(kind(path) == nil)
        }

        @Test("a path that is too long, or in a missing folder, is an error")
        func badPaths() {
            let long = "/tmp/" + String(repeating: "x", count: 104)
            #expect(throws: ListenerError.pathTooLong(path: long)) { _ = try Listener.unix(path: long) }
            #expect(throws: ListenerError.system("/nowhere/x", POSIXError("bind", code: ENOENT))) {
                _ = try Listener.unix(path: "/nowhere/x")
            }
        }

        @Test("listens on numeric addresses", arguments: ["127.0.0.1", "::1", "0.0.0.0"])
        func tcp(_ host: String) throws {
            let listener = try Listener.tcp(host: host, port: 0)
            #expect(listener.port! > 0)
        }

        @Test(
            "anything but a numeric address is rejected", arguments: ["localhost", "", "127.0.0.256", "127.1", "[::1]"])
        func notAnAddress(_ host: String) {
            #expect(throws: ListenerError.notAnAddress(host)) { _ = try Listener.tcp(host: host, port: 0) }
        }

        @Test("TCP connections have TCP_NODELAY")
        func noDelay() throws {
            let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
            let peer = try FastCGIPeer(.tcp(listener.port!))
            let accepted = try listener.accept()
            let isUndelayed = try accepted?.option(TCP_NODELAY, level: Int32(IPPROTO_TCP))
            #expect(isUndelayed == 1)
            withExtendedLifetime(peer) {}
        }

        @Test(
            "the sockets in the environment are for this process and have the given names",
            arguments: [
                (process: nil, count: nil, names: nil, expected: []),
                (process: "42", count: nil, names: nil, expected: []),
                (process: nil, count: "1", names: nil, expected: []),
                (process: "42", count: "1", names: nil, expected: [""]),
                (process: "41", count: "1", names: nil, expected: []),
                (process: "42", count: "0", names: nil, expected: []),
                (process: "41", count: "2", names: nil, expected: []),
                (process: "42", count: "2", names: nil, expected: ["", ""]),
                (process: "42", count: "1", names: "gatehouse.socket", expected: ["gatehouse.socket"]),
                (process: "42", count: "2", names: "a:connection", expected: ["a", "connection"]),
                (process: "41", count: "2", names: "only one", expected: []),
                (process: "42", count: "3", names: "a::b", expected: ["a", "", "b"]),
            ] as [(process: String?, count: String?, names: String?, expected: [String])])
        func environment(_ process: String?, _ count: String?, _ names: String?, _ expected: [String]) throws {
            let variables = ["LISTEN_PID": process, "LISTEN_FDS": count, "LISTEN_FDNAMES": names]
            let offers = try InheritedSockets.offers(to: 42) { variables[$0] ?? nil }
            #expect(offers.map(\.name) == expected)
            #expect(offers.map(\.number) == expected.indices.map { Int32(3 + $0) })
        }

        @Test(
            "an invalid environment is an error",
            arguments: [
                (process: "x", count: "1", names: nil, error: .malformedVariable(variable: "LISTEN_PID", value: "x")),
                (process: "42", count: "", names: nil, error: .malformedVariable(variable: "LISTEN_FDS", value: "")),
                (
                    process: "42", count: "-1", names: nil,
                    error: .malformedVariable(variable: "LISTEN_FDS", value: "-1")
                ),
                (
                    process: "42", count: "99999999999", names: nil,
                    error: .malformedVariable(variable: "LISTEN_FDS", value: "99999999999")
                ),
                (
                    process: "42", count: "99999999", names: nil,
                    error: .malformedVariable(variable: "LISTEN_FDS", value: "99999999")
                ),
                (process: "42", count: "2", names: "a", error: .namesMissing(descriptors: 2, names: 1)),
                (process: "42", count: "1", names: "a:b", error: .namesMissing(descriptors: 1, names: 2)),
            ] as [(process: String, count: String, names: String?, error: ListenerError)])
        func badEnvironment(_ process: String, _ count: String, _ names: String?, _ error: ListenerError) {
            let variables = ["LISTEN_PID": process, "LISTEN_FDS": count, "LISTEN_FDNAMES": names]
            #expect(throws: error) { try InheritedSockets.offers(to: 42) { variables[$0] ?? nil } }
        }

        @Test(
            "several listeners are an error, connections next to one listener are not",
            arguments: [["a", "b"], ["", ""]])
        func several(_ names: [String]) throws {
            let offers = names.map { InheritedSockets.Offer(number: -1, name: $0) }
            #expect(throws: ListenerError.severalInherited(2)) { _ = try InheritedSockets.sorted(offers) }
            let kept = [InheritedSockets.Offer(number: -1, name: "connection")]
            #expect(try InheritedSockets.sorted(offers.prefix(1) + kept + kept).listener?.name == names[0])
            #expect(try InheritedSockets.sorted(kept).listener == nil)
        }

        @Test("an inherited listener is served, and stays open", arguments: TestResponder.Kind.allCases)
        func inherited(_ kind: TestResponder.Kind) throws {
            let path = TestResponder.freshPath()
            let original = kind == .unix ? try Listener.unix(path: path) : try Listener.tcp(host: "127.0.0.1", port: 0)
            let address = original.port.map { FastCGIPeer.Address.tcp($0) } ?? .unix(path)
            let copy = FileDescriptor(takingOwnership: dup(original.descriptor.number))
            let number = copy.number
            let listener = try Listener.adopt(copy)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
            #expect(fcntl(number, F_GETFL) & O_NONBLOCK == O_NONBLOCK)
            let responder = try Responder(listener: listener, workers: 2, limits: .quick, handler: TestResponder.answer)
            let thread = try Thread.spawn(name: "responder") { try! responder.run() }
            #expect(
                try FastCGIPeer(address).exchange(FastCGIWire.request(body: [65])).text
                    == TestResponder.expected("/echo:A"))
            responder.shutDown()
            thread.join()
            // The listener still accepts connections for the next process.
            #expect((try? FastCGIPeer(address)) != nil)
            _ = original.withdraw()
        }

        @Test("a descriptor that is not a listening stream socket is rejected and stays open")
        func inheritedWrongly() throws {
            let file = open("/dev/null", O_RDONLY)
            let connected = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            for descriptor in [file, connected, datagram] {
                #expect(throws: ListenerError.inheritedIsNoListener(descriptor: descriptor)) {
                    _ = try Listener.adopt(FileDescriptor(takingOwnership: descriptor))
                }
                #expect(fcntl(descriptor, F_GETFD) >= 0)
                close(descriptor)
            }
        }
    }
}
