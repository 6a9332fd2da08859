import Foundation

enum Environment {
    /// A proxy of the environment does not reach the servers on this machine. `URLSession` on Linux and curl read this.
    static func avoidProxies() {
        let known = ProcessInfo.processInfo.environment["no_proxy"].map { $0 + "," } ?? ""
        setenv("no_proxy", known + "localhost,127.0.0.1,::1", 1)
    }

    private static let proposals = [".run/nginx/ca.pem", ".run/nginx/certificate.pem"]

    /// - Parameter file: nil for that of a development server which has been started in the current folder.
    static func certificates(_ file: String?) throws(Failure) -> String? {
        guard let file else { return proposals.first(where: FileManager.default.isReadableFile) }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw Failure(.usage, "--ca: there is no readable file \(file)")
        }
        return file
    }
}
