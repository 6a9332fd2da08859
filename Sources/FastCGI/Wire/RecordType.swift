/// What a record is. Numbers that the specification does not give are values too: a peer may send them.
struct RecordType: Equatable {
    let rawValue: UInt8

    static let beginRequest = RecordType(rawValue: 1)
    static let abortRequest = RecordType(rawValue: 2)
    static let endRequest = RecordType(rawValue: 3)
    static let parameters = RecordType(rawValue: 4)
    static let standardInput = RecordType(rawValue: 5)
    static let standardOutput = RecordType(rawValue: 6)
    static let getValues = RecordType(rawValue: 9)
    static let getValuesResult = RecordType(rawValue: 10)
    static let unknownType = RecordType(rawValue: 11)
}
