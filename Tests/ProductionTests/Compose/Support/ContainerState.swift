import JSON

/// The state of a container.
struct ContainerState: CustomStringConvertible {
    let service: String
    let status: String
    let health: String?
    let exitCode: Int64?
    /// The limits of the container.
    let limits: JSONObject
    /// The complete output of `docker inspect`: settings, environment and mounts.
    let everything: String

    init(inspected text: String) throws {
        everything = text
        let object = try JSONValue(parsing: Array(text.utf8)).array?.first?.object ?? [:]
        let state = object["State"]?.object ?? [:]
        service = object["Config"]?.object?["Labels"]?.object?["com.docker.compose.service"]?.string ?? ""
        status = state["Status"]?.string ?? ""
        health = state["Health"]?.object?["Status"]?.string
        exitCode = state["ExitCode"]?.integer
        limits = object["HostConfig"]?.object ?? [:]
    }

    /// Whether the container is running and healthy, or is a one-off container that has finished.
    var isHealthy: Bool {
        switch status {
        case "running": health == nil || health == "healthy"
        case "exited": exitCode == 0 && ["secrets", "certificate"].contains(service)
        default: false
        }
    }

    var description: String { "\(service) \(status) \(health ?? "") \(exitCode ?? 0)" }
}
