import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseWeb
import JSON
import POSIX
import Processes
import Sockets

struct ServeCommand: Command {
    let words = ["serve"]
    let summary = "Serve FastCGI until SIGTERM; SIGHUP reloads the settings."
    var discussion: String {
        """
        Settings are read from the environment, and from /etc/gatehouse/gatehouse.conf or the file that GATEHOUSE_CONFIG
        names; a setting X also from the file that X_FILE names, or from the systemd credential x. man gatehouse.conf
        describes each of them.

        \(Settings.help)
        """
    }

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        // Taken before the settings are read: `gatehouse keys` assumes that this process does not use a key that was
        // written after this time.
        let startedAt = Platform.system.now()
        // More malloc arenas than processors would only cost memory.
        Heap.shareArenas(Processors.usable)
        let configuration = try readSettings { () throws(SettingFaults) in
            try Configuration(from: .current())
        }
        let owner = try configuration.database.path.map { path throws(CommandError) in
            try DatabaseOwner(of: path, isDevelopment: configuration.environment == .development)
        }
        let listener: Listener? =
            if let owner { try PrivilegedListener.open(at: configuration.listen, for: owner) } else { nil }
        if let owner {
            try owner.giveUpRoot()
            try UnitDatabaseFolder()?.refuseOutsideDatabase(at: owner.path)
        }
        // Before any thread starts: threads inherit the blocked signals.
        let signals = Signals(blocking: [.hangUp, .interrupt, .terminate])
        do {
            let stream = try LogStream.standardError()
            // Writes buffered lines, whether the server stops or fails.
            defer { stream.close() }
            let log = Log(level: configuration.logLevel, to: stream)
            for warning in configuration.warnings { log(.warning, "configuration", [("warning", .string(warning))]) }
            let application = try Application(
                configuration, startedAt: startedAt, listener: listener, log: log
            ) { () throws(SettingFaults) in try Configuration(from: .current()) }
            try application.run(until: signals)
            return .done
        } catch is StoppedWhileWaiting {
            return .done
        } catch let fault as UnfittingSecret {
            // A restart cannot remove this fault, so the unit must not try again.
            throw CommandError(.usage, fault.description(file: SettingSource.current().refreshSecretFile))
        } catch let fault as ChangedRPID {
            throw CommandError(.usage, fault.description)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }
}

/// Opens the server's socket as root, before the process gives up root, if only root can open it.
enum PrivilegedListener {
    /// Only root may bind lower ports (ip(7)).
    private static let firstUnprivilegedPort: UInt16 = 1024

    /// Nil if the owner of the database can open the socket, or if systemd passes it.
    static func open(at address: ListenAddress, for owner: DatabaseOwner) throws(CommandError) -> Listener? {
        guard owner.replacesRoot, ProcessEnvironment.variables()["LISTEN_FDS"] == nil else { return nil }
        do throws(ListenerError) {
            switch address {
            case .tcp(let host, let port):
                return port < firstUnprivilegedPort ? try Listener.tcp(host: host, port: port) : nil
            case .unix(let path):
                // Another user who controls the folder could redirect the path.
                guard (try? PathOwner.ofPlace(at: path))?.isRoot == true else { return nil }
                let socketOwner = owner.account.id
                return try Listener.unix(path: path, owner: socketOwner)
            }
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }
}

/// The folder that the systemd unit of the server may write to: `DATABASE_FOLDER` in its environment. The sandbox makes
/// every other folder read-only.
struct UnitDatabaseFolder {
    private let path: String

    /// Nil if the server was not started by such a unit.
    init?(of variables: [String: String] = ProcessEnvironment.variables()) {
        self.init(path: variables["DATABASE_FOLDER"] ?? "")
    }

    /// Nil without a folder.
    init?(path: String) {
        guard !path.isEmpty else { return nil }
        self.path = path
    }

    /// Why the unit refuses a database; nil if it does not.
    func fault(ofDatabaseAt database: String) -> String? {
        let folder = File.folder(of: database)
        guard folder != path, !folder.hasPrefix(path + "/") else { return nil }
        return "DATABASE_URL: the systemd unit may not write to \(folder.printable)"
    }

    /// Refuses a database outside the folder, a fault that a restart cannot repair. If the folder itself cannot be
    /// written to, the store reports it, and systemd tries the start again.
    func refuseOutsideDatabase(at database: String) throws(CommandError) {
        let folder = File.folder(of: database)
        guard let fault = fault(ofDatabaseAt: database), !File.isWritableFolder(folder) else { return }
        throw CommandError(
            .usage,
            "\(fault). Allow it, then restart: "
                + "gatehouse-database-folder \(folder.shellQuoted) && systemctl restart gatehouse")
    }
}

struct OpenAPICommand: Command {
    let words = ["openapi"]
    let summary = "Print the description of the API."
    let discussion = """
        Prints the OpenAPI 3.1 document that the server answers at /api/openapi.json, byte for byte.
        """
    let options = [
        Option(
            name: "--clients",
            help: "that at /api/openapi-clients.json, without the operations that only the machine itself reaches")
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        // The document ends with a newline, which the line adds again.
        let document = arguments.has("--clients") ? PublishedDocument.openAPIForClients : .openAPI
        let text = String(decoding: document.bytes.dropLast(), as: UTF8.self)
        StandardStream.output.line(text)
        return .done
    }
}

/// Reads settings for a command. The error names every fault.
func readSettings<Result>(_ read: () throws(SettingFaults) -> Result) throws(CommandError) -> Result {
    do { return try read() } catch {
        throw CommandError(
            error.isTemporary ? .failed : .usage, "the configuration is not usable",
            details: error.faults.map(\.description))
    }
}
