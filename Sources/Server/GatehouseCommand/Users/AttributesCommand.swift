import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import JSON
import POSIX

struct UsersAttributesCommand: Command {
    let words = ["users", "attributes"]
    let summary = "Show or replace the attributes of a user."
    let discussion = """
        Reads DATABASE_URL; to replace them, also TOKEN_ATTRIBUTES and ROLES. USER is an id, a phone number in E.164 or an email
        address. Without --set it prints the version, and then the JSON object. FILE has the new JSON object, which replaces the
        whole; - is standard input, and {} removes all. A running server refuses access tokens with the previous values from the
        next request on; the sessions continue. Exits 1 if the user has another version than --version says, or if Gatehouse does
        not accept the object.
        """
    let parameters = ["USER"]
    let options = [
        Option(name: "--set", value: "FILE", help: "replace the attributes by those in the file"),
        Option(name: "--version", value: "N", help: "only if this is their version"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let version = try arguments.value("--version").map { text throws(CommandError) in
            guard let number = Int64(text), number >= 0 else {
                throw CommandError(.usage, "--version must be a number")
            }
            return number
        }
        guard arguments.value("--set") != nil || version == nil else {
            throw CommandError(.usage, "--version needs --set")
        }
        // Before the database is opened, as whose owner the file might not be readable.
        let new = try arguments.value("--set").map { path throws(CommandError) in try accepted(from: path) }
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let found: (attributes: Attributes, version: Int64)
        if let new {
            let outcome = try database.perform { try $0.setAttributes(of: user, to: new, expecting: version) }
            switch outcome {
            case .unknownUser: throw CommandError(.no, "\(user.text) is deleted")
            case .conflict(let found):
                throw CommandError(.no, "the attributes have version \(found): nothing was changed")
            // From the transaction of this change: a query after it could return the attributes that a service has set since.
            case .done(let summary): found = (summary.user.attributes, summary.attributesVersion)
            }
        } else {
            guard let stored = try database.perform({ try $0.attributes(of: user) }) else {
                throw CommandError(.no, "there is no such user")
            }
            found = stored
        }
        let value = (try? JSONValue(parsing: found.attributes.json)) ?? [:]
        Report(
            json: ["user": .string(user.text), "attributesVersion": .integer(found.version), "attributes": value],
            text: "version \(found.version)\n\(value.description.printable)"
        ).print(for: arguments)
        return .done
    }

    private func accepted(from path: String) throws(CommandError) -> Attributes {
        let attributes: Attributes
        do {
            // Some thousand bytes of white space are no fault.
            let limit = 65_536
            let file = try InputFile(path)
            var bytes: [UInt8] = []
            while bytes.count <= limit {
                let next = try file.next(atMost: limit)
                if next.isEmpty { break }
                bytes += next
            }
            guard bytes.count <= limit, let object = try JSONValue(parsing: bytes).object else {
                throw CommandError(.no, "FILE must have one JSON object of at most \(AttributePolicy.longest) bytes")
            }
            attributes = Attributes(canonical: object.sorted.description)
        } catch let error as JSONError {
            throw CommandError(.no, "FILE is \(error)")
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.usage, "FILE cannot be read: \("\(error)".printable)")
        }
        let policy = try AttributePolicy.read()
        let faults = policy.faults(of: attributes).map { "\($0.member ?? "the object") \($0.explanation)" }
        guard faults.isEmpty else { throw CommandError(.no, faults.joined(separator: "; ")) }
        return attributes
    }
}

extension AttributePolicy {
    static func read() throws(CommandError) -> AttributePolicy {
        try readSettings { () throws(SettingFaults) in try Configuration.attributePolicy(from: .current()) }
    }
}
