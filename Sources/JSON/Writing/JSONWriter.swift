/// Writes JSON straight into a byte buffer, without building a tree first.
///
///     var json = JSONWriter(reserving: 512)
///     json.object { json in
///         json.member("email", user.email)
///         json.member("roles", array: { $0.element("USER") })
///     }
///     send(json.finish())
///
/// It cannot be copied: then the bytes it gives away are nobody else's, and are not copied either.
public struct JSONWriter: ~Copyable {
    private var text: JSONBuffer

    /// - Parameter capacity: A guess at the length of the whole text, so that the buffer need not grow.
    public init(reserving capacity: Int = 256) {
        text = JSONBuffer(reserving: capacity)
    }

    /// All that has been written.
    public var bytes: [UInt8] { text.bytes }

    /// The same where nothing more will be written, without a copy.
    public consuming func finish() -> [UInt8] { text.finish() }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        var object = JSONObjectWriter(continuing: takeText())
        body(&object)
        text = object.finish()
    }

    public mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        var array = JSONArrayWriter(continuing: takeText())
        body(&array)
        text = array.finish()
    }

    public mutating func value(_ value: JSONValue) {
        text.put(value)
    }

    /// Hands the buffer on with this writer keeping no reference to it, so that appending never copies it.
    private mutating func takeText() -> JSONBuffer {
        defer { text = JSONBuffer() }
        return text
    }
}
