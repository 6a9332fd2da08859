/// Text that grows at its end.
///
/// What is behind it is as long already as the text is likely to become. So a few bytes are written for what these few
/// cost; appending them to an array costs two hundred instructions, however few they are.
struct JSONBuffer: Sendable {
    private var storage: [UInt8] = []
    private var count = 0

    init() {}

    init(reserving capacity: Int) {
        grow(by: capacity)
    }

    /// All that has been written.
    var bytes: [UInt8] { Array(storage[..<count]) }

    mutating func put(_ byte: UInt8) {
        if count == storage.count { grow(by: 1) }
        storage[count] = byte
        count += 1
    }

    mutating func put(_ bytes: Span<UInt8>) {
        makeRoom(for: bytes.count)
        let start = count
        var room = storage.mutableSpan
        for index in bytes.indices { room[start &+ index] = bytes[index] }
        count += bytes.count
    }

    /// Writes a text between quotes as it is; false, with nothing written, where something in it has to be escaped.
    mutating func putQuoted(_ text: Span<UInt8>) -> Bool {
        makeRoom(for: text.count + 2)
        let start = count + 1
        var room = storage.mutableSpan
        var special: UInt8 = 0
        room[start - 1] = .quote
        for index in text.indices {
            let byte = text[index]
            special |= (byte < 0x20 ? 1 : 0) | (byte == .quote ? 1 : 0) | (byte == .backslash ? 1 : 0)
            room[start &+ index] = byte
        }
        guard special == 0 else { return false }
        room[start + text.count] = .quote
        count += text.count + 2
        return true
    }

    private mutating func makeRoom(for more: Int) {
        if storage.count - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let more = max(more, storage.count)
        storage.append(addingCapacity: more) { $0.append(repeating: 0, count: more) }
    }
}
