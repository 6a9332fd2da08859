/// Writes the elements of one array.
public struct JSONArrayWriter {
    private var bytes: [UInt8]
    private var isEmpty = true

    init(continuing bytes: consuming [UInt8]) {
        self.bytes = bytes
        self.bytes.append(.leftBracket)
    }

    consuming func finish() -> [UInt8] {
        bytes.append(.rightBracket)
        return bytes
    }

    public mutating func element(_ value: String) {
        separate()
        bytes.appendJSON(value)
    }

    public mutating func element(_ value: Int) {
        separate()
        bytes.appendJSON(Int64(value))
    }

    @_disfavoredOverload
    public mutating func element(_ value: JSONValue) {
        separate()
        bytes.appendJSON(value)
    }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        separate()
        var object = JSONObjectWriter(continuing: takeBytes())
        body(&object)
        bytes = object.finish()
    }

    public mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        separate()
        var array = JSONArrayWriter(continuing: takeBytes())
        body(&array)
        bytes = array.finish()
    }

    private mutating func separate() {
        if !isEmpty { bytes.append(.comma) }
        isEmpty = false
    }

    private mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
