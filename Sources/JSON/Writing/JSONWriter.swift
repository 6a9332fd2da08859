/// Writes JSON straight into a byte buffer, without building a tree first.
///
///     var json = JSONWriter(reserving: 512)
///     json.object { json in
///         json.member("email", user.email)
///         json.member("roles", array: { $0.element("USER") })
///     }
///     send(json.bytes)
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: A guess at the length of the whole text, so that the buffer need not grow.
    public init(reserving capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        var object = JSONObjectWriter(continuing: takeBytes())
        body(&object)
        bytes = object.finish()
    }

    public mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        var array = JSONArrayWriter(continuing: takeBytes())
        body(&array)
        bytes = array.finish()
    }

    public mutating func value(_ value: JSONValue) {
        bytes.appendJSON(value)
    }

    /// Hands the buffer on with this writer keeping no reference to it, so that appending never copies it.
    private mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
