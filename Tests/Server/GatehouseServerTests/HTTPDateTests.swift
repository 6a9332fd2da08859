import Gatehouse
import Testing

@testable import GatehouseServer

@Suite("The Date header of a server")
struct HTTPDateTests {
    @Test(
        "is read in the form of RFC 9110, and in no other",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Sat, 21 Nov 2026 20:18:46 GMT", 1_795_292_326), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun, 06 Xxx 1994 08:49:37 GMT", nil),
            ("Mon, 30 Feb 2026 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        #expect(Timestamp(httpDate: text)?.seconds == seconds)
    }

    @Test(
        "is that of the origin, to which a cache adds the age of the answer",
        arguments: [
            (nil, 0), ("0", 0), ("90", 90), ("-5", 0), ("x", 0), ("9223372036854775807", 2_147_483_647),
            ("99999999999999999999", 0),
        ] as [(String?, Int64)])
    func ages(age: String?, seconds: Int64) {
        #expect(Timestamp(httpDate: "Thu, 01 Jan 1970 00:00:00 GMT", age: age)?.seconds == seconds)
        #expect(Timestamp(httpDate: "", age: age) == nil)
    }
}
