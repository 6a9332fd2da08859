import JSON
import Processes

/// The output of `gatehouse apple verify`: a line for each check on standard error, and the verdict.
struct VerifyReport: Equatable {
    struct Check: Equatable {
        let result: String
        let name: String
        let text: String

        /// The columns of the table, in characters.
        private static let columns = (name: 7, text: 19)

        /// Parses a line such as `FAULT  audience    com.example.other is not one of com.example.app`.
        init?(_ line: Substring) {
            guard let result = Self.results[line.prefix { $0 != " " }], line.count > Self.columns.name else {
                return nil
            }
            self.result = result
            name = line.prefix(Self.columns.text).dropFirst(Self.columns.name).split(separator: " ")
                .joined(separator: " ")
            text = String(line.dropFirst(Self.columns.text))
        }

        private static let results: [Substring: String] = ["ok": "ok", "FAULT": "fault", "-": "skipped"]

        var json: JSONValue {
            ["result": .string(result), "name": .string(name), "text": .string(text)]
        }
    }

    let checks: [Check]
    let isAccepted: Bool
    /// Why a token was refused, or why the command could not verify it.
    let message: String?

    init(_ outcome: Subprocess.Outcome) {
        let lines = outcome.errorOutput.split(separator: "\n")
        checks = lines.compactMap(Check.init)
        isAccepted = outcome.status == 0
        let text = outcome.status == 1 ? outcome.output : lines.filter { Check($0) == nil }.joined(separator: "\n")
        message = isAccepted ? nil : String(text.prefix { $0 != "\n" })
    }

    var json: JSONObject {
        [
            "accepted": .bool(isAccepted), "checks": .array(checks.map(\.json)),
            "message": message.map(JSONValue.string) ?? .null,
        ]
    }
}
