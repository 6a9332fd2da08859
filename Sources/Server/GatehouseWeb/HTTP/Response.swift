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
            self.name = name
            self.value = value
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
