extension String {
    /// The text with whatever could move a terminal's cursor, colour it or turn its lines around written out as
    /// `\u{1b}`. What people call themselves is theirs to choose; what it does to an operator's screen is not.
    var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.actsOnTerminals {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension String {
    /// The same of a text of several lines, which stay lines.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    /// Controls, ends of lines, and the marks that change the direction of what follows them.
    var actsOnTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: false
        }
    }
}
