/// nginx with an echo server behind guarded locations of every kind. Tests share it if they change neither of them.
struct GuardFixture: Sendable {
    let server: ServerBehindNginx
    let upstream: UpstreamServer

    static let shared = Result { try GuardFixture() }

    init() throws {
        upstream = try UpstreamServer.echoing()
        let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
        server = try ServerBehindNginx(
            locations: """
                location /notes/ { \(pass); }
                location /notes/admin/ { set $gatehouse_role ADMIN; \(pass); }
                location /notes/owner/ { \(pass)/notes/owner/; set $gatehouse_role SUPER_ADMIN; }
                location /notes/user/ { set $gatehouse_role USER; \(pass)/; }
                location /notes/recent/ { set $gatehouse_max_age 600; \(pass); }
                location /notes/guests/ { set $gatehouse_guests on; \(pass); }
                location /rewritten/ {
                    set $gatehouse_guests on;
                    include snippets/gatehouse-guard.conf;
                    rewrite ^/rewritten(.*)$ $1 last;
                }
                location /failed/ {
                    set $gatehouse_guests on;
                    include snippets/gatehouse-guard.conf;
                    error_page 418 = @members;
                    return 418;
                }
                location @members { \(pass); }
                location /notes/strong/ { set $gatehouse_acr urn:gatehouse:2; \(pass); }
                location /notes/fresh/ { set $gatehouse_acr urn:gatehouse:2; set $gatehouse_max_age 600; \(pass); }
                location /notes/plain/ { set $gatehouse_acr urn:gatehouse:1; \(pass); }
                location /unknown-acr/ { set $gatehouse_acr 2; \(pass); }
                location /unknown-age/ { set $gatehouse_max_age 10m; \(pass); }
                location /unknown-role/ { set $gatehouse_role ADMNI; \(pass); }
                location /outer/ {
                    set $gatehouse_role ADMIN;
                    \(pass);
                    set $gatehouse_guests on;
                    location /outer/inner/ { proxy_pass http://127.0.0.1:\(upstream.port); }
                }
                location /early/ { rewrite ^ /notes/early break; set $gatehouse_role ADMIN; \(pass); }
                location /late/ { set $gatehouse_role ADMIN; include snippets/gatehouse-guard.conf; try_files /x @late; }
                location @late { set $gatehouse_role SUPER_ADMIN; \(pass); }
                location /own/ { \(pass); add_header X-Own yes always; error_page 404 /nowhere; }
                location /uploads/ { client_max_body_size 2m; \(pass); }
                location /unguarded/ { proxy_pass http://127.0.0.1:\(upstream.port); }
                location /denied/ { deny all; \(pass); }
                location /gone/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:1; }
                """
        ) { $0["GUESTS"] = "open" }
    }

    /// The access token of a new user with this role.
    func token(_ role: String = "USER", of email: String) throws -> String {
        let token = try server.devLogin(email).accessToken
        return role == "USER" ? token : try ForgedToken.accessToken(like: token, role: role)
    }
}
