/// What a person sees of a mail (RFC 5322).
struct Mail: Equatable {
    private static let digitsOfCode = 6

    let subject: String
    /// The part in plain text.
    let text: String
    let language: String?

    /// Checks more than a mail server does, so that a developer finds a mistake here and not at a spam filter.
    init(parsing bytes: [UInt8]) throws(MalformedMail) {
        let message = try MIMEEntity(parsing: bytes[...])
        for name in ["date", "from", "to", "message-id", "subject", "mime-version"] where message[name] == nil {
            throw MalformedMail("the header \(name) is missing")
        }
        guard let part = try message.firstPart(ofType: "text/plain") else {
            throw MalformedMail("there is no part of type text/plain")
        }
        subject = try EncodedWords.decode(message["subject"] ?? "")
        text = try part.text
        language = part["content-language"] ?? message["content-language"]
    }

    /// The first six digits in a row in the text.
    var code: String? {
        text.split { !$0.isASCII || !$0.isNumber }.first { $0.count == Self.digitsOfCode }.map(String.init)
    }
}
