import JSON

extension ForgedLoginTable {
    static let all = [
        members, duplicates, algorithms, issuers, audiences, times, requests, signatures, unknownKeys, forms, documents,
        sizes,
    ]

    /// Wrong values for a member.
    private static let wrongValues: [(name: String, value: JSONValue?)] = [
        ("missing", nil), ("null", .null), ("false", false), ("true", true), ("a number", 7), ("a fraction", 1.5),
        ("negative", -1), ("empty", ""), ("a list", []), ("a list of null", [.null]), ("an object", [:]),
        ("huge", .string(String(repeating: "h", count: 3000))),
    ]

    private static let members = ForgedLoginTable(name: "member of a wrong type") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        func wrong(_ kind: String, _ member: String, expecting reason: String, except: [String] = []) -> [Row] {
            wrongValues.filter { !except.contains($0.name) }.map { wrongValue in
                let token =
                    kind == "header"
                    ? builder.with(header: member, wrongValue.value) : builder.with(claim: member, wrongValue.value)
                return builder.row("\(kind) \(member) \(wrongValue.name)", expecting: reason, token: token)
            }
        }
        let present = ["missing"]
        let numbers = ["a number", "a fraction", "negative"]
        let rows: [[Row]] = [
            wrong("header", "alg", expecting: "malformed", except: ["empty", "huge"]),
            wrong("header", "kid", expecting: "malformed"),
            wrong("header", "typ", expecting: "malformed", except: ["missing", "empty", "huge"]),
            wrong("header", "crit", expecting: "malformed", except: present),
            wrong("header", "b64", expecting: "malformed", except: present),
            wrong("header", "zip", expecting: "malformed", except: present),
            wrong("claim", "events", expecting: "malformed", except: present),
            wrong("claim", "sub", expecting: "malformed"),
            wrong("claim", "iss", expecting: "issuer"),
            wrong("claim", "aud", expecting: "audience"),
            wrong("claim", "iat", expecting: "malformed", except: numbers),
            wrong("claim", "exp", expecting: "malformed", except: numbers),
            wrong("claim", "nbf", expecting: "malformed", except: present + numbers),
            wrong("claim", "nonce", expecting: "nonce"),
            wrong("claim", "c_hash", expecting: "code", except: ["missing", "null"]),
        ]
        return rows.flatMap { $0 }
    }

    private static let duplicates = ForgedLoginTable(name: "duplicate member") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        func twice(_ object: JSONObject, _ sign: (String) -> String) -> [Row] {
            var rows: [Row] = []
            let inner = object.description.dropFirst().dropLast()
            for (name, value) in object.members {
                let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
                for spelling in [name, escaped] {
                    for other in [value, "another", .null] {
                        let member = "\"\(spelling)\":\(other)"
                        rows.append(
                            builder.row("\(member) behind", expecting: "malformed", token: sign("{\(inner),\(member)}"))
                        )
                        rows.append(
                            builder.row("\(member) before", expecting: "malformed", token: sign("{\(member),\(inner)}"))
                        )
                    }
                }
            }
            return rows
        }
        return twice(builder.header) { builder.signed(header: $0) }
            + twice(builder.claims) { builder.signed(payload: $0) }
    }
}
