import GatehouseServer
import POSIX

/// Whether the server may have as many connections open as nginx may want.
struct LimitsCheck: Check {
    /// Whose limit it is.
    enum Subject: Equatable {
        case server(process: Int)
        /// What the unit gives to the next process.
        case unit
        /// This command's own: where nothing else is known, a server started like it has the same.
        case command
    }

    let subject = "limits"
    let workers: Int
    let service: UnitStatus?

    func look() -> [Finding] {
        if let process = service?.process, let most = Self.limit(of: process) {
            return [judge(most, of: .server(process: process))]
        }
        if let most = service?.descriptorLimit { return [judge(most, of: .unit)] }
        return [judge(DescriptorLimit.most, of: .command)]
    }

    /// The soft limit, which the server raises as far as it may when it starts.
    private static func limit(of process: Int) -> Int? {
        guard let bytes = try? File.read("/proc/\(process)/limits", atMost: 16_384) else { return nil }
        return limit(parsing: String(decoding: bytes, as: UTF8.self))
    }

    static func limit(parsing text: String) -> Int? {
        let name = "Max open files"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let soft = line.dropFirst(name.utf8.count).split(separator: " ").first
        return soft == "unlimited" ? .max : soft.flatMap { Int($0) }
    }

    func judge(_ most: Int, of subject: Subject) -> Finding {
        let (own, all) = (DescriptorNeed.own(workers: workers), DescriptorNeed.most(workers: workers))
        let place =
            switch subject {
            case .server(let process): "to the server (process \(process))"
            case .unit: "by gatehouse.service"
            case .command: "here"
            }
        let allowed = "\(most == .max ? "unlimited" : "\(most)") open files are allowed \(place)"
        let advice =
            subject == .command
            ? "ulimit -n 65536 before the server starts, or fewer WORKERS"
            : "systemctl edit gatehouse: LimitNOFILE=65536 in [Service], or fewer WORKERS; then: systemctl restart gatehouse"
        if most < own + 16 { return .fault("\(allowed), and \(workers) workers need \(own)", advice) }
        if most < all { return .note("\(allowed): \(most - own) connections at once", advice) }
        return .ok("\(allowed), and \(all) are needed at most")
    }
}
