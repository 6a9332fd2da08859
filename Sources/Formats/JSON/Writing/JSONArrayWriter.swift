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
