import Gatehouse
import OpenSSL
import Text

/// A line of `SERVICE_TOKENS`.
struct ListedServiceToken: Sendable {
    let line: Int
    let service: String
    let secret: Secret
}

extension SettingParser where Value == [ListedServiceToken] {
    private static let lengths = 32...256
    private static let most = 256

    static var serviceTokens: Self {
        let format =
            "on each line a name (a-z, 0-9 and -, at most 32) and, after a space, a token of \(lengths.lowerBound) to "
            + "\(lengths.upperBound) random ASCII characters without spaces"
        return Self(format) { text, faults in
            var tokens: Value = []
            // The text of a setting without its empty lines would have other line numbers.
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, line) in lines.enumerated() {
                let fields = line.split { $0 == " " || $0 == "\t" }
                guard let name = fields.first, !name.hasPrefix("#") else { continue }
                let token = ListedServiceToken(
                    line: index + 1, service: String(name), secret: Secret(text: String(fields.last ?? "")))
                let fault = fields.count == 2 ? token.fault(lengths: lengths) : "must be a name, a space and a token"
                if let fault { faults.append("line \(token.line) \(fault)") } else { tokens.append(token) }
            }
            for token in tokens {
                guard let earlier = tokens.first(where: { $0.secret.isSame(as: token.secret) }),
                    earlier.line != token.line
                else { continue }
                faults.append("line \(token.line) has the token of line \(earlier.line): each needs its own")
            }
            if tokens.count > most { faults.append("has \(tokens.count) tokens, and at most \(most) are accepted") }
            return tokens
        }
    }
}

extension ListedServiceToken {
    /// Nil for a good one.
    fileprivate func fault(lengths: ClosedRange<Int>) -> String? {
        // Read from its bytes: a combining mark makes another character of a letter, but not other bytes of its beginning.
        let isName = { (byte: UInt8) in byte.isLowercaseLetter || byte.isDigit || byte == UInt8(ascii: "-") }
        guard (1...32).contains(service.utf8.count), service.utf8.allSatisfy(isName) else {
            return "must begin with a name of a-z, 0-9 and -, at most 32 of them"
        }
        guard lengths.contains(secret.bytes.count), secret.bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "must have a token of \(lengths.lowerBound) to \(lengths.upperBound) visible ASCII characters"
        }
        return secret.fault(atLeast: lengths.lowerBound).map { "has a token that " + $0 }
    }

    var token: ServiceToken { ServiceToken(service: service, hash: SHA256.hash(secret.bytes)) }
}
