import Gatehouse
import IdentityProviders
import JSON

extension KeySetReport {
    /// Without a key set no user can sign in with Apple: an error. A failed renewal or a skipped key is a warning,
    /// since logins fail when Apple changes its key.
    func write(to log: Log, requestID: String?) {
        log(line.level, "apple_" + line.event, line.fields, requestID: requestID)
    }

    /// The same for another provider.
    func write(to log: Log, of provider: Provider, requestID: String?) {
        let name: (String, JSONValue) = ("provider", .string(provider.rawValue))
        log(line.level, "provider_" + line.event, [name] + line.fields, requestID: requestID)
    }

    private var line: (level: LogLevel, event: String, fields: [(String, JSONValue)]) {
        switch self {
        case .renewed(let keys, let skipped):
            let fields = [("usable", keys.json), ("skipped", .array(skipped.map(JSONValue.string)))]
            return (skipped.isEmpty ? .info : .warning, "keys", fields)
        case .failed(let fault, let age?):
            return (.warning, "keys", [("fault", .string(fault.description)), ("age", age.inSeconds)])
        case .failed(let fault, nil):
            return (.error, "keys", [("fault", .string(fault.description)), ("age", .null)])
        case .restored(let keys, let age):
            return (.info, "keys_restored", [("usable", keys.json), ("age", age.inSeconds)])
        case .discarded(let fault):
            return (.warning, "keys_discarded", [("fault", .string(fault.description))])
        }
    }
}

extension Int {
    fileprivate var json: JSONValue { .integer(Int64(self)) }
}

extension Duration {
    fileprivate var inSeconds: JSONValue { .integer(wholeSeconds) }
}

extension AppleServerFault {
    /// A fault that only an operator can correct is an error; one that may pass is a warning.
    var level: LogLevel {
        switch self {
        case .grantRefused, .unavailable: .warning
        case .credentialsRefused: .error
        }
    }

    var explanation: String {
        let table = Settings.table
        return switch self {
        case .grantRefused: "Apple no longer accepts this code or token"
        case .secretUnreadable:
            "\(table.apple.dataKey.name) cannot decrypt data that another key encrypted"
        case .credentialsRefused(let word):
            "Apple refuses our credentials (\(word)): check \(table.apple.teamID.name), \(table.apple.keyID.name) and "
                + table.apple.privateKey.name
        case .unavailable(let fault): "Apple does not answer: \(fault)"
        }
    }
}
