/// A setting: one row of the table in `Settings`.
///
/// `Value` is optional if the setting has no default.
package struct Setting<Value: Sendable>: SettingRow {
    package let name: String
    package let defaultValue: SettingDefault
    package let isSecret: Bool
    package let needsRestart: Bool
    package let summary: String
    package let details: String
    package var format: String { parser.format }

    private let parser: SettingParser<Value>
    private let valueIfUnset: @Sendable () -> Value

    /// A setting with a default, in the form in which an operator would write it.
    init(
        _ name: String, _ parser: SettingParser<Value>, default text: String, secret: Bool = false,
        restart: Bool = false, _ summary: String, details: String = ""
    ) {
        self.init(name, parser, .text(text), secret, restart, summary, details) {
            var faults: [String] = []
            guard let value = parser.parse(text, &faults) else {
                preconditionFailure("the default of \(name) \(faults.joined())")
            }
            return value
        }
    }

    /// A setting without a default.
    init<Wrapped>(
        _ name: String, _ parser: SettingParser<Wrapped>, default unset: SettingDefault = .none, secret: Bool = false,
        restart: Bool = false, _ summary: String, details: String = ""
    ) where Value == Wrapped? {
        let optional = SettingParser<Value>(parser.format) { text, faults in parser.parse(text, &faults) }
        self.init(name, optional, unset, secret, restart, summary, details) { nil }
    }

    private init(
        _ name: String, _ parser: SettingParser<Value>, _ defaultValue: SettingDefault, _ isSecret: Bool,
        _ needsRestart: Bool, _ summary: String, _ details: String, valueIfUnset: @escaping @Sendable () -> Value
    ) {
        self.name = name
        self.parser = parser
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        self.needsRestart = needsRestart
        self.summary = summary
        self.details = details
        self.valueIfUnset = valueIfUnset
    }

    package func value(of text: String?, faults: inout [String]) -> any Sendable {
        text.flatMap { parser.parse($0, &faults) } ?? valueIfUnset()
    }
}

/// A setting with any type of value, for loops over the table.
package protocol SettingRow: Sendable {
    var name: String { get }
    var defaultValue: SettingDefault { get }
    /// Whether a person who knows the value could act for Gatehouse or read what it encrypts.
    var isSecret: Bool { get }
    /// Whether a reload leaves the old value in force.
    var needsRestart: Bool { get }
    /// A line of `gatehouse serve --help`.
    var summary: String { get }
    /// Further sentences of the Configuration page, in Markdown.
    var details: String { get }
    /// The form of a value, such as "a number from 1 to 1024"; empty if every text is valid.
    var format: String { get }

    /// The value of a text; the default if there is no text or it is invalid.
    ///
    /// - Parameter faults: the faults of the text are appended, such as "must be a number from 1 to 1024".
    func value(of text: String?, faults: inout [String]) -> any Sendable
}

/// The value of a setting that is not set.
package enum SettingDefault: Sendable, Equatable {
    case none
    case text(String)
    /// The server does not start without the setting.
    case required
    /// The server does not start without the setting under a condition, such as "with `APPLE_PRIVATE_KEY`".
    case requiredIf(String)
}

/// Reads the text of a setting.
struct SettingParser<Value: Sendable>: Sendable {
    let format: String
    /// Returns nil if the text has no value. The text of a secret can have a value and faults.
    let parse: @Sendable (_ text: String, _ faults: inout [String]) -> Value?

    init(_ format: String, parse: @escaping @Sendable (_ text: String, _ faults: inout [String]) -> Value?) {
        (self.format, self.parse) = (format, parse)
    }

    /// A parser whose only fault is that the text does not have the format.
    init(_ format: String, _ parse: @escaping @Sendable (String) -> Value?) {
        self.init(format) { text, faults in
            let value = parse(text)
            if value == nil { faults.append("must be \(format)") }
            return value
        }
    }
}

/// A fault of one setting or of one line of the configuration file. Contains no value: it could be a secret.
package struct SettingFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The setting, or a place such as `/etc/gatehouse/gatehouse.conf:7`.
    package let name: String
    package let message: String
    /// The file to correct, other than the configuration file.
    package let file: String?
    /// The setting whose line in a file has the fault.
    let lineOf: String?
    let unknown: UnknownName?

    init(
        _ name: String, _ message: String, in file: String? = nil, lineOf: String? = nil, unknown: UnknownName? = nil
    ) {
        self.name = name
        self.message = message
        self.file = file
        self.lineOf = lineOf
        self.unknown = unknown
    }

    package var description: String { "\(name) \(message)" }
}

/// Every fault of a configuration, so that an operator can correct all of them at once.
package struct SettingFaults: Error, Sendable, Equatable, CustomStringConvertible {
    package let faults: [SettingFault]
    /// Whether they may be none, which a database that does not answer would say.
    package var isTemporary = false

    package var description: String {
        faults.map { "  " + $0.description }.joined(separator: "\n")
    }
}
