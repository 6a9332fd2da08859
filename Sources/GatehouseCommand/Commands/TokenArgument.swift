import POSIX

/// A token given as a word, or on standard input, where no process list shows it.
enum TokenArgument {
    static func read(_ argument: String) throws(CommandFault) -> String {
        guard argument == "-" else { return argument }
        do {
            let text = String(decoding: try File.read("-"), as: UTF8.self)
            return String(text.prefix { !$0.isNewline })
        } catch {
            throw CommandFault(.failed, error.description)
        }
    }
}
