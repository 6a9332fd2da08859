internal import COpenSSL

/// An owner of a `BIO` over memory: how OpenSSL reads and writes PEM without a file.
@safe
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    /// An empty one, to be written to.
    init() {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { OpenSSLError.trap("BIO_new") }
        unsafe self.pointer = pointer
    }

    /// One that holds a copy of `bytes`, to be read from.
    init(_ bytes: [UInt8]) {
        self.init()
        guard unsafe bytes.isEmpty || BIO_write(pointer, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            OpenSSLError.trap("BIO_write")
        }
    }

    deinit { unsafe BIO_free_all(pointer) }

    /// Takes out everything that was written.
    func readAll() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(pointer))
        let count = unsafe BIO_read(pointer, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}
