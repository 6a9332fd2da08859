// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["GatehouseCommand"]),
        .library(name: "GatehouseAPI", targets: ["GatehouseAPI"]),
    ],
    targets: [
        // Debian's C libraries, as they are.
        .systemLibrary(name: "CFastCGI"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CSQLite"),
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
        .target(name: "FastCGI", dependencies: ["CFastCGI", "POSIX"]),
        .target(name: "FastCGIClient", dependencies: ["FastCGI", "POSIX"]),
        .target(name: "OpenSSL", dependencies: ["COpenSSL"]),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "Curl", dependencies: ["CCurl"]),

        // Formats.
        .target(name: "JSON"),
        .target(name: "JOSE", dependencies: ["JSON", "OpenSSL"]),

        // The domain and what it says on the wire.
        .target(name: "GatehouseAPI", dependencies: ["JSON"]),
        .target(name: "Gatehouse"),

        // What the domain asks of the world. None of these imports another.
        .target(name: "AppleID", dependencies: ["Gatehouse", "JOSE", "JSON", "OpenSSL", "POSIX"]),
        .target(name: "GatehouseTokens", dependencies: ["Gatehouse", "JOSE", "JSON", "OpenSSL"]),
        .target(
            name: "GatehouseStore", dependencies: ["Gatehouse", "POSIX", "SQLite"],
            resources: [.embedInCode("Migrations")]),
        .target(name: "GatehouseWeb", dependencies: ["Gatehouse", "GatehouseAPI", "JSON"]),

        // Apple's side of the wire, for development and tests.
        .target(name: "FakeApple", dependencies: ["Curl", "JOSE", "JSON", "OpenSSL", "POSIX"]),

        // The composition root, and the commands.
        .target(
            name: "GatehouseServer",
            dependencies: [
                "AppleID", "Curl", "FastCGI", "FastCGIClient", "Gatehouse", "GatehouseStore", "GatehouseTokens",
                "GatehouseWeb", "JOSE", "JSON", "OpenSSL", "POSIX",
            ]),
        .executableTarget(
            name: "GatehouseCommand",
            dependencies: [
                "AppleID", "FakeApple", "Gatehouse", "GatehouseServer", "GatehouseStore", "GatehouseTokens",
                "GatehouseWeb", "JOSE", "JSON", "POSIX",
            ]),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(name: "StoreSupport", dependencies: ["Gatehouse"], path: "Tests/StoreSupport"),
        .testTarget(name: "POSIXTests", dependencies: ["POSIX", "TestSupport"]),
        .testTarget(name: "CurlTests", dependencies: ["Curl", "POSIX", "TestSupport"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "OpenSSLTests", dependencies: ["COpenSSL", "OpenSSL", "TestSupport"]),
        .testTarget(name: "JOSETests", dependencies: ["JOSE", "JSON", "OpenSSL"], exclude: ["Vectors"]),
        .testTarget(name: "FastCGITests", dependencies: ["FastCGI", "FastCGIClient", "POSIX", "TestSupport"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AppleID", "FakeApple", "Gatehouse", "GatehouseCommand", "GatehouseServer", "GatehouseTokens",
                "GatehouseWeb", "JOSE", "JSON", "OpenSSL", "POSIX", "SQLite", "TestSupport",
            ],
            exclude: ["Support/ask-from.py", "Support/verify-access-token.py"]),
        .testTarget(name: "GatehouseTests", dependencies: ["Gatehouse", "StoreSupport", "TestSupport"]),
        .testTarget(
            name: "GatehouseStoreTests",
            dependencies: ["Gatehouse", "GatehouseStore", "SQLite", "StoreSupport", "TestSupport"]),
        .testTarget(
            name: "AppleIDTests",
            dependencies: ["AppleID", "FakeApple", "Gatehouse", "JOSE", "JSON", "OpenSSL", "POSIX", "TestSupport"]),
        .testTarget(
            name: "FakeAppleTests",
            dependencies: ["Curl", "FakeApple", "JOSE", "JSON", "OpenSSL", "POSIX", "TestSupport"]),
        .testTarget(
            name: "GatehouseCommandTests",
            dependencies: [
                "AppleID", "Gatehouse", "GatehouseCommand", "GatehouseServer", "GatehouseStore", "GatehouseTokens",
                "JOSE", "JSON", "POSIX", "SQLite", "StoreSupport", "TestSupport",
            ]),
        .testTarget(
            name: "GatehouseServerTests",
            dependencies: [
                "AppleID", "FastCGI", "Gatehouse", "GatehouseServer", "GatehouseTokens", "JOSE", "JSON", "POSIX",
                "TestSupport",
            ]),
        .testTarget(
            name: "GatehouseTokensTests",
            dependencies: ["FakeApple", "Gatehouse", "GatehouseTokens", "JOSE", "JSON", "OpenSSL"]),
        .testTarget(
            name: "ProductionTests", dependencies: ["JSON", "POSIX", "TestSupport"],
            exclude: [
                "Support/client.py", "Support/debian-root", "Compose/Support/base-images",
                "Compose/Support/build-network.yml",
            ]),

        // What deploy/bench measures within one process. No part of the product.
        .executableTarget(
            name: "GatehouseBenchmarks",
            dependencies: [
                "AppleID", "FakeApple", "Gatehouse", "GatehouseAPI", "GatehouseServer", "GatehouseStore",
                "GatehouseTokens", "JOSE", "JSON", "POSIX",
            ],
            path: "Tests/Benchmarks/InProcess"),
    ],
    swiftLanguageModes: [.v6]
)

func isForTests(_ target: Target) -> Bool {
    target.type == .test || target.path?.hasPrefix("Tests/") == true
}

// Where there are only the sources to build from (an image), nothing is missing.
if Context.environment["GATEHOUSE_WITHOUT_TESTS"] != nil {
    package.targets.removeAll { isForTests($0) }
}

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

for target in package.targets where target.type != .system {
    // Tests talk to C for their own purposes (sockets, processes), so memory safety is not asked of them.
    target.swiftSettings = isForTests(target) ? Array(strict.dropFirst()) : strict
}
