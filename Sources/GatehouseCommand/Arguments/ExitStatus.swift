/// What a command says to the script that called it.
enum ExitStatus: Int32 {
    case done = 0
    /// The question was understood, and the answer is no.
    case no = 1
    /// Wrong usage or configuration.
    case usage = 2
    case failed = 3
}
