/// Writes the members of an object. The caller must not use a name twice.
public struct JSONObjectWriter {
    private var text: JSONBuffer
    private var isEmpty = true

    init(continuing text: consuming JSONBuffer) {
        // Written before the assignment, while the buffer has a single reference and is not copied.
        text.put(.leftBrace)
        self.text = text
    }

    consuming func finish() -> JSONBuffer {
        text.put(.rightBrace)
        return text
    }

    public mutating func member(_ name: String, _ value: String) {
        begin(name)
        text.put(value)
    }

    /// Text in UTF-8.
    public mutating func member(_ name: String, utf8 value: Span<UInt8>) {
        begin(name)
        text.put(utf8: value)
    }

    /// A nil value is written as `null`, not omitted.
    public mutating func member(_ name: String, _ value: String?) {
        begin(name)
        if let value { text.put(value) } else { text.putNull() }
    }

    public mutating func member(_ name: String, _ value: Bool) {
        begin(name)
        text.put(value)
    }

    public mutating func member(_ name: String, _ value: Bool?) {
        begin(name)
        if let value { text.put(value) } else { text.putNull() }
    }

    public mutating func member(_ name: String, _ value: Int) {
        begin(name)
        text.put(Int64(value))
    }

    public mutating func member(_ name: String, _ value: Int64) {
        begin(name)
        text.put(value)
    }

    /// A number with three decimal places.
    public mutating func member(_ name: String, thousandths value: Int) {
        begin(name)
        text.put(thousandths: Int64(value))
    }

    @_disfavoredOverload
    public mutating func member(_ name: String, _ value: JSONValue) {
        begin(name)
        text.put(value)
    }

    /// A text that is JSON already.
    public mutating func member(_ name: String, json value: String) {
        begin(name)
        text.put(value.utf8.span)
    }

    public mutating func member(_ name: String, object body: (inout JSONObjectWriter) -> Void) {
        begin(name)
        var object = JSONObjectWriter(continuing: takeText())
        body(&object)
        text = object.finish()
    }

    public mutating func member(_ name: String, array body: (inout JSONArrayWriter) -> Void) {
        begin(name)
        var array = JSONArrayWriter(continuing: takeText())
        body(&array)
        text = array.finish()
    }

    /// An array with an object for each element.
    public mutating func member<Element>(
        _ name: String, objects elements: [Element], _ write: (Element, inout JSONObjectWriter) -> Void
    ) {
        member(name, array: { list in for element in elements { list.object { write(element, &$0) } } })
    }

    private mutating func begin(_ name: String) {
        text.put(name: name, isFirst: isEmpty)
        isEmpty = false
    }

    private mutating func takeText() -> JSONBuffer {
        defer { text = JSONBuffer() }
        return text
    }
}

/// Writes the elements of an array of objects.
public struct JSONArrayWriter {
    private var text: JSONBuffer
    private var isEmpty = true

    init(continuing text: consuming JSONBuffer) {
        // Written before the assignment, while the buffer has a single reference and is not copied.
        text.put(.leftBracket)
        self.text = text
    }

    consuming func finish() -> JSONBuffer {
        text.put(.rightBracket)
        return text
    }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        if !isEmpty { text.put(.comma) }
        isEmpty = false
        var object = JSONObjectWriter(continuing: takeText())
        body(&object)
        text = object.finish()
    }

    private mutating func takeText() -> JSONBuffer {
        defer { text = JSONBuffer() }
        return text
    }
}

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
