import SQL

/// The parameters of a statement as libpq reads them, in memory that is reused for each execution. libpq copies them.
@safe
struct ParameterBuffer: ~Copyable {
    private(set) var count = 0
    private var capacity = 0
    private(set) var pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private(set) var lengths: UnsafeMutablePointer<Int32>
    /// 0 for text, 1 for binary.
    private(set) var formats: UnsafeMutablePointer<Int32>

    private var memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        unsafe pointers = .allocate(capacity: 0)
        unsafe lengths = .allocate(capacity: 0)
        unsafe formats = .allocate(capacity: 0)
        unsafe memory = .allocate(byteCount: 0, alignment: 1)
    }

    deinit {
        unsafe pointers.deallocate()
        unsafe lengths.deallocate()
        unsafe formats.deallocate()
        unsafe memory.deallocate()
    }

    mutating func fill(_ values: [Value]) throws(PostgreSQLError) {
        reserve(values.count, bytes: values.reduce(0) { $0 + $1.room })
        for value in values { try add(value) }
    }

    mutating func fill(_ parameters: [Parameter]) throws(PostgreSQLError) {
        reserve(parameters.count, bytes: parameters.reduce(0) { $0 + $1.room })
        for parameter in parameters {
            switch parameter {
            case .texts(let texts): try addArray(texts, of: ArrayHeader.text, write: Self.writeText)
            case .blobs(let blobs): try addArray(blobs, of: ArrayHeader.bytea, write: Self.writeBlob)
            case .integers(let numbers): try addArray(numbers, of: ArrayHeader.int8, write: Self.writeInteger)
            }
        }
    }

    private mutating func reserve(_ parameters: Int, bytes: Int) {
        (count, used) = (0, 0)
        if parameters > capacity {
            unsafe pointers.deallocate()
            unsafe lengths.deallocate()
            unsafe formats.deallocate()
            capacity = parameters * 2
            unsafe pointers = .allocate(capacity: capacity)
            unsafe lengths = .allocate(capacity: capacity)
            unsafe formats = .allocate(capacity: capacity)
        }
        guard unsafe bytes > memory.count else { return }
        unsafe memory.deallocate()
        unsafe memory = .allocate(byteCount: bytes * 2, alignment: 1)
    }

    private mutating func add(_ value: Value) throws(PostgreSQLError) {
        let start = used
        switch value {
        case .null:
            finish(nil, binary: false)
        case .integer(let number):
            writeDigits(number)
            writeByte(0)
            finish(start, binary: false)
        case .text(let text):
            try Self.writeText(text, &self)
            writeByte(0)
            finish(start, binary: false)
        case .blob(let bytes):
            write(bytes)
            finish(start, binary: true)
        }
    }

    /// Ends the parameter that began at `start`; nil for NULL.
    private mutating func finish(_ start: Int?, binary: Bool) {
        unsafe pointers[count] =
            start.map { unsafe UnsafeRawPointer(memory.baseAddress! + $0).assumingMemoryBound(to: CChar.self) }
        unsafe lengths[count] = Int32(used - (start ?? used))
        unsafe formats[count] = binary ? 1 : 0
        count += 1
    }
}

// MARK: - Bytes

extension ParameterBuffer {
    private mutating func write(_ bytes: some Collection<UInt8>) {
        let count = bytes.count
        precondition(unsafe used + count <= memory.count, "reserve must count the bytes of all values")
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + count]).copyBytes(from: bytes)
        used += count
    }

    private mutating func writeByte(_ byte: UInt8) {
        unsafe memory[used] = byte
        used += 1
    }

    private mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        unsafe memory.storeBytes(of: number.bigEndian, toByteOffset: used, as: Number.self)
        used += MemoryLayout<Number>.size
    }

    private mutating func writeDigits(_ number: Int64) {
        if number < 0 { writeByte(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = used
        repeat {
            writeByte(48 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        unsafe memory[start..<used].reverse()
    }

    private static func writeText(_ text: String, _ buffer: inout ParameterBuffer) throws(PostgreSQLError) {
        let start = buffer.used
        buffer.write(text.utf8)
        guard unsafe !buffer.memory[start..<buffer.used].contains(0) else { throw .zeroByte }
    }

    private static func writeBlob(_ bytes: [UInt8], _ buffer: inout ParameterBuffer) { buffer.write(bytes) }

    private static func writeInteger(_ number: Int64, _ buffer: inout ParameterBuffer) { buffer.write(number) }

    /// Writes dimensions, whether there are NULLs, the type, the number of elements, the first index, and each element
    /// after its length. An empty array has no dimension.
    private mutating func addArray<Element>(
        _ elements: [Element?], of type: Int32,
        write: (Element, inout ParameterBuffer) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        let start = used
        self.write(Int32(elements.isEmpty ? 0 : 1))
        self.write(Int32(1))
        self.write(type)
        if !elements.isEmpty {
            self.write(Int32(elements.count))
            self.write(Int32(1))
        }
        for element in elements {
            let place = used
            self.write(Int32(-1))
            guard let element else { continue }
            try write(element, &self)
            unsafe memory.storeBytes(of: Int32(used - place - 4).bigEndian, toByteOffset: place, as: Int32.self)
        }
        finish(start, binary: true)
    }
}

extension Value {
    /// An upper bound of the bytes that the value needs.
    fileprivate var room: Int {
        switch self {
        case .null: 0
        case .integer: 21
        case .text(let text): text.utf8.count + 1
        // An empty blob has an address too: libpq would send a null pointer as NULL.
        case .blob(let bytes): bytes.count + 1
        }
    }
}

/// Many values in one array, which the statement casts: `?1::text[]`.
package enum Parameter: Sendable {
    case texts([String?])
    case integers([Int64?])
    case blobs([[UInt8]?])
}

extension Parameter {
    /// An upper bound of the bytes that the array needs in a `ParameterBuffer`.
    var room: Int {
        switch self {
        case .texts(let texts): texts.reduce(ArrayHeader.size) { $0 + 4 + ($1?.utf8.count ?? 0) }
        case .blobs(let blobs): blobs.reduce(ArrayHeader.size) { $0 + 4 + ($1?.count ?? 0) }
        case .integers(let numbers): ArrayHeader.size + numbers.count * 12
        }
    }
}

/// What precedes the elements of an array in binary format.
enum ArrayHeader {
    static let size = 20

    /// Object identifiers of the types, which are fixed in PostgreSQL's catalog.
    static let bytea: Int32 = 17
    static let int8: Int32 = 20
    static let text: Int32 = 25
}
