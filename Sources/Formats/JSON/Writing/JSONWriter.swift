/// Writes JSON directly into a byte buffer, without building a tree.
///
///     var json = JSONWriter(reserving: 512)
///     json.object { json in
///         json.member("email", user.email)
///         json.member("roles", array: { $0.object { $0.member("name", "USER") } })
///     }
///     send(json.finish())
///
/// It is not copyable, so that `finish` can return its bytes without a copy.
public struct JSONWriter: ~Copyable {
    private var text: JSONBuffer

    /// - Parameter capacity: The expected length of the text, so that the buffer does not have to grow.
    public init(reserving capacity: Int = 256) {
        text = JSONBuffer(reserving: capacity)
    }

    /// The text.
    public consuming func finish() -> [UInt8] { text.finish() }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        var object = JSONObjectWriter(continuing: takeText())
        body(&object)
        text = object.finish()
    }

    public mutating func value(_ value: JSONValue) {
        text.put(value)
    }

    /// Moves the buffer out of this writer, so that it has a single reference and appending does not copy it.
    private mutating func takeText() -> JSONBuffer {
        defer { text = JSONBuffer() }
        return text
    }
}
