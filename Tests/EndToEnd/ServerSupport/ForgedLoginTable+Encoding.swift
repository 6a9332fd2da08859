import JSON

/// Tokens that cannot be decoded.
extension ForgedLoginTable {
    static let forms = ForgedLoginTable(name: "malformed token") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let parts = builder.parts
        // NUL is missing because a body with a NUL byte gets 400.
        let marks: [String] = [
            "=", "==", " ", "\n", "\r\n", "\t", "\u{FEFF}", "%3D", "+", "/", "*", "é", ":", "\"", "\u{200B}",
        ]
        var tokens: [String] = []
        for mark in marks {
            for index in 0..<3 {
                for marked in [mark + parts[index], parts[index] + mark] {
                    var changed = parts
                    changed[index] = marked
                    let input = changed[..<2].joined(separator: ".")
                    tokens.append(index == 2 ? input + "." + marked : builder.signed(input: input))
                }
            }
        }
        tokens += [
            ".", "..", "...", "a.b.c", parts[0], builder.input, "\(builder.token).", ".\(builder.token)",
            "\(builder.token).\(parts[2])", "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])",
            parts.joined(separator: ".."), parts.joined(separator: ","), parts.joined(separator: "。"),
            "Bearer \(builder.token)", "\(builder.token)\n\(builder.token)", "eyJ", "null", "{}",
        ]
        return tokens.enumerated().map { number, token in
            builder.row("form \(number)", expecting: "malformed", token: token)
        }
    }

    static let documents = ForgedLoginTable(name: "not a JSON object") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        func malformed(_ object: JSONObject) -> [String] {
            let whole = object.description
            let open = String(whole.dropLast())
            let around: [String] = [
                "", " ", "null", "true", "1", "[]", "\"x\"", "{", "[\(whole)]", "\(whole)\(whole)", "\(whole){}",
                "\(whole)x", "\(whole)\0", "\0\(whole)", "\u{FEFF}\(whole)", "\(whole),", "\(open),}", open,
                "/**/\(whole)", "\(whole)// x",
            ]
            let members: [String] = [
                #""x""#, #""x":"#, "x:1", "'x':1", #""x":undefined"#, #""x":1e"#, "\"x\":\"\u{1}\"", #""x":"\x41""#,
                #""x":"\ud800""#, #""x":"\u00""#, #""x":01"#, #""x":NaN"#, "\"x\":\"\n\"", #""x":[1,]"#, #""x":.1"#,
            ]
            let nested: [String] = [33, 500, 1500].flatMap { depth in
                [("[", "]"), ("{\"a\":", "}")].map { opening, closing in
                    let (before, behind) = (String(repeating: opening, count: depth), closing)
                    return "\"x\":\(before)0\(String(repeating: behind, count: depth))"
                }
            }
            return around + (members + nested).map { "\(open),\($0)}" }
        }
        return malformed(builder.header).map {
            builder.row("header \($0.suffix(30))", expecting: "malformed", token: builder.signed(header: $0))
        }
            + malformed(builder.claims).map {
                builder.row("claims \($0.suffix(30))", expecting: "malformed", token: builder.signed(payload: $0))
            }
    }

    static let sizes = ForgedLoginTable(name: "too long") {
        (builder: IdentityTokenBuilder) throws -> [Row] in
        let fitting = (8192 - builder.token.utf8.count) * 3 / 4
        let tokens = [fitting, fitting + 100, 20_000].flatMap { count in
            let pad = JSONValue.string(String(repeating: "p", count: count))
            return [builder.with(claim: "pad", pad), builder.with(header: "pad", pad)]
        }
        return (tokens + [String(repeating: "A", count: 8193)]).map {
            builder.row("\($0.utf8.count) bytes", expecting: "malformed", token: $0)
        }
    }
}
