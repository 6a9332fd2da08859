import TestSupport

extension Machine {
    /// A machine that serves: the package is installed, an Apple is there, and the two values are set.
    static func serving() throws -> Machine {
        let machine = try Machine()
        try machine.install(DebianPackage.first.get())
        try machine.configure()
        try machine.must("systemctl start gatehouse")
        return machine
    }

    /// What an operator types. Nobody is there to answer a question.
    @discardableResult
    func install(_ package: String) throws -> String {
        try run("rm -f /root/*.deb")
        try put(package, at: "/root/gatehouse.deb")
        return try must("apt-get install --yes /root/gatehouse.deb </dev/null 2>&1")
    }

    /// The settings of an app, and an Apple on this machine, which has nothing else to ask.
    func configure() throws {
        try put(Executable.root + "/Tests/ProductionTests/Support/client.py", at: "/root/client.py")
        try must("sed -i 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=com.example.app/' /etc/gatehouse/gatehouse.conf")
        try startApple()
        try must(
            """
            cat >>/etc/gatehouse/gatehouse.conf <<'END'
            APPLE_TEAM_ID=FAKEAPPLE1
            APPLE_KEY_ID=DEVELOPER1
            APPLE_JWKS_URL=http://127.0.0.1:8444/auth/keys
            APPLE_TOKEN_URL=http://127.0.0.1:8444/auth/token
            APPLE_REVOKE_URL=http://127.0.0.1:8444/auth/revoke
            END
            install -m 600 /var/lib/apple/AuthKey_DEVELOPER1.p8 /etc/gatehouse/credentials/apple_private_key
            """)
        // A thousand logins a second come from one address here.
        try write(
            """
            SERVER_NAME=api.example.com
            LOGIN_RATE=1000r/s
            LOGIN_BURST=1000
            AUTH_RATE=5000r/s
            AUTH_BURST=5000
            API_RATE=5000r/s
            API_BURST=5000

            """, to: "/etc/gatehouse/nginx.values")
        try must("gatehouse-nginx")
    }

    func startApple() throws {
        try must(
            """
            systemd-run --quiet --unit=apple -p StateDirectory=apple -E APPLE_BUNDLE_ID=com.example.app -E GATEHOUSE_CONFIG= \
                /usr/bin/gatehouse fake-apple --keys /var/lib/apple --port 8444
            for attempt in $(seq 300); do
                curl -sf -o /dev/null http://127.0.0.1:8444/auth/keys && exit 0
                sleep 0.1
            done
            exit 1
            """)
    }

    /// Has the alerts written down, by a program that fails afterwards.
    func tellOfFailures() throws {
        try write("#!/bin/sh\necho \"$1\" >>/root/told\nexit 1\n", to: "/etc/gatehouse/on-failure.d/tell")
        try must("chmod +x /etc/gatehouse/on-failure.d/tell")
    }

    /// The units that alerted, a line each.
    var told: String {
        get throws { try must("cat /root/told 2>/dev/null || true") }
    }

    /// The status of each step from the login to the logout.
    func login() throws -> String {
        try must("python3 /root/client.py login")
    }

    static let wholeLogin = "200 200 200 200 204"
}
