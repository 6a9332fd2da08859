import CommandLineTool
import Text

extension String {
    /// The text as one word of a shell command.
    var shellQuoted: String {
        let isPlain = !isEmpty && consistsOfAlphanumerics(and: "/._-+@%:,")
        return isPlain ? self : "'" + printable.replacing("'", with: "'\\''") + "'"
    }

    /// A command whose redirections root opens. Under sudo, the operator's own shell would open them.
    var typedAsRoot: String { OperatorName.isUnderSudo ? "sudo sh -c \(shellQuoted)" : self }

    /// Whether every byte is an ASCII letter or digit, or one of `others`.
    func consistsOfAlphanumerics(and others: String) -> Bool {
        utf8.allSatisfy { $0.isAlphanumeric || others.utf8.contains($0) }
    }
}
