import POSIX
import Testing

@testable import FastCGI
@testable import TestSupport

/// Parsing and validation of bytes, without a socket.
@Suite struct PeekedInputTests {
    private static let limits: Limits = {
        var limits = Limits.standard
        limits.parameters = 100
        limits.body = 50
        return limits
    }()

    private func look(at bytes: [UInt8]) throws(ProtocolFault) -> PeekedInput {
        try PeekedInput(in: bytes.span, Self.limits)
    }

    private static func parameters(_ content: [UInt8], size: Int = 65535, padding: Int = 0) -> [UInt8] {
        FastCGIWire.begin() + FastCGIWire.stream(4, content, size: size, padding: padding)
    }

    private static func body(_ length: Int, size: Int = 65535) -> [UInt8] {
        FastCGIWire.stream(5, [UInt8](repeating: 1, count: length), size: size)
    }

    @Test("a request is complete with the header of its last record, not earlier", arguments: [0, 5, 255])
    func cutAnywhere(_ padding: Int) throws {
        let bytes = FastCGIWire.request(
            id: 300, body: Array("the body".utf8), recordSize: 4, padding: padding)
        for cut in 0...bytes.count {
            let expected: PeekedInput = cut < bytes.count ? .incomplete : .request(.init(length: 8))
            #expect(try look(at: Array(bytes.prefix(cut))) == expected, "cut at \(cut)")
        }
    }

    @Test("bytes after a complete request are ignored")
    func followed() throws {
        let request = FastCGIWire.request(body: [1, 2, 3])
        for next in [
            FastCGIWire.request(id: 2), [0], [9, 9, 9, 9, 9, 9, 9, 9], FastCGIWire.record(9, id: 0),
        ] {
            #expect(try look(at: request + next) == .request(.init(length: 3)))
        }
    }

    @Test("every id except 0 is valid", arguments: [1, 2, 255, 256, 65535])
    func ids(_ id: Int) throws {
        #expect(try look(at: FastCGIWire.request(id: id)) == .request(.init()))
    }

    @Test("parameters may reach the limit but not exceed it", arguments: [1, 7, 65535])
    func parametersLimit(_ size: Int) throws {
        let fits = FastCGIWire.pair("n", String(repeating: "v", count: 97))
        let over = FastCGIWire.pair("n", String(repeating: "v", count: 98))
        #expect(try look(at: Self.parameters(fits, size: size) + Self.body(0)) == .request(.init()))
        #expect(throws: ProtocolFault.parametersTooLong) { try look(at: Self.parameters(over, size: size)) }
        // The record that exceeds the limit is rejected by its header.
        let announced = FastCGIWire.begin() + FastCGIWire.record(4, over).prefix(8)
        #expect(throws: ProtocolFault.parametersTooLong) { try look(at: announced) }
    }

    @Test(
        "a pair beyond the end of the parameters is rejected once they are complete",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0], [0x80, 0, 0, 1, 1, 65], [2, 0, 65], [0, 1], [1], [0x80, 0, 0],
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func malformedParameters(_ content: [UInt8]) throws {
        for size in [1, 2, 65535] {
            let bytes = Self.parameters(content, size: size)
            #expect(throws: ProtocolFault.malformedParameters) { try look(at: bytes) }
            #expect(throws: ProtocolFault.malformedParameters) { try look(at: bytes + Self.body(0)) }
            #expect(try look(at: Array(bytes.dropLast())) == .incomplete)
        }
    }

    @Test(
        "a pair may span several records with padding", arguments: 1...20, [0, 3, 255])
    func splitPairs(_ size: Int, _ padding: Int) throws {
        let pairs =
            FastCGIWire.pair("A", "B") + FastCGIWire.pair("CONTENT_LENGTH", "51")
            + FastCGIWire.pair("C", "D")
        let bytes = Self.parameters(pairs, size: size, padding: padding)
        #expect(try look(at: bytes) == .request(.init(isTooLarge: true)))
    }

    @Test(
        "a body may reach the limit; one byte more is too large as soon as a header announces it",
        arguments: [1, 7, 65535])
    func bodyLimit(_ size: Int) throws {
        let start = Self.parameters(FastCGIWire.pair("A", "B"))
        #expect(try look(at: start + Self.body(50, size: size)) == .request(.init(length: 50)))
        #expect(
            try look(at: start + Self.body(51, size: size))
                == .request(.init(length: 51, isTooLarge: true)))
        let header = FastCGIWire.record(5, [UInt8](repeating: 1, count: 51)).prefix(8)
        #expect(try look(at: start + header) == .request(.init(length: 51, isTooLarge: true)))
        #expect(try look(at: start + header.dropLast()) == .incomplete)
    }

    @Test(
        "an announced length above the limit is too large",
        arguments: [
            ("50", false), ("51", true), ("0051", true), ("0", false), ("", false), ("x", false),
            ("-51", false),
            ("+51", false), (" 51", false), ("51 ", false), ("5e1", false), ("9223372036854775807", true),
            ("9223372036854775808", true), ("99999999999999999999999", true),
        ])
    func announcedLength(_ announced: String, _ isTooLarge: Bool) throws {
        let bytes = Self.parameters(FastCGIWire.pair("CONTENT_LENGTH", announced))
        #expect(try look(at: bytes) == (isTooLarge ? .request(.init(isTooLarge: true)) : .incomplete))
        // The announced length is not trusted: the records determine the length of the body.
        if !isTooLarge { #expect(try look(at: bytes + Self.body(7)) == .request(.init(length: 7))) }
    }

    @Test(
        "only CONTENT_LENGTH announces a length",
        arguments: [
            "CONTENT_TYPE__", "CONTENT_LENGTI", "DONTENT_LENGTH", "content_length", "CONTENT_LENGT", "",
        ])
    func otherNames(_ name: String) throws {
        #expect(
            try look(at: Self.parameters(FastCGIWire.pair(name, "51")) + Self.body(0))
                == .request(.init()))
    }

    @Test(
        "padding at the end of a request is reported, because libfcgi does not read it",
        arguments: [0, 1, 8, 255])
    func padded(_ padding: Int) throws {
        let start = Self.parameters(FastCGIWire.pair("A", "B"), padding: 9) + FastCGIWire.record(5, [1, 2], padding: 7)
        let bytes = start + FastCGIWire.record(5, padding: padding)
        for cut in bytes.count - padding...bytes.count {
            #expect(try look(at: Array(bytes.prefix(cut))) == .request(.init(length: 2, isPadded: padding > 0)))
        }
    }

    @Test("another version is rejected in every header", arguments: [0, 2, 255] as [UInt8])
    func version(_ version: UInt8) {
        let request = FastCGIWire.request(body: [1, 2], parameters: [("A", "B")])
        for start in Self.headers(of: request) {
            var bytes = request
            bytes[start] = version
            #expect(throws: ProtocolFault.unsupportedVersion, "header at \(start)") { try look(at: bytes) }
            #expect(throws: ProtocolFault.unsupportedVersion) { try look(at: Array(bytes.prefix(start + 8))) }
        }
    }

    @Test("an unexpected type or id is rejected in every header")
    func typesAndIDs() {
        let request = FastCGIWire.request(id: 258, body: [1, 2], parameters: [("A", "B")])
        for start in Self.headers(of: request) {
            for type in UInt8.min...255 where type != request[start + 1] {
                var bytes = request
                bytes[start + 1] = type
                #expect(throws: ProtocolFault.protocolViolation, "type \(type) at \(start)") {
                    try look(at: bytes)
                }
            }
            // The first header has no id to compare with.
            for (offset, id) in [(2, 0), (2, 2), (3, 0), (3, 3)] as [(Int, UInt8)] where start > 0 {
                var bytes = request
                bytes[start + offset] = id
                #expect(throws: ProtocolFault.protocolViolation, "id at \(start)") { try look(at: bytes) }
            }
        }
    }

    private static func headers(of bytes: [UInt8]) -> [Int] {
        var starts: [Int] = []
        var start = 0
        while start < bytes.count {
            starts.append(start)
            start += 8 + Int(bytes[start + 4]) << 8 + Int(bytes[start + 5]) + Int(bytes[start + 6])
        }
        return starts
    }

    @Test(
        "records out of order or with an invalid form are rejected by their header",
        arguments: [
            FastCGIWire.begin() + FastCGIWire.begin(),
            FastCGIWire.begin() + FastCGIWire.record(5),
            FastCGIWire.begin() + FastCGIWire.stream(4, []) + FastCGIWire.record(4, [1]),
            FastCGIWire.begin() + FastCGIWire.stream(4, []) + FastCGIWire.record(5, id: 2, [1]),
            FastCGIWire.begin() + FastCGIWire.record(9, id: 0, FastCGIWire.pair("FCGI_MPXS_CONNS", "")),
            FastCGIWire.begin(id: 0),
            FastCGIWire.record(1, [0, 1, 0]),
            FastCGIWire.record(1, [0, 1, 0, 0, 0, 0, 0]),
            FastCGIWire.record(1, [0, 1, 0, 0, 0, 0, 0, 0, 0]),
            FastCGIWire.record(2), FastCGIWire.record(4),
            FastCGIWire.record(9, id: 0, [UInt8](repeating: 0, count: 1025)),
        ])
    func refused(_ bytes: [UInt8]) throws {
        #expect(throws: ProtocolFault.protocolViolation) { try look(at: bytes) }
        let last = try #require(Self.headers(of: bytes).last)
        #expect(throws: ProtocolFault.protocolViolation) { try look(at: Array(bytes.prefix(last + 8))) }
        #expect(try look(at: Array(bytes.prefix(last + 7))) == .incomplete)
    }

    @Test(
        "a role other than responder is rejected",
        arguments: [0x0000, 0x0002, 0x0003, 0x0101, 0x0100, 0xFFFF])
    func roles(_ role: Int) throws {
        let bytes = FastCGIWire.record(1, [UInt8(role >> 8), UInt8(role & 255), 1, 0, 0, 0, 0, 0])
        #expect(throws: ProtocolFault.protocolViolation) { try look(at: bytes) }
        #expect(try look(at: bytes.dropLast()) == .incomplete)
    }

    @Test(
        "a parameter with a zero byte, or with an equals sign in its name, is rejected",
        arguments: [
            ("A\0", "b"), ("A", "\0"), ("A", "b\0"), ("\0", ""), ("A", "b\0c"), ("A=", "b"), ("A=B", "c"), ("=", ""),
        ])
    func zeroBytes(_ name: String, _ value: String) {
        for size in [65535, 2] {
            let pairs = FastCGIWire.pair("EMPTY", "") + FastCGIWire.pair(name, value)
            let bytes = FastCGIWire.begin() + FastCGIWire.stream(4, pairs, size: size)
            #expect(throws: ProtocolFault.malformedParameters) { try look(at: bytes) }
        }
    }

    @Test(
        "flags and reserved bytes of a begin record may have any value",
        arguments: [0, 1, 0x80, 0xFF] as [UInt8])
    func flags(_ byte: UInt8) throws {
        let begin = FastCGIWire.record(1, [0, 1, byte, byte, byte, byte, byte, byte])
        #expect(try look(at: begin + FastCGIWire.stream(4, []) + Self.body(0)) == .request(.init()))
    }
}

extension SocketTests {
    @Suite struct PeekTests {
        private func look(_ connection: DirectConnection, _ size: Int) throws -> PeekedInput {
            var buffer = [UInt8](repeating: 0, count: size)
            return try connection.look(&buffer)
        }

        @Test(
            "the data can be peeked repeatedly and stays in the socket",
            arguments: [8, 100, 16384])
        func stays(_ size: Int) throws {
            let connection = try DirectConnection()
            #expect(try look(connection, size) == .nothing)
            let request = FastCGIWire.request(body: Array("body".utf8))
            connection.send(Array(request.prefix(20)))
            for _ in 0..<3 { #expect(try look(connection, size) == .incomplete) }
            connection.send(Array(request.dropFirst(20)))
            for _ in 0..<3 { #expect(try look(connection, size) == .request(.init(length: 4))) }
            #expect(connection.begin(FCGXRequest()))
        }

        @Test("the end of a connection is detected")
        func ended() throws {
            let connection = try DirectConnection()
            connection.endSending()
            #expect(try look(connection, 100) == .ended)
        }

        @Test("the buffer grows until the request fits")
        func grows() throws {
            let connection = try DirectConnection()
            var buffer = [UInt8](repeating: 0, count: PeekedInput.buffer().count)
            let request = FastCGIWire.request(
                body: [UInt8](repeating: 65, count: 65536), recordSize: 5000)
            #expect(connection.send(request) == request.count)
            #expect(try connection.look(&buffer) == .request(.init(length: 65536)))
            #expect(buffer.count == PeekedInput.buffer().count, "it shrinks again afterwards")
        }

        @Test(
            "a buffer that is exactly full, or one byte larger or smaller, makes no difference",
            arguments: -1...1)
        func exact(_ difference: Int) throws {
            let connection = try DirectConnection()
            let request = FastCGIWire.request(body: [65])
            connection.send(request)
            #expect(try look(connection, request.count + difference) == .request(.init(length: 1)))
        }
    }
}
