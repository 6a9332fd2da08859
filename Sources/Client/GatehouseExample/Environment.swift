import Foundation

enum Environment {
    /// A proxy from the environment cannot reach the servers on this machine. `URLSession` on Linux and curl read this
    /// variable.
    static func avoidProxies() {
        let known = ProcessInfo.processInfo.environment["no_proxy"].map { $0 + "," } ?? ""
        setenv("no_proxy", known + "localhost,127.0.0.1,::1", 1)
    }

    private static let proposals = [".run/nginx/ca.pem", ".run/nginx/certificate.pem"]

    /// - Parameter file: nil for the certificate of a development server that was started in the current folder.
    static func certificates(_ file: String?) throws(Failure) -> String? {
        guard let file else { return proposals.first(where: FileManager.default.isReadableFile) }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw Failure(.usage, "--ca: there is no readable file \(file)")
        }
        return file
    }
}
