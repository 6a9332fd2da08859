/// An authorization code: once, for five minutes, for one app.
struct Code {
    static let lifetime: Int64 = 300

    let person: Person
    let issuedAt: Int64
    var isUsed = false
}
