/// Memory for the bound texts and blobs of a statement, reused for each execution.
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

    /// Discards the content and reserves `count` bytes. Addresses stay valid until the next call.
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

    /// An empty text gets an address too: SQLite would bind a null pointer as NULL.
    private mutating func keep(
        _ count: Int, write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        let room = unsafe memory.count - used
        precondition(count < room, "clear(for:) must reserve enough bytes for all values")
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + count])
        unsafe write(place)
        used += count
        return UnsafeRawBufferPointer(place)
    }
}
