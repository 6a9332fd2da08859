import Foundation
import TestSupport

extension ServerProcess {
    /// The folder of nginx's configuration.
    var nginxFolder: String { folder.file("nginx") }

    var accessLog: String {
        (try? String(contentsOfFile: nginxFolder + "/logs/gatehouse.access.log", encoding: .utf8)) ?? ""
    }

    /// Writes the shipped configuration of nginx for this server, with a certificate.
    ///
    /// - Parameters:
    ///   - values: replace values for a development machine.
    ///   - locations: the operator's own, next to the API.
    ///   - sites: further files of `sites-enabled`.
    func renderNginx(values: [String: String], locations: String, sites: [String: String]) throws {
        let values = values.merging(["RESPONDER": "unix:\(socket)"]) { own, _ in own }.map { "\($0)=\($1)" }
        let lib = Executable.root + "/deploy/lib/"
        try Shell.run([lib + "render-nginx", nginxFolder, Executable.root + "/nginx/local.values"] + values)
        try Shell.run([lib + "certificate", nginxFolder])
        try FileManager.default.createDirectory(
            atPath: nginxFolder + "/gatehouse.d", withIntermediateDirectories: true)
        try locations.write(toFile: nginxFolder + "/gatehouse.d/test.conf", atomically: true, encoding: .utf8)
        for (name, text) in sites {
            try text.write(toFile: nginxFolder + "/sites-enabled/" + name, atomically: true, encoding: .utf8)
        }
    }
}
