import JSON

/// A response over TLS.
struct HTTPResponse {
    let status: Int
    let json: JSONObject

    /// Parses a body that is followed by a line with the status.
    init(_ output: [UInt8]) {
        let end = output.lastIndex(of: UInt8(ascii: "\n")) ?? output.endIndex
        status = Int(String(decoding: output[end...].dropFirst(), as: UTF8.self)) ?? 0
        json = (try? JSONValue(parsing: Array(output[..<end])))?.object ?? [:]
    }

    subscript(_ name: String) -> String? { json[name]?.string }
}
