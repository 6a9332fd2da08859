import JSON

/// A response in any environment.
struct TestResponse: Sendable {
    let status: Int
    /// In order, with lower-case names.
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    func count(ofHeader name: String) -> Int { headers.filter { $0.name == name }.count }

    var json: JSONObject { (try? JSONValue(parsing: body))?.object ?? [:] }

    subscript(_ name: String) -> JSONValue? { json[name] }

    /// The code of the problem document, of the header in a refusal without a body, or in a page for a browser.
    var code: String? { json["code"]?.string ?? header("x-problem-code") ?? codeInPage }

    private var codeInPage: String? {
        guard header("content-type")?.hasPrefix("text/html") == true else { return nil }
        return String(decoding: body, as: UTF8.self).firstMatch(of: /<small>([a-z_]+), request/).map { String($0.1) }
    }

    /// Parses a CGI or HTTP header block and the body after it.
    init(parsing bytes: [UInt8]) {
        let end = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) } ?? bytes.endIndex
        var headers: [(name: String, value: String)] = []
        var status = 0
        for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n") {
            if line.hasPrefix("HTTP/") {
                status = Int(line.split(separator: " ")[1]) ?? 0
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                headers.append((line[..<colon].lowercased(), String(value)))
            }
        }
        if let cgi = headers.first(where: { $0.name == "status" }) {
            status = Int(cgi.value.prefix { $0 != " " }) ?? 0
        }
        self.status = status
        self.headers = headers.filter { $0.name != "status" }
        body = Array(bytes[min(end + 4, bytes.endIndex)...])
    }
}
