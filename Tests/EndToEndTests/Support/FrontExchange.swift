import JSON
import TestSupport

/// A request that curl sends to a front, and what has to come back.
struct FrontExchange: CustomStringConvertible {
    let path: String
    var headers: [String] = []
    /// A file, since curl's configuration is no place for 64 KiB.
    var body: (file: String, size: Int)?
    let status: Int
    /// Shows that the responder has read the request to its last byte.
    var email: String?

    var description: String { "\(path), \(headers.count) headers, \(body.map { "\($0.size) bytes" } ?? "no body")" }

    func isAnswered(by answer: Answer) -> Bool {
        let user = answer["user"]?.object ?? answer.json
        return answer.status == status && (email == nil || user["email"]?.string == email)
    }

    /// In the syntax of curl's configuration file.
    func options(site: String, output: String) -> [String] {
        let quoted = ["Expect:"] + headers
        return ["silent", "show-error", "include", "max-time = 60", #"url = "\#(site)\#(path)""#]
            + [#"output = "\#(output)""#] + quoted.map { #"header = "\#($0)""# }
            + (body.map { [#"data-binary = "@\#($0.file)""#] } ?? [])
    }
}
