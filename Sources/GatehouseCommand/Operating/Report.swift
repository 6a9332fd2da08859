import JSON
import POSIX

/// What a command has to say: one JSON document for a script, a text for a person.
struct Report {
    let json: JSONValue
    let text: String

    /// Prints what was asked for.
    func print(for input: Input, on stream: StandardStream = .output) {
        stream.line(input.has(Option.json.name) ? json.printable : text)
    }
}

extension Option {
    static let json = Option(name: "--json", value: nil, help: "print JSON, for a script")
}

extension JSONValue {
    /// Compact text that is safe on a terminal as well. What `printable` is wary of can only stand within strings,
    /// where JSON may spell it by its number.
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
