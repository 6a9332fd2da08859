import Gatehouse
import GatehouseServer
import GatehouseStore

/// How many users have a number that would get no code if it were new.
struct NumbersCheck: Check {
    private static let pageSize = 10_000

    let subject = "phone numbers"
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    let kinds: Set<NumberKind>

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do { return [evaluate(try count(in: database))] } catch {
            return [.note("not checked: \(error)", "see database and schema above")]
        }
    }

    private func count(in database: any ExaminedDatabase) throws -> (all: Int, refused: Int) {
        var (all, refused, last) = (0, 0, "")
        while case let page = try database.numbers(after: last, limit: Self.pageSize), let end = page.last {
            all += page.count
            refused += page.count { number in (try? PhoneNumber(number))?.kind.map(kinds.contains) != true }
            last = end
        }
        return (all, refused)
    }

    func evaluate(_ count: (all: Int, refused: Int)) -> Finding {
        guard count.refused > 0 else { return .ok("each of \(count.all) gets codes") }
        return .note(
            "\(count.refused) of \(count.all) cannot exist, or are of a kind that PHONE_KINDS does not have: "
                + "their users go on, and no other user can take such a number",
            "Codes.md, Phone numbers of users")
    }
}
