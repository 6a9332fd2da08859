// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gatehouse",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "GatehouseClient", targets: ["GatehouseClient"]),
        .executable(name: "gatehouse-example", targets: ["GatehouseExample"]),
        .executable(name: "gatehouse", targets: ["GatehouseCommand"]),
        .executable(name: "stand-in", targets: ["StandInCommand"]),
        // The name of before, for one release.
        .executable(name: "fake-apple", targets: ["StandInCommand"]),
    ],
    targets: joined([
        folder(
            "Sources/System",
            [
                // Debian's C libraries, as they are.
                .systemLibrary(name: "CFastCGI"),
                .systemLibrary(name: "COpenSSL"),
                .systemLibrary(name: "CSQLite"),
                .systemLibrary(name: "CPostgreSQL"),
                .systemLibrary(name: "CCurl"),
                .systemLibrary(name: "CLinux"),

                // The version that deploy/package gives to the program.
                .target(
                    name: "CVersion",
                    cSettings: Context.environment["GATEHOUSE_VERSION"].map {
                        [.define("GATEHOUSE_VERSION", to: "\"\($0)\"")]
                    } ?? []),

                // Owners of C handles: the only targets with unsafe code.
                .target(name: "POSIX", dependencies: ["CLinux", "CVersion"]),
                .target(name: "FileSystem", dependencies: ["CLinux", "POSIX"]),
                .target(name: "Sockets", dependencies: ["CLinux", "POSIX"]),
                .target(name: "Processes", dependencies: ["CLinux", "FileSystem", "POSIX", "Sockets"]),
                .target(name: "FastCGI", dependencies: ["CFastCGI", "POSIX", "Sockets"]),
                .target(name: "OpenSSL", dependencies: ["COpenSSL"]),
                .target(name: "SQLite", dependencies: ["CSQLite", "SQL"]),
                .target(name: "PostgreSQL", dependencies: ["CPostgreSQL", "OpenSSL", "POSIX", "SQL"]),
                .target(name: "Curl", dependencies: ["CCurl", "Text"]),

                // What the programs are made of: commands, their arguments and their help.
                .target(name: "CommandLineTool", dependencies: ["FileSystem", "POSIX", "Processes"]),
            ]),
        folder(
            "Sources/Formats",
            [
                // ASCII, and the encodings of text in URLs, forms and pages.
                .target(name: "Text"),
                .target(name: "JSON", dependencies: ["Text"]),
                .target(name: "JOSE", dependencies: ["JSON", "OpenSSL"]),
                .target(name: "StandardWebhooks", dependencies: ["JOSE", "OpenSSL"]),
                .target(name: "WebAuthn", dependencies: ["JOSE", "JSON", "OpenSSL"]),
                // What the two databases have in common.
                .target(name: "SQL"),
            ]),
        folder(
            "Sources/Server",
            [
                // The domain, and the table of phone numbers.
                .target(name: "Gatehouse", dependencies: ["NumberTable", "Text"]),
                .target(name: "NumberTable", exclude: ["numbers.txt"]),

                // What the domain asks of the world. None of these imports another.
                .target(
                    name: "IdentityProviders",
                    dependencies: [
                        "Curl", "Gatehouse", "JOSE", "JSON", "OpenSSL", "POSIX", "StandardWebhooks", "Text", "WebAuthn",
                    ]),
                .target(
                    name: "CodeDelivery",
                    dependencies: [
                        "Curl", "FileSystem", "Gatehouse", "JOSE", "JSON", "OpenSSL", "POSIX", "StandardWebhooks",
                        "Text",
                    ],
                    resources: [.embedInCode("Messages")]),
                .target(
                    name: "EventDelivery",
                    dependencies: ["Curl", "Gatehouse", "JSON", "POSIX", "StandardWebhooks", "Text"]),
                .target(name: "GatehouseTokens", dependencies: ["Gatehouse", "JOSE", "JSON", "OpenSSL", "Text"]),
                .target(
                    name: "GatehouseStore",
                    dependencies: [
                        "FileSystem", "Gatehouse", "OpenSSL", "POSIX", "PostgreSQL", "SQL", "SQLite", "Text",
                    ],
                    resources: [.embedInCode("Migrations")]),
                .target(name: "UserFiles", dependencies: ["Gatehouse", "JOSE", "JSON", "Text", "WebAuthn"]),
                .target(name: "OpenAPIFile", exclude: ["openapi.json"]),
                .target(name: "GatehouseWeb", dependencies: ["Gatehouse", "JOSE", "JSON", "OpenAPIFile", "Text"]),

                // The composition root, and the commands.
                .target(
                    name: "GatehouseServer",
                    dependencies: [
                        "CodeDelivery", "EventDelivery", "IdentityProviders", "Curl", "FastCGI", "FileSystem",
                        "Gatehouse", "GatehouseStore", "GatehouseTokens", "GatehouseWeb", "JOSE", "JSON", "OpenSSL",
                        "POSIX", "Processes", "Sockets", "StandardWebhooks", "Text",
                    ]),
                .executableTarget(
                    name: "GatehouseCommand",
                    dependencies: [
                        "CodeDelivery", "EventDelivery", "IdentityProviders", "CommandLineTool", "FileSystem",
                        "Gatehouse", "GatehouseServer", "GatehouseStore", "GatehouseTokens", "GatehouseWeb", "JOSE",
                        "JSON", "POSIX", "Processes", "Sockets", "Text", "UserFiles",
                    ]),
            ]),
        folder(
            "Sources/Client",
            [
                // The library for apps, and a program that uses it. They depend on Foundation alone.
                .target(name: "GatehouseClient", resources: [.copy("Apple/PrivacyInfo.xcprivacy")]),
                .executableTarget(name: "GatehouseExample", dependencies: ["GatehouseClient"]),
            ]),
        folder(
            "Sources/Development",
            [
                // No part of the Debian package: a small HTTP server, the stand-in for Apple, other providers, text messages and
                // mail with the pages at which users sign in, and the page that shows requests, answers and logs.
                .target(name: "DevelopmentHTTP", dependencies: ["JSON", "POSIX", "Sockets", "Text"]),
                .target(
                    name: "StandIn",
                    dependencies: [
                        "Curl", "DevelopmentHTTP", "FileSystem", "JOSE", "JSON", "OpenSSL", "POSIX", "Sockets",
                        "StandardWebhooks", "Text",
                    ]),
                .target(
                    name: "Console",
                    dependencies: ["Curl", "DevelopmentHTTP", "FileSystem", "JSON", "POSIX", "Processes", "Sockets"]),
                .executableTarget(
                    name: "StandInCommand",
                    dependencies: [
                        "CommandLineTool", "Console", "DevelopmentHTTP", "FileSystem", "Gatehouse", "JSON", "POSIX",
                        "Processes", "Sockets", "StandIn",
                    ]),
            ]),
        folder(
            "Tests/Support",
            [
                .target(name: "TestSupport", dependencies: ["CLinux"]),
                .target(
                    name: "StoreSupport",
                    dependencies: ["Gatehouse", "GatehouseStore", "PostgreSQL", "SQL", "SQLite", "TestSupport"]),
            ]),
        folder(
            "Tests/System",
            [
                .testTarget(
                    name: "POSIXTests", dependencies: ["FileSystem", "POSIX", "Processes", "Sockets", "TestSupport"]),
                .testTarget(name: "CurlTests", dependencies: ["Curl", "POSIX", "Sockets", "TestSupport"]),
                .testTarget(
                    name: "PostgreSQLTests", dependencies: ["POSIX", "PostgreSQL", "SQL", "Sockets", "TestSupport"]),
                .testTarget(name: "OpenSSLTests", dependencies: ["COpenSSL", "OpenSSL", "TestSupport"]),
                .testTarget(
                    name: "FastCGITests", dependencies: ["FastCGI", "POSIX", "Processes", "Sockets", "TestSupport"]),
            ]),
        folder(
            "Tests/Formats",
            [
                .testTarget(name: "TextTests", dependencies: ["Text"]),
                .testTarget(name: "JSONTests", dependencies: ["JSON"]),
                .testTarget(name: "JOSETests", dependencies: ["JOSE", "JSON", "OpenSSL"], exclude: ["Vectors"]),
                .testTarget(name: "StandardWebhooksTests", dependencies: ["StandardWebhooks"]),
                .testTarget(
                    name: "WebAuthnTests",
                    dependencies: ["JOSE", "JSON", "OpenSSL", "TestSupport", "Text", "WebAuthn"],
                    exclude: ["Fuzzing", "Libraries", "Vectors"]),
            ]),
        folder(
            "Tests/Server",
            [
                .testTarget(name: "GatehouseTests", dependencies: ["Gatehouse", "StoreSupport", "TestSupport"]),
                .testTarget(
                    name: "GatehouseStoreTests",
                    dependencies: ["Gatehouse", "GatehouseStore", "SQL", "SQLite", "StoreSupport", "TestSupport"]),
                .testTarget(
                    name: "IdentityProvidersTests",
                    dependencies: [
                        "IdentityProviders", "Curl", "Gatehouse", "JOSE", "JSON", "OpenSSL", "POSIX", "StandIn",
                        "TestSupport",
                    ]),
                .testTarget(
                    name: "CodeDeliveryTests",
                    dependencies: [
                        "CodeDelivery", "Curl", "DevelopmentHTTP", "Gatehouse", "JOSE", "JSON", "POSIX", "Sockets",
                        "StandardWebhooks", "TestSupport",
                    ], exclude: ["Support/mail-server.py"]),
                .testTarget(
                    name: "EventDeliveryTests",
                    dependencies: [
                        "Curl", "DevelopmentHTTP", "EventDelivery", "Gatehouse", "GatehouseStore", "JSON", "POSIX",
                        "Sockets", "StandardWebhooks", "StoreSupport", "TestSupport",
                    ]),
                .testTarget(
                    name: "GatehouseTokensTests",
                    dependencies: ["Gatehouse", "GatehouseTokens", "JOSE", "JSON", "OpenSSL", "StandIn"]),
                .testTarget(name: "GatehouseWebTests", dependencies: ["Gatehouse", "GatehouseWeb"]),
                .testTarget(name: "UserFilesTests", dependencies: ["Gatehouse", "JSON", "TestSupport", "UserFiles"]),
                .testTarget(
                    name: "GatehouseServerTests",
                    dependencies: [
                        "CodeDelivery", "EventDelivery", "IdentityProviders", "FastCGI", "FileSystem", "Gatehouse",
                        "GatehouseServer", "GatehouseStore", "GatehouseTokens", "GatehouseWeb", "JOSE", "JSON",
                        "OpenSSL", "POSIX", "Sockets", "StandardWebhooks", "TestSupport",
                    ]),
                .testTarget(
                    name: "GatehouseCommandTests",
                    dependencies: [
                        "EventDelivery", "IdentityProviders", "CommandLineTool", "FileSystem", "Gatehouse",
                        "GatehouseCommand", "GatehouseServer", "GatehouseStore", "GatehouseTokens", "JOSE", "JSON",
                        "POSIX", "Processes", "SQL", "SQLite", "Sockets", "StandIn", "StandardWebhooks", "StoreSupport",
                        "TestSupport",
                    ]),
            ]),
        folder(
            "Tests/Development",
            [
                .testTarget(
                    name: "DevelopmentHTTPTests",
                    dependencies: ["DevelopmentHTTP", "JSON", "POSIX", "Sockets", "TestSupport"]),
                .testTarget(
                    name: "ConsoleTests",
                    dependencies: [
                        "Console", "DevelopmentHTTP", "JSON", "POSIX", "Processes", "Sockets", "TestSupport",
                    ]
                ),
                .testTarget(
                    name: "StandInTests",
                    dependencies: [
                        "Curl", "DevelopmentHTTP", "JOSE", "JSON", "OpenSSL", "POSIX", "Sockets", "StandIn",
                        "TestSupport", "Text",
                    ]),
            ]),
        folder(
            "Tests/EndToEnd",
            [
                // How tests start the whole program, and what they ask it with.
                .target(
                    name: "ServerSupport",
                    dependencies: [
                        "DevelopmentHTTP", "Gatehouse", "GatehouseClient", "GatehouseServer", "GatehouseTokens",
                        "GatehouseWeb", "IdentityProviders", "JOSE", "JSON", "OpenSSL", "POSIX", "SQL", "Sockets",
                        "StandIn", "StoreSupport", "TestSupport",
                    ]),
                .testTarget(
                    name: "SignInTests",
                    dependencies: [
                        "DevelopmentHTTP", "GatehouseWeb", "JOSE", "JSON", "OpenSSL", "ServerSupport", "StandIn",
                        "StoreSupport", "TestSupport",
                    ]),
                .testTarget(
                    name: "SessionTests",
                    dependencies: [
                        "JOSE", "JSON", "SQL", "ServerSupport", "StandIn", "StoreSupport", "TestSupport",
                    ]),
                .testTarget(
                    name: "AppClientTests",
                    dependencies: [
                        "GatehouseClient", "GatehouseExample", "JSON", "ServerSupport", "StandIn", "TestSupport",
                    ]),
                .testTarget(
                    name: "OperationsTests",
                    dependencies: [
                        "DevelopmentHTTP", "Gatehouse", "JOSE", "JSON", "SQL", "SQLite", "ServerSupport", "StandIn",
                        "StoreSupport", "TestSupport",
                    ]),
                .testTarget(
                    name: "WebServerTests",
                    dependencies: [
                        "GatehouseServer", "GatehouseWeb", "JOSE", "JSON", "ServerSupport", "StandIn", "StoreSupport",
                        "TestSupport",
                    ]),
                .testTarget(
                    name: "PageTests",
                    dependencies: [
                        "Gatehouse", "GatehouseServer", "GatehouseWeb", "JOSE", "JSON", "ServerSupport", "StoreSupport",
                        "TestSupport",
                    ]),
            ]),
        [
            .testTarget(
                name: "ProductionTests", dependencies: ["JSON", "Sockets", "TestSupport"],
                exclude: ["Scripts"]),

            // What deploy/bench measures within one process. No part of the product.
            .executableTarget(
                name: "GatehouseBenchmarks",
                dependencies: [
                    "IdentityProviders", "FileSystem", "Gatehouse", "GatehouseServer", "GatehouseStore",
                    "GatehouseTokens", "GatehouseWeb", "JOSE", "JSON", "POSIX", "StandIn",
                ],
                path: "Tests/Benchmarks/InProcess"),
        ],
    ]),
    swiftLanguageModes: [.v6]
)

/// One expression with `+` is too long for the compiler of Swift 6.2. The server needs 6.3, but apps that add the library may have
/// 6.2.
func joined(_ groups: [[Target]]) -> [Target] { Array(groups.joined()) }

/// Targets whose folders stand in one folder, which says what they are for.
func folder(_ path: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(path)/\(target.name)" }
    return targets
}

func isForTests(_ target: Target) -> Bool {
    target.type == .test || target.path?.hasPrefix("Tests/") == true
}

/// The library for apps, and a program that uses it.
let ofApps = ["GatehouseClient", "GatehouseExample"]

// deploy/lib/build names what it builds: the programs (in an image there are no tests), or some test targets. Tests of the whole
// program start all programs; the other ones need the targets that they depend on.
if let wanted = Context.environment["GATEHOUSE_BUILD"]?.split(separator: " ").map(String.init) {
    let targets = package.targets
    let startsPrograms = wanted.contains { name in
        ["GatehouseCommandTests", "ProductionTests"].contains(name)
            || targets.contains { $0.name == name && $0.path?.hasPrefix("Tests/EndToEnd/") == true }
    }
    var needed = Set(wanted)
    if wanted == ["programs"] {
        needed = Set(targets.filter { !isForTests($0) }.map(\.name))
    } else if startsPrograms {
        needed.formUnion(targets.filter { $0.type != .test }.map(\.name))
    }
    var open = needed
    while let name = open.popFirst() {
        for case .byNameItem(let dependency, _) in targets.first(where: { $0.name == name })?.dependencies ?? []
        where needed.insert(dependency).inserted {
            open.insert(dependency)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let parts = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
        return !needed.isSuperset(of: parts)
    }
}

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apps compile the library with compilers that we do not choose, so a warning of a later one must not fail their builds. A test
// builds an app on the library and demands that there is no warning.
let forApps: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

for target in package.targets where target.type != .system {
    // Tests talk to C for their own purposes (sockets, processes), so memory safety is not asked of them.
    target.swiftSettings =
        ofApps.contains(target.name) ? forApps : isForTests(target) ? Array(strict.dropFirst()) : strict
}
