extension StaticString {
    /// For C structures that keep the pointer to a name instead of copying it. A `String` would lend them a temporary;
    /// a literal stays where it is, and the standard library promises that its code units end in a null.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
