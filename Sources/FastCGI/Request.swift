/// One request, as long as its handler runs: it cannot be kept, because its memory is for the next one.
package struct Request: ~Copyable {
    package let parameters: Parameters

    package let body: [UInt8]
    /// The peer sent, or announced, more than `Limits.body`. `body` is empty then, and the connection ends after the answer.
    package let bodyIsTooLarge: Bool

    init(_ intake: borrowing Intake) {
        parameters = intake.parameters
        body = intake.body
        bodyIsTooLarge = intake.bodyIsTooLarge
    }

    /// The parameter of that name.
    package func parameter(_ name: String) -> String? {
        parameters[name].map { String(decoding: $0, as: UTF8.self) }
    }
}
