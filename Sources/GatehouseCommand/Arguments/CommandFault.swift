/// Why a command gave up.
struct CommandFault: Error {
    let status: ExitStatus
    let message: String
    /// Where several things are wrong, what each of them is.
    let details: [String]

    init(_ status: ExitStatus, _ message: String, details: [String] = []) {
        self.status = status
        self.message = message
        self.details = details
    }
}
