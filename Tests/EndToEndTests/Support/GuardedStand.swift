/// A house with an echo behind its guard, in locations of every kind; shared by the tests that harm neither.
struct GuardedStand: Sendable {
    let house: FrontedHouse
    let upstream: Upstream

    static let shared = Result { try GuardedStand() }

    init() throws {
        upstream = try Upstream.echoing()
        let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
        house = try FrontedHouse(
            locations: """
                location /notes/ { \(pass); }
                location /notes/admin/ { set $gatehouse_role ADMIN; \(pass); }
                location /notes/owner/ { \(pass)/notes/owner/; set $gatehouse_role SUPER_ADMIN; }
                location /notes/user/ { set $gatehouse_role USER; \(pass)/; }
                location /misspelt/ { set $gatehouse_role ADMNI; \(pass); }
                location /outer/ {
                    set $gatehouse_role ADMIN;
                    \(pass);
                    location /outer/inner/ { proxy_pass http://127.0.0.1:\(upstream.port); }
                }
                location /early/ { rewrite ^ /notes/early break; set $gatehouse_role ADMIN; \(pass); }
                location /late/ { set $gatehouse_role ADMIN; include snippets/gatehouse-guard.conf; try_files /x @late; }
                location @late { set $gatehouse_role SUPER_ADMIN; \(pass); }
                location /own/ { \(pass); add_header X-Own yes always; error_page 404 /nowhere; }
                location /uploads/ { client_max_body_size 2m; \(pass); }
                location /denied/ { deny all; \(pass); }
                location /gone/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:1; }
                """)
    }

    /// The access token of a new user with that role.
    func token(_ role: String = "USER", of email: String) throws -> String {
        let token = try house.devLogin(email).accessToken
        return role == "USER" ? token : try Forgery.accessToken(like: token, role: role)
    }
}
