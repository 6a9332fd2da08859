internal import CPostgreSQL
internal import Glibc
internal import POSIX

/// The servers that a URL and libpq's environment name, each with all parameters for one attempt to connect.
///
/// libpq does not try the next host after one that accepts a connection and never answers, or closes it. Therefore each
/// host gets an attempt of its own.
struct ServerList {
    typealias Parameters = [(keyword: String, value: String)]

    let servers: [Parameters]
    /// From the URL or the environment; nil if they set none.
    let connectTimeout: Duration?
    /// Texts that no message may contain.
    let secrets: [String]

    init(_ url: String, _ options: ConnectionOptions) throws(PostgreSQLError) {
        let written = try Self.written(in: url)
        let channelBinding = written.filter { $0.keyword == "channel_binding" }
        let parameters = try Self.resolve(Self.defaults(options) + [("dbname", url)]) + channelBinding
        func value(_ keyword: String) -> String? { parameters.first { $0.keyword == keyword }?.value }
        let variable = unsafe getenv("PGSSLMODE")
        let isModeChosen = unsafe written.contains { $0.keyword == "sslmode" } || variable != nil
        servers = Self.split(parameters).map { isModeChosen ? $0 : Self.verifying($0) }
        guard !servers.isEmpty else { throw .invalidURL("the numbers of hosts, addresses and ports differ") }
        connectTimeout = value("connect_timeout").flatMap { Int($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
        secrets = [value("password"), value("sslpassword"), url].compactMap { $0 }.filter { !$0.isEmpty }
        // The host is then the rest of a password with an unescaped character.
        if value("host")?.contains("@") == true {
            throw .invalidURL("the host contains @: write %40 for an @ in the password")
        }
    }

    /// Parameters that the URL may override, since libpq reads it after them.
    private static func defaults(_ options: ConnectionOptions) -> Parameters {
        var defaults: Parameters = [
            ("fallback_application_name", "gatehouse"), ("client_encoding", "UTF8"),
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", String(options.answerTimeout.wholeMilliseconds)),
        ]
        if options.needsPrimary, unsafe getenv("PGTARGETSESSIONATTRS") == nil {
            defaults.append(("target_session_attrs", "read-write"))
        }
        return defaults
    }

    /// Unless the operator has chosen an `sslmode`, a server on another machine must prove its identity with its
    /// certificate. libpq's default, `prefer`, would also connect without encryption. Another mode in a service file
    /// stays in force.
    private static func verifying(_ server: Parameters) -> Parameters {
        guard !isOnThisMachine(server), server.contains(where: { $0 == ("sslmode", "prefer") }) else { return server }
        return server.filter { $0.keyword != "sslmode" } + [("sslmode", "verify-full")]
    }

    /// What the URL itself sets. Throws if libpq cannot read it; its own message may quote it.
    private static func written(in url: String) throws(PostgreSQLError) -> Parameters {
        guard let list = unsafe PQconninfoParse(url, nil) else {
            throw .invalidURL("it is no connection URI of PostgreSQL")
        }
        defer { unsafe PQconninfoFree(list) }
        return unsafe values(of: list)
    }

    /// All parameters after libpq has read the URL, the service file and the environment.
    ///
    /// libpq reports them only for a connection. None is opened here: libpq reads all parameters, and then refuses the
    /// value of the last one.
    private static func resolve(_ parameters: Parameters) throws(PostgreSQLError) -> Parameters {
        let keywords = KeywordArrays(parameters + [("channel_binding", "?")])
        guard let pointer = unsafe PQconnectStartParams(keywords.keywords, keywords.values, 1) else {
            throw PostgreSQLError(.connection, "no memory")
        }
        let handle = unsafe Handle(takingOwnership: pointer)
        guard let list = unsafe PQconninfo(handle.pointer) else { throw PostgreSQLError(.connection, "no memory") }
        defer { unsafe PQconninfoFree(list) }
        // Without the refused value. libpq reads the environment's value again when it connects.
        return unsafe values(of: list).filter { $0.keyword != "channel_binding" }
    }

    /// The parameters that are set.
    static func values(of list: UnsafePointer<PQconninfoOption>) -> Parameters {
        var values: Parameters = []
        var option = unsafe list
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val, unsafe value[0] != 0 {
                values.append(unsafe (String(cString: keyword), String(cString: value)))
            }
            unsafe option += 1
        }
        return values
    }

    /// One list of parameters for each host. One port serves all hosts.
    private static func split(_ parameters: Parameters) -> [Parameters] {
        func list(_ keyword: String) -> [String] {
            let value = parameters.first { $0.keyword == keyword }?.value ?? ""
            return value.isEmpty ? [] : value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        guard count > 1 else { return [parameters] }
        guard hosts.isEmpty || hosts.count == count, addresses.isEmpty || addresses.count == count,
            ports.count <= 1 || ports.count == count
        else { return [] }
        let common = parameters.filter { !["host", "hostaddr", "port"].contains($0.keyword) }
        return (0..<count).map { index in
            let host = hosts.isEmpty ? [] : [("host", hosts[index])]
            let address = addresses.isEmpty ? [] : [("hostaddr", addresses[index])]
            let port = ports.isEmpty ? [] : [("port", ports[ports.count == 1 ? 0 : index])]
            return common + host + address + port
        }
    }
}

extension ServerList {
    /// Whether no other machine is between this one and the server: a socket, or a loopback address.
    static func isOnThisMachine(_ server: Parameters) -> Bool {
        func value(_ keyword: String) -> String? { server.first { $0.keyword == keyword }?.value }
        guard let host = value("hostaddr") ?? value("host") else { return true }
        return host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.allSatisfy { $0 == "." || "0"..."9" ~= $0 }
    }

    /// The name of a server in messages.
    static func name(of server: Parameters) -> String {
        func value(_ keyword: String) -> String? { server.first { $0.keyword == keyword }?.value }
        return (value("host") ?? value("hostaddr") ?? "the server") + (value("port").map { ":" + $0 } ?? "")
    }
}

/// Keywords and values as libpq reads them, with a null pointer at the end.
@safe
struct KeywordArrays: ~Copyable {
    let keywords: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ parameters: ServerList.Parameters) {
        count = parameters.count
        unsafe keywords = .allocate(capacity: count + 1)
        unsafe values = .allocate(capacity: count + 1)
        for (index, parameter) in parameters.enumerated() {
            unsafe keywords[index] = UnsafePointer(strdup(parameter.keyword))
            unsafe values[index] = UnsafePointer(strdup(parameter.value))
        }
        unsafe keywords[count] = nil
        unsafe values[count] = nil
    }

    deinit {
        for index in 0..<count {
            unsafe free(UnsafeMutablePointer(mutating: keywords[index]))
            unsafe free(UnsafeMutablePointer(mutating: values[index]))
        }
        unsafe keywords.deallocate()
        unsafe values.deallocate()
    }
}

extension PostgreSQLError {
    /// Why no server can be used, with the answer of each. Cause and SQLSTATE are those of the last server, unless a
    /// server is out of connections: it is the primary, while a standby only refuses.
    static func of(servers: [String], _ failures: [PostgreSQLError]) -> PostgreSQLError {
        guard let last = failures.last, failures.count > 1 else { return failures.last ?? .closed }
        let main = failures.first(where: \.isOutOfConnections) ?? last
        let answers = zip(servers, failures).map { server, failure in
            server + ": " + (failure.sqlState.isEmpty ? "" : failure.sqlState + " ") + failure.message
        }
        return PostgreSQLError(main.cause, sqlState: main.sqlState, answers.joined(separator: "; "))
    }

    static func invalidURL(_ reason: String) -> PostgreSQLError {
        PostgreSQLError(.usage, "the URL of the database is not valid: " + reason)
    }
}
