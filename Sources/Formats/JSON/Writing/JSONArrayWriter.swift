/// Writes the elements of an array.
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

    public mutating func element(_ value: String) {
        separate()
        text.put(value)
    }

    public mutating func element(_ value: Int) {
        separate()
        text.put(Int64(value))
    }

    @_disfavoredOverload
    public mutating func element(_ value: JSONValue) {
        separate()
        text.put(value)
    }

    public mutating func object(_ body: (inout JSONObjectWriter) -> Void) {
        separate()
        var object = JSONObjectWriter(continuing: takeText())
        body(&object)
        text = object.finish()
    }

    public mutating func array(_ body: (inout JSONArrayWriter) -> Void) {
        separate()
        var array = JSONArrayWriter(continuing: takeText())
        body(&array)
        text = array.finish()
    }

    private mutating func separate() {
        if !isEmpty { text.put(.comma) }
        isEmpty = false
    }

    private mutating func takeText() -> JSONBuffer {
        defer { text = JSONBuffer() }
        return text
    }
}
