import AppleID
import Gatehouse
import JSON

extension KeySetReport {
    /// Without a set nobody can sign in with Apple. Without a renewal they can for now, and a key that was left out may
    /// be the next one.
    func note(in log: Log) {
        switch self {
        case .renewed(let keys, let skipped):
            log(
                skipped.isEmpty ? .info : .warning, "apple_keys",
                [("usable", .integer(Int64(keys))), ("skipped", .array(skipped.map(JSONValue.string)))])
        case .failed(let fault, let age?):
            log(.warning, "apple_keys", [("fault", .string(fault.description)), ("age", age.inSeconds)])
        case .failed(let fault, nil):
            log(.error, "apple_keys", [("fault", .string(fault.description)), ("age", .null)])
        case .restored(let keys, let age):
            log(.info, "apple_keys_restored", [("usable", .integer(Int64(keys))), ("age", age.inSeconds)])
        case .discarded(let fault):
            log(.warning, "apple_keys_discarded", [("fault", .string(fault.description))])
        }
    }
}

extension Duration {
    fileprivate var inSeconds: JSONValue { .integer(wholeSeconds) }
}
