import Gatehouse
import Testing

@Suite("IDs, timestamps, names and roles")
struct ModelTests {
    @Test("IDs sort by time, whatever their random bytes are")
    func idsSortByTime() {
        let moments: [Int64] = [0, 1, 31, 32, 1023, 1_700_000_000_000, 1_700_000_000_001, 281_474_976_710_655]
        let ids = moments.enumerated().map { index, moment in
            let random = [UInt8](repeating: index.isMultiple(of: 2) ? 255 : 0, count: ULID.randomBytes)
            return ULID.make("user", at: Timestamp(milliseconds: moment), random: random)
        }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == moments.count)
        #expect(ids.allSatisfy { $0.hasPrefix("user_") && $0.count == 31 })
    }

    /// The first time is the example of the ULID specification.
    @Test(
        "an ID is its time and its random bytes in base 32",
        arguments: [
            (1_469_918_176_385, UInt8(0), "x_01ARYZ6S410000000000000000"),
            (Int64.max, 255, "x_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), (-1, 0x11, "x_0000000000248H248H248H248H"),
        ])
    func idsAreULIDs(moment: Int64, byte: UInt8, id: String) {
        let random = [UInt8](repeating: byte, count: ULID.randomBytes)
        #expect(ULID.make("x", at: Timestamp(milliseconds: moment), random: random) == id)
    }

    @Test("every random bit changes the ID")
    func idsKeepRandomness() {
        let zero = [UInt8](repeating: 0, count: ULID.randomBytes)
        for bit in 0..<80 {
            var random = zero
            random[bit / 8] = 1 << (bit % 8)
            let now = Timestamp(milliseconds: 1)
            #expect(ULID.make("x", at: now, random: random) != ULID.make("x", at: now, random: zero))
        }
    }

    @Test(
        "a timestamp is written in the form of RFC 3339, in UTC",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_001, "2024-02-29T23:59:59.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (253_402_300_800_010, "10000-01-01T00:00:00.010Z"),
            (-62_198_755_200_000, "-1-01-01T00:00:00.000Z"),
        ])
    func moments(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("a timestamp that is out of range becomes the nearest valid one")
    func farMoments() {
        #expect(Timestamp(seconds: .max) > Timestamp(seconds: 1 << 40))
        #expect(Timestamp(seconds: .min) < Timestamp(seconds: 0))
        #expect(Timestamp(milliseconds: .max) + .seconds(1) == Timestamp(milliseconds: .max))
        #expect(Timestamp(milliseconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
        for end in [Int64.min, .max] { #expect(Timestamp(milliseconds: end).description.hasSuffix("Z")) }
    }

    @Test(
        "a name is displayed in the order of its script",
        arguments: [
            ("Long", "Wang", "Long Wang"), ("小明", "王", "王小明"), ("太郎", "山田", "山田太郎"), ("민준", "김", "김민준"),
            ("  Ada ", " Lovelace ", "Ada Lovelace"), ("Ada", nil, "Ada"), (nil, "王", "王"), ("Ada", "  ", "Ada"),
            ("小明", "Wang", "小明 Wang"), (nil, nil, nil), ("", "", nil),
        ] as [(String?, String?, String?)])
    func names(_ given: String?, _ family: String?, _ shown: String?) {
        #expect(PersonName(given: given, family: family).displayed == shown)
    }

    @Test("roles are ordered by their permissions")
    func roles() {
        #expect([Role.superAdmin, .user, .admin].sorted() == [.user, .admin, .superAdmin])
        for role in Role.allCases { #expect(!(role < role)) }
    }
}

@Suite("Timestamps that an operator writes")
struct TimestampParsingTests {
    @Test(
        "a date or a time in UTC is accepted, in the form of this program's output",
        arguments: [
            ("1970-01-01", 0), ("1969-12-31", -86_400_000), ("2000-02-29", 951_782_400_000),
            ("2026-11-21", 1_795_219_200_000), ("2026-11-21T10:00:00Z", 1_795_255_200_000),
            ("2026-11-21t10:00:00z", 1_795_255_200_000), ("2026-11-21T10:00:00.512Z", 1_795_255_200_512),
            ("2026-11-21T23:59:59.9Z", 1_795_305_599_900), ("2026-11-21T00:00:00.123456789Z", 1_795_219_200_123),
        ])
    func good(text: String, milliseconds: Int64) {
        #expect(Timestamp(written: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test("a description is parsed to the same timestamp, on any day")
    func roundTrip() {
        for day in -400...600 as ClosedRange<Int64> {
            let moment = Timestamp(milliseconds: day * 97 * 86_400_000 + 45_296_789)
            #expect(Timestamp(written: moment.description) == moment)
        }
    }

    @Test(
        "a time that does not exist or has no zone is refused",
        arguments: [
            "", "yesterday", "2026-11", "2026-11-31", "2026-02-29", "2100-02-29", "2026-00-01", "2026-13-01",
            "2026-01-00", "0000-01-01", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T10:60:00Z", "2026-11-21T10:00:60Z", "2026-11-21T10:00Z", "2026-11-21T10:00:00+01:00",
            "2026-11-21T10:00:00.Z", " 2026-11-21", "2026-11-21Z", "\u{662}026-11-21",
        ])
    func bad(text: String) {
        #expect(Timestamp(written: text) == nil)
    }
}
