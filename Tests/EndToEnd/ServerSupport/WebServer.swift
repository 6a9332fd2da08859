import Foundation
import TestSupport

/// A web server with a minimal configuration that passes requests on over FastCGI.
enum WebServer: String, CaseIterable {
    case nginx
    case lighttpd
    case apache2
    case caddy

    /// - Parameters:
    ///   - port: the port of the web server.
    ///   - responder: the FastCGI server for paths below `/api/`.
    func command(port: UInt16, responder: FastCGIPeer.Address, folder: TemporaryFolder) throws -> [String] {
        let file = folder.file("web-server.conf")
        try configuration(port: port, responder: responder, folder: folder.path)
            .write(toFile: file, atomically: true, encoding: .utf8)
        return switch self {
        case .nginx: ["nginx", "-p", folder.path, "-e", "stderr", "-c", file, "-g", "daemon off;"]
        case .lighttpd: ["lighttpd", "-D", "-f", file]
        case .apache2: ["apache2", "-f", file, "-DFOREGROUND"]
        case .caddy: ["caddy", "run", "--config", file, "--adapter", "caddyfile"]
        }
    }

    /// The longest headers that the web server accepts: nginx four lines of 8 KiB, Apache lines of 8,190 bytes,
    /// lighttpd 8 KiB in total.
    var longHeaders: [String] {
        let lengths = self == .lighttpd ? [7000] : [8000, 8000, 8000]
        return lengths.enumerated().map { "X-Long-\($0.offset): " + String(repeating: "x", count: $0.element) }
    }

    private func configuration(port: UInt16, responder: FastCGIPeer.Address, folder: String) -> String {
        switch self {
        case .nginx: Self.nginx(port, responder, folder)
        case .lighttpd: Self.lighttpd(port, responder, folder)
        case .apache2: Self.apache(port, responder, folder)
        case .caddy: Self.caddy(port, responder, folder)
        }
    }

    private static func nginx(_ port: UInt16, _ responder: FastCGIPeer.Address, _ folder: String) -> String {
        let address =
            switch responder {
            case .tcp(let port): "127.0.0.1:\(port)"
            case .unix(let path): "unix:\(path)"
            }
        let temporary = ["client_body", "fastcgi", "proxy", "scgi", "uwsgi"]
            .map { "\($0)_temp_path \(folder)/nginx-\($0);" }
        return """
            worker_processes 2;
            pid \(folder)/nginx.pid;
            events {}
            http {
                \(temporary.joined(separator: " "))
                access_log off;
                upstream responder {
                    server \(address);
                    keepalive 16;
                }
                server {
                    listen 127.0.0.1:\(port);
                    location /api/ {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_keep_conn on;
                        fastcgi_pass responder;
                    }
                }
            }
            """
    }

    private static func lighttpd(_ port: UInt16, _ responder: FastCGIPeer.Address, _ folder: String) -> String {
        let address =
            switch responder {
            case .tcp(let port): #""host" => "127.0.0.1", "port" => \#(port)"#
            case .unix(let path): #""socket" => "\#(path)""#
            }
        return """
            server.modules = ("mod_fastcgi")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.document-root = "\(folder)"
            fastcgi.server = ("/api/" => ((\(address), "check-local" => "disable")))
            """
    }

    private static func apache(_ port: UInt16, _ responder: FastCGIPeer.Address, _ folder: String) -> String {
        let address =
            switch responder {
            case .tcp(let port): "fcgi://127.0.0.1:\(port)/api/"
            case .unix(let path): "unix:\(path)|fcgi://127.0.0.1/api/"
            }
        return """
            ServerName localhost
            PidFile \(folder)/apache.pid
            Listen 127.0.0.1:\(port)
            LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
            LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
            LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
            LoadModule proxy_fcgi_module /usr/lib/apache2/modules/mod_proxy_fcgi.so
            ErrorLog \(folder)/apache-error.log
            DocumentRoot \(folder)
            User www-data
            Group www-data
            ProxyPass "/api/" "\(address)" enablereuse=on
            <Location "/api/">
                CGIPassAuth On
            </Location>
            """
    }

    private static func caddy(_ port: UInt16, _ responder: FastCGIPeer.Address, _ folder: String) -> String {
        let address =
            switch responder {
            case .tcp(let port): "127.0.0.1:\(port)"
            case .unix(let path): "unix/\(path)"
            }
        return """
            {
                admin off
                auto_https off
                storage file_system \(folder)/caddy
            }
            http://:\(port) {
                bind 127.0.0.1
                reverse_proxy /api/* \(address) {
                    transport fastcgi
                }
            }
            """
    }
}
