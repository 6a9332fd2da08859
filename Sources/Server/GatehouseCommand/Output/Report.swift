import CommandLineTool
import FileSystem
import JSON

/// The output of a command: a JSON document for `--json`, text otherwise.
struct Report {
    let json: JSONValue
    let text: String

    func print(for arguments: Arguments, on stream: StandardStream = .output) {
        stream.line(arguments.has(Option.json.name) ? json.printable : text)
    }
}

extension Option {
    static let json = Option(name: "--json", help: "print JSON, for a script")
}

extension JSONValue {
    /// Compact JSON that is safe on a terminal. Characters that act on terminals can only occur in strings, where JSON
    /// allows them to be escaped by number.
    fileprivate var printable: String {
        var result = ""
        for scalar in description.unicodeScalars {
            if scalar.actsOnTerminals {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}
