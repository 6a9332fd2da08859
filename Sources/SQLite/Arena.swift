/// Where the texts and blobs of a statement stand while it uses them. Its memory is kept for the next time.
@safe
struct Arena: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        unsafe memory = .allocate(byteCount: 64, alignment: 1)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Forgets what has been kept, and makes room: from here on nothing moves until the next time.
    mutating func clear(for count: Int) {
        used = 0
        guard unsafe memory.count <= count else { return }
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: count + 1, alignment: 1)
    }

    mutating func keep(_ text: String) -> UnsafeRawBufferPointer {
        unsafe keep(text.utf8.count) { unsafe $0.copyBytes(from: text.utf8) }
    }

    mutating func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        unsafe keep(bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Also of nothing there is an address: for SQLite none is NULL, and for it an empty text is not.
    private mutating func keep(
        _ count: Int, write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        let room = unsafe memory.count - used
        precondition(count < room, "there is room for what was announced")
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + count])
        unsafe write(place)
        used += count
        return UnsafeRawBufferPointer(place)
    }
}
