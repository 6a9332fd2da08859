import Foundation
import TestSupport

extension Machine {
    /// A machine on which Gatehouse serves requests, with a fake Apple.
    static func serving(_ package: String? = nil) throws -> Machine {
        let machine = try Machine()
        try machine.install(package ?? DebianPackage.first.get())
        try machine.configure()
        try machine.mustRun("systemctl start gatehouse")
        return machine
    }

    /// Installs the package as an operator does. There is no terminal for questions.
    @discardableResult
    func install(_ package: String) throws -> String {
        try run("rm -f /root/*.deb")
        try put(package, at: "/root/gatehouse.deb")
        return try mustRun("apt-get install --yes /root/gatehouse.deb </dev/null 2>&1")
    }

    /// Sets the required settings and starts a fake Apple on this machine.
    func configure() throws {
        try put(Executable.root + "/Tests/ProductionTests/Scripts/client.py", at: "/root/client.py")
        try mustRun("sed -i 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=com.example.app/' /etc/gatehouse/gatehouse.conf")
        try startApple()
        try mustRun(
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
        // All logins come from one address, so the rate limits are high.
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
        try mustRun("gatehouse-nginx")
    }

    /// The package does not contain the stand-in.
    func installStandIn() throws {
        let path = "/usr/local/bin/stand-in"
        guard !FileManager.default.fileExists(atPath: root + path) else { return }
        try put(DebianPackage.standIn.get(), at: path)
        try mustRun("chmod 755 \(path)")
    }

    func startApple() throws {
        try installStandIn()
        try mustRun(
            """
            systemd-run --quiet --unit=apple -p StateDirectory=apple -E APPLE_BUNDLE_ID=com.example.app \
                /usr/local/bin/stand-in serve --keys /var/lib/apple --port 8444
            for attempt in $(seq 300); do
                curl -sf -o /dev/null http://127.0.0.1:8444/auth/keys && exit 0
                sleep 0.1
            done
            exit 1
            """)
    }

    /// Installs an alert program that records the unit and then fails.
    func recordAlerts() throws {
        try write("#!/bin/sh\necho \"$1\" >>/var/log/alerts\nexit 1\n", to: "/etc/gatehouse/on-failure.d/record")
        try mustRun("chmod +x /etc/gatehouse/on-failure.d/record")
    }

    /// The units that raised an alert, one per line.
    var alertedUnits: String {
        get throws { try mustRun("cat /var/log/alerts 2>/dev/null || true") }
    }

    /// The status of each step from login to logout.
    func login() throws -> String {
        try mustRun("python3 /root/client.py login")
    }

    static let successfulLogin = "200 200 200 200 204"
}
