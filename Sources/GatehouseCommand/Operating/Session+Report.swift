import Gatehouse
import JSON

extension Session {
    static let columns = [
        "ID", "PROVIDER", "CREATED", "LAST USED", "EXPIRES", "ADDRESS", "DEVICE", "LAST ADDRESS", "LAST DEVICE",
    ]

    /// What stands in `columns`.
    var row: [String?] {
        [
            id.text, provider.rawValue, createdAt.description, token.issuedAt.description,
            token.expiresAt.description, device.address, device.userAgent, lastDevice.address, lastDevice.userAgent,
        ]
    }

    var json: JSONValue {
        [
            "id": .string(id.text), "userId": .string(userID.text), "provider": .string(provider.rawValue),
            "clientId": .string(clientID), "device": JSONValue(device.userAgent),
            "address": JSONValue(device.address),
            "lastDevice": JSONValue(lastDevice.userAgent), "lastAddress": JSONValue(lastDevice.address),
            "createdAt": .string(createdAt.description),
            "lastUsedAt": .string(token.issuedAt.description), "expiresAt": .string(token.expiresAt.description),
        ]
    }
}
