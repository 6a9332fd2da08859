import Testing

@testable import FastCGI
@testable import TestSupport

/// What becomes of bytes, without a socket.
@Suite struct IntakeTests {
    private static let limits: Limits = {
        var limits = Limits.standard
        limits.parameters = 100
        limits.body = 50
        return limits
    }()

    /// Feeds bytes in pieces of `size` and notes every step that is not mere hunger, until one ends the connection.
    private func steps(_ bytes: [UInt8], size: Int = .max) -> [Intake.Step] {
        var intake = Intake(limits: Self.limits)
        var steps: [Intake.Step] = []
        var start = 0
        while start < bytes.count {
            let end = size == .max ? bytes.count : min(start + size, bytes.count)
            var range = start..<end
            taking: while true {
                let step = intake.consume(bytes, &range)
                switch step {
                case .hungry: break taking
                case .request: intake.finishRequest()
                case .reply(_, thenClose: true), .refused: return steps + [step]
                case .reply: break
                }
                steps.append(step)
            }
            #expect(range.isEmpty)
            start = end
        }
        return steps
    }

    private func parameters(_ content: [UInt8]) -> [UInt8] { FastCGIWire.begin() + FastCGIWire.stream(4, content) }

    @Test("a request comes together in pieces of any size", arguments: [1, 2, 3, 5, 7, 8, 9, 16, 1000])
    func anyPieces(_ size: Int) throws {
        let bytes = FastCGIWire.request(id: 300, body: Array("the body".utf8), recordSize: 4, padding: 5)
        var intake = Intake(limits: Self.limits)
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(intake.isMidway == (start > 0))
            var range = start..<min(start + size, bytes.count)
            let step = intake.consume(bytes, &range)
            #expect(step == (range.upperBound == bytes.count ? .request : .hungry))
        }
        #expect(intake.requestID == 300)
        #expect(intake.keepsConnection)
        #expect(intake.body == Array("the body".utf8))
        #expect(
            intake.parameters.bytes == FastCGIWire.pair("DOCUMENT_URI", "/echo")
                + FastCGIWire.pair("CONTENT_LENGTH", "8"))
        #expect(!intake.bodyIsTooLarge)
        intake.finishRequest()
        #expect(!intake.isMidway)
    }

    @Test("requests one behind the other come one by one", arguments: [1, 10, 1000])
    func pipelined(_ size: Int) {
        #expect(
            steps(FastCGIWire.request(id: 1) + FastCGIWire.request(id: 2) + FastCGIWire.request(id: 1), size: size) == [
                .request, .request, .request,
            ])
    }

    @Test("the second request knows nothing of the first")
    func nothingIsLeft() {
        let first = FastCGIWire.request(body: [1, 2, 3], keep: true)
        let bytes =
            first + FastCGIWire.begin(id: 2, keep: false) + FastCGIWire.stream(4, id: 2, [])
            + FastCGIWire.stream(5, id: 2, [])
        var intake = Intake(limits: Self.limits)
        var range = 0..<bytes.count
        #expect(intake.consume(bytes, &range) == .request)
        #expect(range.lowerBound == first.count)
        intake.finishRequest()
        #expect(intake.consume(bytes, &range) == .request)
        #expect(
            intake.parameters.bytes.isEmpty && intake.body.isEmpty && !intake.keepsConnection && intake.requestID == 2)
    }

    @Test("parameters may fill their limit and not pass it")
    func parametersLimit() {
        let fits = FastCGIWire.pair("n", String(repeating: "v", count: 97))
        let over = FastCGIWire.pair("n", String(repeating: "v", count: 98))
        #expect(steps(parameters(fits) + FastCGIWire.stream(5, [])) == [.request])
        #expect(steps(parameters(over)) == [.refused(.parametersTooLong)])
        #expect(
            steps(FastCGIWire.begin() + FastCGIWire.record(4, fits) + FastCGIWire.record(4, [1])) == [
                .refused(.parametersTooLong)
            ])
    }

    @Test(
        "a parameter that claims to be longer than the parameters is refused",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0], [0x80, 0, 0, 1, 1, 65], [2, 0, 65], [0, 1], [1], [0x80, 0, 0],
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func malformedParameters(_ content: [UInt8]) {
        #expect(steps(parameters(content)) == [.refused(.malformedParameters)])
    }

    @Test("a body may fill its limit; one byte more is known as too large before it has come")
    func bodyLimit() {
        let start = parameters(FastCGIWire.pair("A", "B"))
        #expect(steps(start + FastCGIWire.stream(5, [UInt8](repeating: 1, count: 50))) == [.request])
        for size in [1, 51] {
            let over = start + FastCGIWire.stream(5, [UInt8](repeating: 1, count: 51), size: size)
            var intake = Intake(limits: Self.limits)
            var range = 0..<over.count
            #expect(intake.consume(over, &range) == .request)
            #expect(intake.bodyIsTooLarge)
            #expect(intake.body.isEmpty)
            #expect(!range.isEmpty)
        }
    }

    @Test("an announced length over the limit is enough", arguments: [("50", false), ("51", true), ("x", false)])
    func announcedLength(_ announced: String, _ isTooLarge: Bool) {
        let bytes = parameters(FastCGIWire.pair("CONTENT_LENGTH", announced))
        var intake = Intake(limits: Self.limits)
        var range = 0..<bytes.count
        #expect(intake.consume(bytes, &range) == (isTooLarge ? .request : .hungry))
        #expect(intake.bodyIsTooLarge == isTooLarge)
    }

    @Test(
        "records out of their order or form are refused",
        arguments: [
            FastCGIWire.begin() + FastCGIWire.begin(),
            FastCGIWire.begin() + FastCGIWire.record(5, [1]),
            FastCGIWire.begin() + FastCGIWire.record(5),
            FastCGIWire.begin() + FastCGIWire.stream(4, []) + FastCGIWire.record(4, [1]),
            FastCGIWire.begin() + FastCGIWire.record(8, [1]),
            FastCGIWire.begin() + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0]),
            FastCGIWire.begin() + FastCGIWire.record(99),
            FastCGIWire.begin(id: 0),
            FastCGIWire.record(1, [0, 1, 0]),
            FastCGIWire.record(1, [0, 1, 0, 0, 0, 0, 0, 0, 0]),
            FastCGIWire.record(9, id: 0, [UInt8](repeating: 0, count: 1025)),
        ])
    func refused(_ bytes: [UInt8]) {
        #expect(steps(bytes) == [.refused(.protocolViolation)])
        #expect(steps(bytes, size: 1) == [.refused(.protocolViolation)])
    }

    @Test("another version is refused by its first record", arguments: [0, 2, 255] as [UInt8])
    func version(_ version: UInt8) {
        #expect(
            steps(FastCGIWire.record(1, [0, 1, 0, 0, 0, 0, 0, 0], version: version)) == [.refused(.unsupportedVersion)])
    }

    @Test("management records are answered between and within requests")
    func management() {
        let query = FastCGIWire.record(9, id: 0, FastCGIWire.pair("FCGI_MPXS_CONNS", ""), padding: 3)
        let values = Intake.Step.reply(
            FastCGIWire.record(10, id: 0, FastCGIWire.pair("FCGI_MPXS_CONNS", "0")), thenClose: false)
        let unknown = Intake.Step.reply(Reply.unknownType(RecordType(rawValue: 42)), thenClose: false)
        let bytes =
            query + FastCGIWire.begin() + query + FastCGIWire.stream(4, []) + FastCGIWire.record(42, id: 0, [1, 2])
            + FastCGIWire.stream(5, [])
            + query
        for size in [1, 9, 1000] {
            #expect(steps(bytes, size: size) == [values, values, unknown, .request, values])
        }
        #expect(steps(FastCGIWire.record(9, id: 0, [7])) == [.refused(.malformedParameters)])
    }

    @Test("other roles are turned down, and their records passed over", arguments: [2, 3, 0, 77] as [UInt8])
    func roles(_ role: UInt8) {
        let turnedDown = Reply.end(5, .unknownRole)
        let rest = FastCGIWire.stream(4, id: 5, [1, 1, 1]) + FastCGIWire.stream(5, id: 5, [9])
        #expect(
            steps(FastCGIWire.begin(id: 5, role: role) + rest + FastCGIWire.request())
                == [.reply(turnedDown, thenClose: false), .request])
        #expect(steps(FastCGIWire.begin(id: 5, role: role, keep: false)) == [.reply(turnedDown, thenClose: true)])
    }

    @Test("a second request under way is turned down, and the first one unharmed")
    func multiplexing() {
        let bytes =
            FastCGIWire.begin(id: 1) + FastCGIWire.begin(id: 2)
            + FastCGIWire.stream(4, id: 1, FastCGIWire.pair("A", "B"))
            + FastCGIWire.stream(4, id: 2, FastCGIWire.pair("C", "D")) + FastCGIWire.stream(5, id: 2, [2])
            + FastCGIWire.record(2, id: 2)
            + FastCGIWire.stream(5, id: 1, [1])
        for size in [1, 11, 1000] {
            #expect(steps(bytes, size: size) == [.reply(Reply.end(2, .cannotMultiplex), thenClose: false), .request])
        }
    }

    @Test("an aborted request is ended, and with it the connection if it was not to be kept")
    func abort() {
        let ended = Reply.end(1, .complete)
        #expect(
            steps(FastCGIWire.begin() + FastCGIWire.record(4, [1]) + FastCGIWire.record(2) + FastCGIWire.request())
                == [.reply(ended, thenClose: false), .request])
        #expect(steps(FastCGIWire.begin(keep: false) + FastCGIWire.record(2)) == [.reply(ended, thenClose: true)])
        #expect(steps(FastCGIWire.record(2) + FastCGIWire.request()) == [.request])
    }
}
