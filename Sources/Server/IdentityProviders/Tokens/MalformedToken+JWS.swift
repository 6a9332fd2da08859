import Gatehouse
import JOSE
import JSON

extension MalformedToken {
    /// - Parameter text: the token, which shows some mistakes of an app.
    init(_ fault: MalformedJWS, of text: String) {
        switch fault {
        case .tooLong(let limit): self = .tooLong(limit: limit)
        case .parts: self = Self.isEncodedAgain(text) ? .encodedAgain : .notThreeParts
        case .encoding(let part): self = .notBase64URL(Part(part))
        case .content(let part, nil): self = .notAnObject(Part(part))
        case .content(let part, .duplicateMember(let name)):
            self = .duplicateMember(Part(part), PlainName(name))
        case .content(let part, _?): self = .notJSON(Part(part))
        case .unsupported(let member): self = .unsupportedHeader(member: member)
        case .header(let member): self = .unusable(.header, member: member)
        }
    }

    /// Whether the text is the base64 of a token. Apple's framework returns the token as `Data`, whose bytes are the
    /// text that the app has to send.
    private static func isEncodedAgain(_ text: String) -> Bool {
        let parts = Base64Text.decode(text)?.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts?.count == 3 && parts?.allSatisfy { Base64URL.decode(Array($0)) != nil } == true
    }
}

extension MalformedToken.Part {
    fileprivate init(_ part: MalformedJWS.Part) {
        switch part {
        case .header: self = .header
        case .payload: self = .claims
        case .signature: self = .signature
        }
    }
}

/// Base64 of any kind, as apps write it: with either alphabet, with padding or without, and with line breaks.
enum Base64Text {
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "_"))
            case UInt8(ascii: "="), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            default: bytes.append(byte)
            }
        }
        return Base64URL.decode(bytes)
    }
}
