import JSON
import Testing

@Suite("Values and objects")
struct ValueTests {
    @Test("an accessor returns nil for other types")
    func accessors() {
        let values: [JSONValue] = [nil, true, 7, 7.5, "x", [1], ["a": 1]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map(\.integer) == [nil, nil, 7, nil, nil, nil, nil])
        #expect(values.map(\.number) == [nil, nil, 7, 7.5, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, "x", nil, nil])
        #expect(values.map(\.array) == [nil, nil, nil, nil, nil, [1], nil])
        #expect(values.map(\.object) == [nil, nil, nil, nil, nil, nil, ["a": 1]])
    }

    @Test("an integer can be written as any number without a fraction, and is not rounded")
    func wholeNumbers() {
        #expect(JSONValue.number(1_700_000_000).integer == 1_700_000_000)
        #expect(JSONValue.number(0.5).integer == nil)
        #expect(JSONValue.number(9.3e18).integer == nil)
    }

    @Test("equal values have one sorted text")
    func sorted() {
        let one: JSONObject = ["b": [["d": 1, "c": 2]], "a": ["z": nil, "B": 1.5]]
        #expect(one.sorted.description == #"{"a":{"B":1.5,"z":null},"b":[{"c":2,"d":1}]}"#)
    }

    @Test("members keep their order when they are changed")
    func order() {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        object["a"] = 4
        object["d"] = 5
        object["b"] = nil
        #expect(object.names == ["a", "c", "d"])
        #expect(object.description == #"{"a":4,"c":3,"d":5}"#)
        #expect(object["b"] == nil)
    }

    @Test("a null member is not a missing member")
    func nullIsPresent() {
        let object: JSONObject = ["a": nil]
        #expect(object["a"] == .some(.null))
        #expect(object["b"] == nil)
    }

    @Test("objects are equal regardless of the order of their members")
    func equality() {
        #expect(JSONObject([("a", 1), ("b", 2)]) == JSONObject([("b", 2), ("a", 1)]))
        #expect(JSONObject([("a", 1)]) != JSONObject([("a", 2)]))
        #expect(JSONObject([("a", 1)]) != JSONObject([("a", 1), ("b", 2)]))
    }

    @Test("the later of two members with the same name counts")
    func laterWins() {
        #expect(JSONObject([("a", 1), ("a", 2)]) == ["a": 2])
    }

    @Test("the description of an error contains no part of the text")
    func errorsHoldNoText() {
        #expect(JSONError.duplicateMember("hunter2").description == "an object has two members with the same name")
        #expect(JSONError.syntax(offset: 7).description == "not valid JSON at byte 7")
    }
}
