import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX
import Processes

/// Makes a database accept a new refresh secret after the old one was lost, or was replaced because it was stolen.
struct LostSecret {
    let database: ConfiguredDatabase
    /// Nil if `JWT_REFRESH_SECRET` is not set.
    let refreshKeys: KeyRing?

    func accept(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        guard !arguments.has("--dry-run"), !arguments.has("--discard") else {
            throw CommandError(.usage, "--lost-secret cannot be combined with --dry-run and --discard")
        }
        guard let refreshKeys else {
            throw CommandError(.usage, "JWT_REFRESH_SECRET is not set: set the new secret first")
        }
        let effect = "every user has to sign in again, unless the lost secret is put into JWT_REFRESH_SECRET_PREVIOUS"
        try arguments.requireConfirmation("\(effect): without a terminal, confirm it with --yes")
        // Without a database, the server creates one, which accepts any secret.
        if case .file(let owner) = database, File.isMissing(owner.path) { return report(isAccepted: false, arguments) }
        var isAccepted = false
        do {
            let store = try database.store()
            // A running server may replace the document at the same moment.
            while let document = try store.document(DocumentName.identityHashKeys),
                let next = IdentityHashes.accepting(refreshKeys, in: document.content)
            {
                if !isAccepted {
                    try arguments.confirm("With this secret \(effect). Type yes to accept it.")
                    isAccepted = true
                }
                try store.replace(document, with: next, as: DocumentName.identityHashKeys)
            }
        } catch let fault as CommandError { throw fault } catch { throw CommandError(.failed, "\(error)") }
        return report(isAccepted: isAccepted, arguments)
    }

    /// The same after this program has replaced a stolen secret. A child process works as the owner of the database.
    static func acceptNew() throws(CommandError) {
        let arguments = ["keys", "reseal", "--lost-secret", "--yes"]
        let reason: String
        do throws(POSIXError) {
            let outcome = try Subprocess.ofThisProgram(timeout: .seconds(60)).run(arguments)
            guard outcome.status != ExitStatus.done.rawValue else { return }
            reason = outcome.errorOutput
        } catch { reason = "\(error)" }
        throw CommandError(
            .failed,
            "the secret was replaced, but the database does not accept it yet, and no server would start with it: "
                + "correct this, and run gatehouse \(arguments.joined(separator: " ")): \(reason)")
    }

    private func report(isAccepted: Bool, _ arguments: Arguments) -> ExitStatus {
        let text =
            isAccepted
            ? "the database accepts the refresh secret of the settings; next: systemctl restart gatehouse"
            : "the refresh secret of the settings fits the database; nothing was changed"
        Report(json: .object(["accepted": .bool(isAccepted)]), text: text).print(for: arguments)
        return .done
    }
}
