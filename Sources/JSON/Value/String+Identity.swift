extension String {
    /// Whether two texts are the same byte by byte: `==` calls two spellings of one character equal, and U+212A a K.
    ///
    /// Their lengths are asked first, and then `==`: both are quick to say no and never wrong in that.
    package func isIdentical(to other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        return utf8.span.isIdentical(to: other.utf8.span)
    }
}
