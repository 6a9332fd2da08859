package import JSON

/// An answer, independent of the protocol it is sent by.
package struct Response: Sendable, Equatable {
    package var status: Int
    package var headers: [Header] = []
    package var body: [UInt8] = []

    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: FieldValue

        package init(_ name: String, _ value: FieldValue) {
            (self.name, self.value) = (name, value)
        }

        /// A header whose value comes from outside; nil when it is not safe to write.
        package init?(_ name: String, checking text: String) {
            guard let value = FieldValue(checking: text) else { return nil }
            self.init(name, value)
        }
    }

    package static let noContent = Response(status: 204)

    static func ok(_ body: some ResponseBody) -> Response {
        Response(status: 200, headers: [Header("Content-Type", "application/json")], body: body.json)
    }

    static func accepted(_ body: some ResponseBody) -> Response {
        Response(status: 202, headers: [Header("Content-Type", "application/json")], body: body.json)
    }

    /// The value of a header, by its name in any case.
    package func header(_ name: String) -> String? {
        headers.first {
            $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name.lowercased()
        }?.value.text
    }
}

/// A response body. It writes all of its members; absent values are `null` and never left out.
package protocol ResponseBody: Sendable {
    func write(to json: inout JSONObjectWriter)
}

extension ResponseBody {
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { write(to: &$0) }
        return writer.finish()
    }
}

/// The value of a header field: visible ASCII, with spaces only inside (RFC 9110, section 5.5). A CR or LF would begin
/// another header, and a proxy would remove a space at either end.
package struct FieldValue: Sendable, Equatable {
    let text: String

    /// A text from outside, for example a claim of a token; nil when it is not safe to write.
    package init?(checking text: String) {
        guard Self.isSafe(text.utf8.span) else { return nil }
        self.text = text
    }

    init(_ number: Int) { text = String(number) }

    private static func isSafe(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != space, bytes[bytes.count - 1] != space else { return false }
        // Two per guarded request. Without an early exit, the compiler vectorises the loop.
        var highest: UInt8 = 0
        for index in bytes.indices { highest = max(highest, bytes[index] &- space) }
        return highest <= tilde - space
    }

    private static let space = UInt8(ascii: " ")
    private static let tilde = UInt8(ascii: "~")
}

/// Literals are checked in debug builds only.
extension FieldValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        assert(Self.isSafe(text.utf8.span), "a header value in the source code is not visible ASCII")
        self.text = text
    }
}
