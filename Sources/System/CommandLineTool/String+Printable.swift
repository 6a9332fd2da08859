extension String {
    /// The text with every character that acts on a terminal escaped as `\u{1b}`: controls, line ends and bidirectional
    /// marks. Users choose their own names, and these must not change an operator's screen.
    package var printable: String {
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

    /// The same for a text of several lines: the line ends stay.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control, ends a line, or changes the direction of the text after it.
    package var actsOnTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: false
        }
    }
}
