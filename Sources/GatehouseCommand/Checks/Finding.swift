/// What a look at something has come to, and what to do about it.
struct Finding: Sendable, Equatable {
    enum Grade: String, Sendable {
        case ok
        /// Worth knowing; or what could not be looked at.
        case note
        case fault
    }

    let grade: Grade
    let message: String
    /// A command to call, or where to look.
    let advice: String?

    static func ok(_ message: String) -> Finding { Finding(grade: .ok, message: message, advice: nil) }

    static func note(_ message: String, _ advice: String? = nil) -> Finding {
        Finding(grade: .note, message: message, advice: advice)
    }

    /// Of whatever is wrong it is said what to do.
    static func fault(_ message: String, _ advice: String) -> Finding {
        Finding(grade: .fault, message: message, advice: advice)
    }
}
