/// The methods that are told apart. A client may write anything in its place.
enum MethodLabel {
    static let other = "OTHER"
    static let all = ["GET", "POST", "PATCH", "DELETE", "HEAD", "PUT", "OPTIONS", other]

    static func place(of method: String) -> Int { all.firstIndex(of: method) ?? all.count - 1 }

    /// The method as a log may say it.
    static func of(_ method: String) -> String { all[place(of: method)] }
}
