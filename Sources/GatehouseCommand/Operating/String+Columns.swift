extension String {
    /// How many columns of a terminal the text takes.
    var columns: Int {
        reduce(0) { $0 + $1.columns }
    }
}

extension Character {
    /// Marks that combine with a letter take no room of their own, so the widest part is what counts.
    fileprivate var columns: Int {
        unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    /// Two for what UAX #11 calls wide, by the blocks that hold it.
    fileprivate var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            2
        case _ where properties.isEmojiPresentation: 2
        case _ where [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory): 0
        default: 1
        }
    }
}
