extension String {
    /// Whether two texts are the same byte by byte: `==` calls two spellings of one character equal, and U+212A a K.
    ///
    /// Their lengths are asked first, and then `==`: both are quick to say no and never wrong in that.
    package func isIdentical(to other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        let left = utf8.span
        let right = other.utf8.span
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
