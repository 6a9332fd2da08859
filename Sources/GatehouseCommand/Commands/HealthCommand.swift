import GatehouseServer
import JSON
import POSIX

struct HealthCommand: Command {
    let words = ["health"]
    let summary = "Ask the running server whether it can do all of its work."
    let discussion = """
        Reads LISTEN and no other setting, and asks there for what nginx answers at /readyz to this machine alone.
        Exits 0 when the server is ready, 1 when it is not or does not answer; after 3 seconds at the latest.
        """
    let options = [Option(name: "--json", value: nil, help: "print the server's own document")]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let address = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.listen(from: .current())
        }
        do throws(ServerQuery.Fault) {
            let document = try ServerQuery(at: address).readiness(within: ServerQuery.Patience.health)
            return input.has("--json") ? printRaw(document) : report(document)
        } catch {
            input.has("--json") ? printRaw(error) : StandardStream.output.line("FAULT  \(error)")
            return .no
        }
    }

    private func report(_ document: [UInt8]) -> ExitStatus {
        let report = ServerReport(document: document)
        for part in report.parts {
            StandardStream.output.line((part.isReady ? "ok     " : "FAULT  ") + part.detail.printable)
        }
        return report.isReady ? .done : .no
    }

    private func printRaw(_ document: [UInt8]) -> ExitStatus {
        StandardStream.output.line(String(decoding: document, as: UTF8.self))
        return (try? JSONValue(parsing: document))?.object?["ready"] == true ? .done : .no
    }

    /// A document of the same form, where the server has none to give.
    private func printRaw(_ fault: ServerQuery.Fault) {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("ready", false)
            json.member("detail", fault.description)
            json.member("parts", array: { _ in })
        }
        StandardStream.output.line(String(decoding: json.bytes, as: UTF8.self))
    }
}
