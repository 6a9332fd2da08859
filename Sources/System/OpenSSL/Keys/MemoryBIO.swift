internal import COpenSSL

/// Owns a memory `BIO`, with which OpenSSL reads and writes PEM without a file.
@safe
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    /// An empty BIO to write to.
    init() {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { OpenSSLError.trap("BIO_new") }
        unsafe self.pointer = pointer
    }

    /// A BIO with a copy of `bytes` to read from.
    init(_ bytes: [UInt8]) {
        self.init()
        guard unsafe bytes.isEmpty || BIO_write(pointer, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            OpenSSLError.trap("BIO_write")
        }
    }

    deinit { unsafe BIO_free_all(pointer) }

    /// Removes and returns everything that was written.
    func readAll() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(pointer))
        let count = unsafe BIO_read(pointer, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}
