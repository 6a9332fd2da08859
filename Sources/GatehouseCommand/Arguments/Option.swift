/// An option that a command takes.
struct Option {
    let name: String
    /// What stands for its value in the help; nil for an option that has none.
    let value: String?
    let help: String
    var isRequired = false

    static let help = Option(name: "--help", value: nil, help: "show this help")
}
