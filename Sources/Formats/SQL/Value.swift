/// A value of a column or a parameter.
package enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package static func flag(_ isSet: Bool) -> Value { .integer(isSet ? 1 : 0) }

    package static func optional(_ flag: Bool?) -> Value { flag.map(Value.flag) ?? .null }

    package static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }

    package static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }

    package static func optional(_ blob: [UInt8]?) -> Value { blob.map(Value.blob) ?? .null }
}
