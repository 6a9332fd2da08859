/// Writes the members of one object. The caller sees to it that no name comes twice.
public struct JSONObjectWriter {
    private var bytes: [UInt8]
    private var isEmpty = true

    init(continuing bytes: consuming [UInt8]) {
        self.bytes = bytes
        self.bytes.append(.leftBrace)
    }

    consuming func finish() -> [UInt8] {
        bytes.append(.rightBrace)
        return bytes
    }

    public mutating func member(_ name: String, _ value: String) {
        begin(name)
        bytes.appendJSON(value)
    }

    /// Absent values are written as `null`, never left out.
    public mutating func member(_ name: String, _ value: String?) {
        begin(name)
        if let value { bytes.appendJSON(value) } else { bytes.appendJSONNull() }
    }

    public mutating func member(_ name: String, _ value: Bool) {
        begin(name)
        bytes.appendJSON(value)
    }

    public mutating func member(_ name: String, _ value: Bool?) {
        begin(name)
        if let value { bytes.appendJSON(value) } else { bytes.appendJSONNull() }
    }

    public mutating func member(_ name: String, _ value: Int) {
        begin(name)
        bytes.appendJSON(Int64(value))
    }

    public mutating func member(_ name: String, _ value: Int64) {
        begin(name)
        bytes.appendJSON(value)
    }

    public mutating func member(_ name: String, _ value: Int64?) {
        begin(name)
        if let value { bytes.appendJSON(value) } else { bytes.appendJSONNull() }
    }

    @_disfavoredOverload
    public mutating func member(_ name: String, _ value: JSONValue) {
        begin(name)
        bytes.appendJSON(value)
    }

    public mutating func member(_ name: String, object body: (inout JSONObjectWriter) -> Void) {
        begin(name)
        var object = JSONObjectWriter(continuing: takeBytes())
        body(&object)
        bytes = object.finish()
    }

    public mutating func member(_ name: String, array body: (inout JSONArrayWriter) -> Void) {
        begin(name)
        var array = JSONArrayWriter(continuing: takeBytes())
        body(&array)
        bytes = array.finish()
    }

    private mutating func begin(_ name: String) {
        if !isEmpty { bytes.append(.comma) }
        isEmpty = false
        bytes.appendJSON(name)
        bytes.append(.colon)
    }

    private mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
