/// A subject of `gatehouse check`. Each looks, and has what it saw judged by a function that only sees values.
protocol Check {
    var subject: String { get }

    /// One finding at least: there is no subject of which nothing is said.
    func look() -> [Finding]
}

extension Check {
    /// What was found, each with its subject.
    func report() -> [(subject: String, finding: Finding)] { look().map { (subject, $0) } }
}
