import JOSE
import Testing
import Text

@testable import WebAuthn

@Suite("CBOR")
struct CBORTests {
    @Test(
        "each kind of value is read, and written as it was",
        arguments: [
            ("00", 0), ("17", 23), ("1818", 24), ("18ff", 255), ("190100", 256), ("19ffff", 65535),
            ("1a00010000", 65536), ("1affffffff", 4_294_967_295), ("1b0000000100000000", 4_294_967_296),
            ("1b7fffffffffffffff", .integer(.max)), ("20", -1), ("37", -24), ("3818", -25), ("390100", -257),
            ("3b7fffffffffffffff", .integer(.min)), ("40", .bytes([])), ("420102", .bytes([1, 2])), ("60", ""),
            ("62c3bc", "ü"), ("80", .array([])), ("820102", .array([1, 2])), ("a0", .map([])),
            ("a201020304", .map([.init(1, 2), .init(3, 4)])), ("a2012061610a", .map([.init(1, -1), .init("a", 10)])),
            ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
        ] as [(String, CBOR)])
    func accepted(_ text: String, _ value: CBOR) throws {
        let bytes = try #require(Hexadecimal.bytes(Array(text.utf8)))
        #expect(try CBOR(parsing: bytes) == value)
        #expect(value.encoded == bytes)
    }

    @Test(
        "what is not in the form that WebAuthn allows is refused",
        arguments: [
            ("", .truncated), ("18", .truncated), ("1901", .truncated), ("1b00000000000000", .truncated),
            ("41", .truncated), ("62c3", .truncated), ("8101", nil), ("8201", .truncated), ("a101", .truncated),
            ("0000", .trailingBytes), ("a000", .trailingBytes), ("4000", .trailingBytes),
            // A form that is longer than the value needs.
            ("1817", .length), ("1900ff", .length), ("1a0000ffff", .length), ("1b00000000ffffffff", .length),
            ("3800", .length), ("580100", .length), ("59000100", .length), ("7800", .length), ("9800", .length),
            ("b800", .length), ("b90001", .length),
            // Reserved, and without an end that is known.
            ("1c", .length), ("1d", .length), ("1e", .length), ("1f", .length), ("5f4101ff", .length),
            ("7f6161ff", .length), ("9f01ff", .length), ("bf0102ff", .length), ("ff", .unsupported),
            // Beyond 64 bits.
            ("1b8000000000000000", .length), ("3b8000000000000000", .length), ("1bffffffffffffffff", .length),
            // Lengths and numbers of elements that the input does not have.
            ("5affffffff", .truncated), ("5b7fffffffffffffff", .truncated), ("5bffffffffffffffff", .truncated),
            ("7bffffffffffffffff", .truncated), ("9bffffffffffffffff", .size), ("bbffffffffffffffff", .size),
            ("9affffffff", .size), ("ba7fffffff", .size), ("9841", .size), ("b841", .size),
            // Tags, floats and simple values.
            ("c000", .unsupported), ("d81800", .unsupported), ("d9d9f700", .unsupported), ("f90000", .unsupported),
            ("fa00000000", .unsupported), ("fb0000000000000000", .unsupported), ("f7", .unsupported),
            ("e0", .unsupported), ("f3", .unsupported), ("f814", .unsupported), ("f8ff", .unsupported),
            // Texts.
            ("61ff", .text), ("62c328", .text), ("63eda080", .text), ("62c080", .text),
            // Keys.
            ("a2010201ff", .duplicateKey), ("a201020103", .duplicateKey), ("a2616101616102", .duplicateKey),
            ("a3000001000002", .duplicateKey), ("a14000", .key), ("a18000", .key), ("a1a000", .key), ("a1f500", .key),
            ("a1f600", .key), ("a101a2200020f6", .duplicateKey),
        ] as [(String, CBORFault?)])
    func refused(_ text: String, _ fault: CBORFault?) throws {
        let bytes = try #require(Hexadecimal.bytes(Array(text.utf8)))
        if let fault {
            #expect(throws: fault) { try CBOR(parsing: bytes) }
        } else {
            #expect(throws: Never.self) { try CBOR(parsing: bytes) }
        }
    }

    @Test("two texts that look the same are two keys, as their bytes differ")
    func equivalentKeys() throws {
        let (composed, decomposed) = (CBOR.text("\u{FC}"), CBOR.text("u\u{308}"))
        let map = try CBOR(parsing: [0xA2] + composed.encoded + [1] + decomposed.encoded + [2])
        #expect(map[composed] == 1 && map[decomposed] == 2)
    }

    @Test("nesting and numbers of elements have limits, at which there is no recursion or comparison left to attack")
    func limits() throws {
        for container in [[0x81], [0xA1, 0x00]] as [[UInt8]] {
            let nested = { (depth: Int) -> [UInt8] in
                Array([[UInt8]](repeating: container, count: depth).joined()) + [0x00]
            }
            #expect(throws: Never.self) { try CBOR(parsing: nested(CBORReader.maximumDepth)) }
            #expect(throws: CBORFault.depth) { try CBOR(parsing: nested(CBORReader.maximumDepth + 1)) }
            #expect(throws: CBORFault.depth) { try CBOR(parsing: nested(1_000_000)) }
        }
        let numbers = (0..<CBORReader.maximumCount).map { CBOR.integer(Int64($0)) }
        let most = [CBOR.array(numbers), .map(numbers.map { .init($0, $0) })]
        for value in most { #expect(try CBOR(parsing: value.encoded) == value) }
        let tooMany = numbers + [1000]
        for value in [CBOR.array(tooMany), .map(tooMany.map { .init($0, $0) })] {
            #expect(throws: CBORFault.size) { try CBOR(parsing: value.encoded) }
        }
    }

    @Test("every beginning of a value is refused")
    func truncated() throws {
        let bytes = try Authenticator.es256().attestationObject.encoded
        #expect(throws: Never.self) { try CBOR(parsing: bytes) }
        for count in bytes.indices {
            #expect(throws: CBORFault.truncated) { try CBOR(parsing: Array(bytes[..<count])) }
        }
    }
}
