/// A buffer of text that grows at its end.
///
/// The storage array already has the expected length, so writing a few bytes is a few stores. Appending to an array
/// takes about two hundred instructions, even for one byte.
struct JSONBuffer: Sendable {
    private var storage: [UInt8] = []
    private var count = 0

    init() {}

    init(reserving capacity: Int) {
        grow(by: capacity)
    }

    /// The text.
    consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - count)
        return storage
    }

    mutating func put(_ byte: UInt8) {
        if count == storage.count { grow(by: 1) }
        storage[count] = byte
        count += 1
    }

    mutating func put(_ bytes: Span<UInt8>) {
        let start = count
        makeRoom(for: bytes.count)
        var room = storage.mutableSpan
        for index in bytes.indices { room[start &+ index] = bytes[index] }
        count = start + bytes.count
    }

    /// Writes a text in quotes. If it needs escapes, nothing is written and the result is false.
    mutating func putQuoted(_ text: Span<UInt8>) -> Bool {
        makeRoom(for: text.count + 2)
        let start = count
        var room = storage.mutableSpan
        guard Self.write(text, quotedAt: start, in: &room) else { return false }
        count = start + text.count + 2
        return true
    }

    /// Writes a member's name, with a comma before it unless it is the first, and a colon after it. If the name needs
    /// escapes, nothing is written and the result is false.
    mutating func putName(_ name: Span<UInt8>, isFirst: Bool) -> Bool {
        makeRoom(for: name.count + 4)
        let start = isFirst ? count : count + 1
        var room = storage.mutableSpan
        guard Self.write(name, quotedAt: start, in: &room) else { return false }
        if !isFirst { room[start - 1] = .comma }
        room[start + name.count + 2] = .colon
        count = start + name.count + 3
        return true
    }

    /// Writes a number with `places` digits, from the last digit to the first.
    mutating func put(_ number: UInt64, places: Int) {
        makeRoom(for: places)
        let start = count
        var room = storage.mutableSpan
        var rest = number
        for place in (start..<start + places).reversed() {
            room[place] = .zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count = start + places
    }

    /// Copies a text in quotes. False if it needs escapes.
    @inline(__always)
    private static func write(
        _ text: Span<UInt8>, quotedAt place: Int, in room: inout MutableSpan<UInt8>
    ) -> Bool {
        let start = place + 1
        room[place] = .quote
        room[start + text.count] = .quote
        if text.count >= longText { return writeLong(text, at: start, in: &room) }
        var classes: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            room[start &+ index] = byte
            classes |= TextByte.classes[Int(byte)]
        }
        return classes & TextByte.isEscaped == 0
    }

    private static let longText = 64

    /// For tokens: loops that the compiler vectorises, the first because of the precondition, the second because it has no
    /// early exit and no table.
    private static func writeLong(
        _ text: Span<UInt8>, at start: Int, in room: inout MutableSpan<UInt8>
    ) -> Bool {
        precondition(start >= 0 && start + text.count <= room.count)
        for index in text.indices { room[start + index] = text[index] }
        var found: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            found |= (byte < 0x20 ? 1 : 0) | (byte == .quote ? 1 : 0) | (byte == .backslash ? 1 : 0)
        }
        return found == 0
    }

    private mutating func makeRoom(for more: Int) {
        if storage.count - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let more = max(more, storage.count)
        storage.append(addingCapacity: more) { $0.append(repeating: 0, count: more) }
    }
}
