import JSON
import TestSupport

/// A request that curl sends to a web server, and the expected response.
struct WebServerExchange: CustomStringConvertible {
    let path: String
    var headers: [String] = []
    /// In a file, because 64 KiB do not fit into curl's configuration.
    var body: (file: String, size: Int)?
    let status: Int
    /// The expected email in the response, which shows that the server has read the whole request.
    var email: String?

    var description: String { "\(path), \(headers.count) headers, \(body.map { "\($0.size) bytes" } ?? "no body")" }

    func matches(_ response: TestResponse) -> Bool {
        let user = response["user"]?.object ?? response.json
        return response.status == status && (email == nil || user["email"]?.string == email)
    }

    /// The request in the syntax of curl's configuration file.
    func options(site: String, output: String) -> [String] {
        let quoted = ["Expect:"] + headers
        return ["silent", "show-error", "include", "max-time = 60", #"url = "\#(site)\#(path)""#]
            + [#"output = "\#(output)""#] + quoted.map { #"header = "\#($0)""# }
            + (body.map { [#"data-binary = "@\#($0.file)""#] } ?? [])
    }
}
