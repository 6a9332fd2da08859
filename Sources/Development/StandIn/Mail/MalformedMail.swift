/// Why a message cannot be read. The description names no content of the message.
struct MalformedMail: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
