/// One request, as long as its handler runs: it cannot be kept, because its memory is for the next one.
package struct Request: ~Copyable {
    private let parameters: Parameters

    package let body: [UInt8]
    /// The peer sent, or announced, more than `Limits.body`. `body` is empty then, and the connection ends after the answer.
    package let bodyIsTooLarge: Bool

    init(_ intake: borrowing Intake) {
        parameters = intake.parameters
        body = intake.body
        bodyIsTooLarge = intake.bodyIsTooLarge
    }

    /// The parameter of that name; of several, the first, which is the one that the front's configuration set.
    package func parameter(_ name: String) -> String? {
        parameters.range(of: name.utf8.span).map { String(decoding: parameters.bytes[$0], as: UTF8.self) }
    }
}
