/// What is wrong with a file of templates.
package struct TemplateFault: Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Error, Sendable, Equatable {
        case unreadable(String)
        case tooLong(limit: Int)
        case notUTF8
        case controlCharacter
        case unknownName
        case sameLanguage
        case unknownPlaceholder(String, allowed: [String])
        case missing(String)
        case empty
        case noSubject
        case noText(String)
        case notInEnglish
    }

    /// The name of the file, or of the folder.
    package let file: String
    package let reason: Reason

    package var description: String { "\(file) \(reason.explanation)" }
}

/// Every fault that was found.
package struct TemplateFaults: Error, Sendable, Equatable {
    package let faults: [TemplateFault]

    init(unsorted faults: [TemplateFault]) {
        self.faults = faults.sorted { ($0.file, $0.description) < ($1.file, $1.description) }
    }
}

extension TemplateFault.Reason {
    fileprivate var explanation: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .notUTF8: "is not UTF-8"
        case .controlCharacter: "contains a control character other than a tab or the end of a line"
        case .unknownName:
            "is not the name of a template: write KIND.CHANNEL.LANGUAGE.txt, such as code.sms.en.txt; a mail may also have "
                + "KIND.mail.LANGUAGE.html; KIND is " + MessageKind.allCases.map(\.rawValue).joined(separator: ", ")
        case .sameLanguage: "is for the same message and language as another file"
        case .unknownPlaceholder(let name, let allowed):
            "contains \(name): this message may have " + allowed.joined(separator: ", ")
        case .missing(let name): "does not contain \(name)"
        case .empty: "has no text"
        case .noSubject: "must begin with the subject and an empty line"
        case .notInEnglish: "has no text in English"
        case .noText(let file): "needs \(file) beside it, for programs that show no HTML"
        }
    }
}
