extension [UInt8] {
    /// An array with the elements of a span.
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension StaticString {
    /// A pointer for C structures that store it instead of copying the name. The pointer to a `String` is only valid
    /// during a call. A literal is static, and the standard library guarantees that it is null-terminated.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
