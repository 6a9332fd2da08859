import FileSystem
import Gatehouse
import GatehouseServer
import JSON
import POSIX
import Processes

/// The settings as the unit of the server would read them at its next start. systemd passes credentials to it that no other
/// process can be shown, and closes folders to it, so systemd runs `gatehouse check --settings` in a unit like it.
struct UnitSettings {
    private let systemctl: Subprocess
    private let name = "gatehouse-settings-\(Platform.system.now().milliseconds).service"

    /// Nil if this process is not root or runs in such a unit itself, without the unit of the server, and if the operator
    /// names other settings.
    init?(_ units: Units?, variables: [String: String] = ProcessEnvironment.variables()) {
        guard Privileges.isRoot, units?[Units.service]?.loadState == "loaded",
            variables[ConfigurationFile.variable] == nil, variables[SettingSource.credentialsVariable] == nil,
            let systemctl = Subprocess(["/usr/bin/systemctl", "/bin/systemctl"], timeout: .seconds(40))
        else { return nil }
        self.systemctl = systemctl
    }

    func findings() -> [Finding] {
        let (unit, output) = ("/run/systemd/system/\(name)", "/run/\(name).json")
        do throws(POSIXError) {
            let server = try systemctl.run(["cat", "--no-pager", Units.service]).output
            let text = Self.unit(like: server, writingTo: output)
            defer { remove([unit, output]) }
            try File.replace(unit, with: Array(text.utf8))
            _ = try systemctl.run(["start", name])
            let report = (try? File.read(output)) ?? []
            let status = try systemctl.run(["show", "--property=ExecMainStatus", "--value", name]).output
            let stray = strayCredentials
            if let found = findings(in: report) { return stray + found }
            return stray.contains { $0.grade == .fault } ? stray : stray + [Self.noStart(status: status)]
        } catch {
            return [.fault("they cannot be read as the service reads them: \(error)", "systemctl status gatehouse")]
        }
    }

    private func remove(_ files: [String]) {
        for file in files { try? File.remove(file) }
        _ = try? systemctl.run(["reset-failed", name])
    }

    /// The text of a unit with the user, environment, credentials and sandbox of another one, whose drop-ins follow it.
    static func unit(like text: String, writingTo output: String) -> String {
        var isIncluded = false
        let service = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("[") { isIncluded = line.hasPrefix("[Service]") }
            return isIncluded
        }
        let commands = ["Condition", "StartPre", "Start", "StartPost", "Reload", "Stop", "StopPost"].map {
            "Exec\($0)="
        }
        let own = [
            "[Service]", "Type=oneshot", "ExecStart=/usr/bin/gatehouse check --settings --json", "SuccessExitStatus=2",
            "Restart=no", "RuntimeDirectory=", "LogsDirectory=", "Sockets=",
            "FileDescriptorStoreMax=0", "WatchdogSec=0", "TimeoutStartSec=30s",
            "StandardOutput=file:\(output)", "",
        ]
        return (["[Unit]", "DefaultDependencies=no"] + service.map(String.init) + ["[Service]"] + commands + own)
            .joined(separator: "\n")
    }

    /// Nil if the command did not run.
    private func findings(in report: [UInt8]) -> [Finding]? {
        guard let checks = (try? JSONValue(parsing: report))?.object?["checks"]?.array else { return nil }
        return checks.compactMap(\.object).map { check in
            Finding(
                grade: check["state"]?.string.flatMap(Finding.Grade.init) ?? .fault,
                message: inFolderOfOperators(check["message"]?.string ?? ""),
                advice: check["advice"]?.string.map(inFolderOfOperators))
        }
    }

    /// systemd names the copies of credentials, which an operator cannot change, otherwise than their files.
    private func inFolderOfOperators(_ text: String) -> String {
        let folder = SettingSource.current().credentialsFolderOfOperators ?? ""
        return text.replacing("/run/credentials/\(name)/receivers_", with: folder + "/receivers/")
            .replacing("/run/credentials/\(name)", with: folder)
    }

    private static func noStart(status: String) -> Finding {
        let step = ["203": "EXEC", "217": "USER", "226": "NAMESPACE", "243": "CREDENTIALS"]
        let status = status.filter(\.isNumber)
        return .fault(
            "systemd cannot start the service: exit status \(status)\(step[status].map { "/" + $0 } ?? "")",
            "systemctl cat gatehouse: correct what its drop-ins set"
                + (status == "243"
                    ? ", and files of LoadCredential= that systemd cannot pass, such as larger ones than 1 MB" : ""))
    }

    /// The files of receivers' secrets that systemd passes over, or at which it fails.
    private var strayCredentials: [Finding] {
        let folder = (SettingSource.current().credentialsFolderOfOperators ?? "") + "/receivers"
        return ((try? File.names(in: folder)) ?? []).sorted().compactMap { name in
            let path = "\(folder)/\(name)"
            if (try? FileStatus(ofEntry: path))?.kind == .link {
                let file = path.shellQuoted
                return .note(
                    "systemd does not pass \(path): it is a symbolic link",
                    "install -m 600 \"$(readlink -f \(file))\" \(file).new && mv \(file).new \(file)")
            }
            guard name.utf8.contains(where: { $0 == 0x3A || !(0x20..<0x7F).contains($0) }) else { return nil }
            return .fault(
                "systemd cannot pass \(path), and starts nothing with it: its name must be printable ASCII without a colon",
                "rm \(path.shellQuoted), or rename it as its receiver")
        }
    }
}
