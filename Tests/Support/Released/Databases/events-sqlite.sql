BEGIN TRANSACTION;
CREATE TABLE apple_notifications (
    place  INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,
    moment INTEGER NOT NULL
) STRICT;
CREATE TABLE apple_tasks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('exchange', 'revoke')),
    user_id    TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    secret     BLOB NOT NULL, -- an authorization code or a refresh token, encrypted
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;
INSERT INTO "apple_tasks" VALUES(3,'revoke','user_01M8ESQP75RXJ0SHZGPX061B85','com.example.app',X'01E62BB99D2D158A37942C5AB1FA7277BFBDBF2EB20D5098C8638D522B5EC9F6E051C37E4AB1C52743BC1DCAAB3B2629011924ECB0F948EEEF625E7CC8ECAF381DAFCBD6720382066070BACA9A922C10F78ABC032B1D072E5857',0,1795793083647,NULL);
CREATE TABLE audit_events (
    id         INTEGER PRIMARY KEY,
    moment     INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    user_id    TEXT,
    session_id TEXT,
    provider   TEXT,
    address    TEXT,
    user_agent TEXT,
    detail     TEXT,
    count      INTEGER NOT NULL DEFAULT 1
, operator TEXT) STRICT;
INSERT INTO "audit_events" VALUES(1,1795793082531,'login','user','user_01M8ESQP531PEQAV6WDBHQBQ4Q','sess_01M8ESQP53T59Y6SSEB4V8JNC5','DEV','192.0.2.1','Older/1',NULL,1,NULL);
INSERT INTO "audit_events" VALUES(2,1795793082569,'login','user','user_01M8ESQP69QF5CSE1HE6X9EF6Q','sess_01M8ESQP69AB53A74JVH00WHGM','DEV','192.0.2.1','Older/1',NULL,1,NULL);
INSERT INTO "audit_events" VALUES(3,1795793082597,'login','user','user_01M8ESQP75RXJ0SHZGPX061B85','sess_01M8ESQP75ED6R4V60R6KMX5FZ','APPLE',NULL,NULL,NULL,1,NULL);
INSERT INTO "audit_events" VALUES(4,1795793082602,'login','user','user_01M8ESQP7AP17SJAXQTDV5G3HF','sess_01M8ESQP7ASTZ3X4CWFP2BEVQC','APPLE','192.0.2.1','Older/1',NULL,1,NULL);
INSERT INTO "audit_events" VALUES(5,1795793083647,'user_deleted','user','user_01M8ESQP75RXJ0SHZGPX061B85','sess_01M8ESQP75ED6R4V60R6KMX5FZ',NULL,NULL,NULL,NULL,1,NULL);
CREATE TABLE auth_accounts (
    id                  TEXT PRIMARY KEY,
    user_id             TEXT NOT NULL REFERENCES users (id),
    provider            TEXT NOT NULL,
    provider_user_id    TEXT NOT NULL,
    email               TEXT,
    email_hint          TEXT, -- said by a client, proven by nobody
    is_private_email    INTEGER CHECK (is_private_email IN (0, 1)),
    real_user_status    INTEGER,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL, client_id TEXT, refresh_token BLOB, transfer_sub TEXT, mail_forwarded INTEGER CHECK (mail_forwarded IN (0, 1)), notified_at INTEGER, email_verified INTEGER CHECK (email_verified IN (0, 1)), real_user_status_hint INTEGER, identity_token_hash BLOB, union_sub TEXT, former_sub TEXT, transfer_team TEXT, transferred_at INTEGER, transfer_refused TEXT,
    UNIQUE (provider, provider_user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "auth_accounts" VALUES('acct_01M8ESQP531PEQAV6WDBHQBQ4Q_dev','user_01M8ESQP531PEQAV6WDBHQBQ4Q','DEV','ada@example.com','ada@example.com',NULL,NULL,NULL,1795793082531,1795793082531,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "auth_accounts" VALUES('acct_01M8ESQP69QF5CSE1HE6X9EF6Q_dev','user_01M8ESQP69QF5CSE1HE6X9EF6Q','DEV','bea@example.com','bea@example.com',NULL,NULL,NULL,1795793082569,1795793082569,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "auth_accounts" VALUES('acct_01M8ESQP7AP17SJAXQTDV5G3HF_apple','user_01M8ESQP7AP17SJAXQTDV5G3HF','APPLE','001234.65dc5b84632bd71c865ef4254233ea16.0930','22v8cne120@privaterelay.appleid.com',NULL,1,NULL,1795793082602,1795793082602,'com.example.app',X'01E62BB99DC40A9DCC41DFF287DB42425480AAB3514189F875BC06315737858DBB4E7B934B856016D1FFB48EBADAFD10BB71F8D908CB3AE1F28F2FB0C38E4A12344C4933ECB485EC17FCD36E5988ED84658127DEA1340423D9DC',NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE authorization_codes (
    id             INTEGER PRIMARY KEY,
    hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the code
    redirect_uri   TEXT NOT NULL,
    code_challenge TEXT NOT NULL,
    proof          BLOB NOT NULL,        -- the proven identity, encrypted with the code and a secret; empty after the use
    session_id     TEXT,                 -- the session that the first use has opened
    expires_at     INTEGER NOT NULL
) STRICT;
CREATE TABLE authorization_requests (
    id             INTEGER PRIMARY KEY,
    hash           BLOB NOT NULL UNIQUE, -- SHA-256 of the state that the provider sends back
    provider       TEXT NOT NULL,
    browser        BLOB NOT NULL,        -- SHA-256 of the value in the browser's cookie
    nonce          TEXT NOT NULL,
    code_verifier  TEXT NOT NULL,        -- for the provider
    redirect_uri   TEXT NOT NULL,
    code_challenge TEXT NOT NULL,        -- of the app
    app_state      TEXT,
    expires_at     INTEGER NOT NULL
) STRICT;
CREATE TABLE barred_identities (
    hash    BLOB PRIMARY KEY,
    user_id TEXT NOT NULL,
    moment  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE code_sends (
    id       INTEGER PRIMARY KEY,
    moment   INTEGER NOT NULL,
    code     BLOB NOT NULL,          -- the hash of the code's id
    provider TEXT NOT NULL,
    country  TEXT,
    address  BLOB NOT NULL,
    prefix   BLOB,                   -- of a phone number, without its last four digits
    prefix_network BLOB,             -- of the prefix and the network together
    client   BLOB,
    network  BLOB,
    used     INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1))
) STRICT;
INSERT INTO "code_sends" VALUES(1,1795793083615,X'0C3487F436AA19BC324DD566C430E2B48744AC550383690103592A14DDDDCCF6','PHONE','GB',X'9F0E0CA110335CCC2D19CA7CD0FD25ADB73623CB8E3D5F49516F353D6D823F5E',X'BCB61A2FEFF3ECA2EE6045CBCFFF138CB0F1C427A37867E51D044197B4E71B04',X'27AD727F106CEF4E0E274658064604D9CC9F76BBE692EA09B60D986FDE1487B3',X'DB76AA12885CC446E95821F3CFC8CC2A5A14A24C2174D39085D9EA4F287308E0',X'313A1ACFFD6A3E74CA7B56ADE3785F53D5BC56BCE4551FD041C3BBABF9A5C564',0);
CREATE TABLE codes (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of the id that only the asking device has
    provider   TEXT NOT NULL,
    address    TEXT NOT NULL,
    seed       BLOB NOT NULL,        -- with the secret and the id, it gives the code, so that the same code can be sent again
    code_hash  BLOB NOT NULL,        -- an HMAC of the code
    tries      INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO "codes" VALUES(1,X'0C3487F436AA19BC324DD566C430E2B48744AC550383690103592A14DDDDCCF6','PHONE','+447400123456',X'AD3923FB15F9C3AE33B44468A0DC9BA454AAF6386631726FA6BEDEEE73C96488',X'FA94E7FED2B84E9B100DD226A6E25E3BEDFC34AA331EF023D4D406ABD281CF51',0,1795793683615);
CREATE TABLE documents (
    name       TEXT PRIMARY KEY,
    content    BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "documents" VALUES('apple_keys FC1kK1mwrDSeREFPCz2vbuJx5Hm8KiUbW7JeMY4YLos',X'7B226B657973223A5B7B226B7479223A22525341222C226E223A22764D594963484A426D6874494475495F5454654652437932733869443779436633394933627A4F5965737359324E756F4A32777377554E5A79357174476F454B7034594136465734786771507A685A35575542773078506D4466644A58567664555266475F547364386A7951324F444F59796C6E4A706B5F44654562444D5F46756E314D44435533526B684E3847674F63434C4D4F304836547737754178444A4731486A34364577354C52687A7454454D42496F726D5F794643523778704B53484F517766466A4444736F345154696E6233447655422D39315F4C553647633737446D666B4D76385F795A44596B576544477A376364705F5F5677614D6D4A6D5241746232485272496E5F777954344A75586F72486C344E42485A795F4E70794A7249354C654C4B38702D3378634D4C764E397058346D6B48486D42664739385142505A6B5F79754559784963707039785276774C77222C2265223A2241514142222C22616C67223A225253323536222C22757365223A22736967222C226B6964223A22494C4467576464785238227D2C7B226B7479223A22525341222C226E223A22747539415178686A4E394F4B314471776A4E77794B636A3964456F465763567539724E4E6F594E376672386E7072646844595367325872414139754D33793939323264525F70524632796D5F69334C6B316A3174445F694B735079696635775475706E41546C414C6E676E464E4348526F334836786E41496F556F397943457176746955677A6E4E32704451462D697747467A586E58414A692D33725F74736F77676438744D634E5269477875457838515048337171666643334A47466D65764332595A6244683551736635376B35736C41466A76425F514948395370583176644C2D546279565A4D3179484F7758764A716176356432763255464D41454E7A544D62337575635A5474514F336B5A7662466E355251455462686979454F412D4A527A592D45387575724D6E336D44355876494A50377955444B6C317A7162423269494776706848625679676F64376E784C47745177222C2265223A2241514142222C22616C67223A225253323536222C22757365223A22736967222C226B6964223A2232397930304237534E43227D5D7D',1795793082483);
INSERT INTO "documents" VALUES('identity_hash_keys',X'41546379416C766970534A5A4B7A3269534C385164627975395F3249306532565454616E7A46664F6147356D6E5779496A454E326C76343741697247356F553261534B73426348366A51565030432D784B517A37507076646B745A4462594532583779325841',1795793082447);
INSERT INTO "documents" VALUES('last_known_time',X'38303132323030302065363866373639642D666564642D346636622D626337612D666231343964616236623137',1795793082431);
CREATE TABLE event_receivers (
    name       TEXT PRIMARY KEY,
    types      TEXT NOT NULL,    -- with a space before and after each; * for all
    seen_at    INTEGER NOT NULL, -- when a server last had it in its settings
    stopped_at INTEGER,          -- since when it wants no more events
    resumed_at INTEGER, -- when an operator last had events sent at once
    holder     TEXT,             -- the node that sends to it,
    held_until INTEGER           -- and for how long
) STRICT;
INSERT INTO "event_receivers" VALUES('default','*',1795793082462,NULL,NULL,NULL,NULL);
CREATE TABLE events (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    receiver   TEXT NOT NULL,
    id         TEXT NOT NULL,    -- the same for all receivers
    type       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    session_id TEXT,
    detail     TEXT,             -- the provider, the changed members, the user who was joined, or the reason
    moment     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER, -- when it is sent again; NULL for at once
    expires_at INTEGER, -- when it is given up; NULL before the first failure
    dead_at    INTEGER,          -- when it was given up
    fault      TEXT              -- why the last attempt failed
) STRICT;
INSERT INTO "events" VALUES(1,'default','evt_01M8ESQP53HTS6JRTPEEV95G6Q','user.created','user_01M8ESQP531PEQAV6WDBHQBQ4Q',NULL,'DEV',1795793082531,1,1795793085054,1796052283484,NULL,'Couldn''t connect to server (curl 7)');
INSERT INTO "events" VALUES(2,'default','evt_01M8ESQP69C4FPG8TT5T7H1KDN','user.created','user_01M8ESQP69QF5CSE1HE6X9EF6Q',NULL,'DEV',1795793082569,0,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(3,'default','evt_01M8ESQP75EJSWV4JKD17HN58M','user.created','user_01M8ESQP75RXJ0SHZGPX061B85',NULL,'APPLE',1795793082597,0,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,'default','evt_01M8ESQP7A2G3EB02B78HKRRP4','user.created','user_01M8ESQP7AP17SJAXQTDV5G3HF',NULL,'APPLE',1795793082602,0,NULL,NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,'default','evt_01M8ESQQ7ZHW4HTX9M53V07YEZ','user.deleted','user_01M8ESQP75RXJ0SHZGPX061B85',NULL,NULL,1795793083647,0,NULL,NULL,NULL,NULL);
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    provider   TEXT NOT NULL,    -- the channel: EMAIL or PHONE
    address    TEXT NOT NULL,    -- empty once it was sent
    moment     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER,          -- when it is sent; NULL once it was
    expires_at INTEGER NOT NULL  -- when the row is deleted
) STRICT;
CREATE TABLE redemptions (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE, -- SHA-256 of a token, or of a nonce
    token_hash BLOB NOT NULL,        -- of the token that it was used with
    moment     INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
, closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))) STRICT;
INSERT INTO "redemptions" VALUES(1,X'3D20057B5ACDDF6198363B7E720B93F102C69E7EF56C4FF048D96120D8372CE7',X'3D20057B5ACDDF6198363B7E720B93F102C69E7EF56C4FF048D96120D8372CE7',1795793082597,1795879482000,1);
INSERT INTO "redemptions" VALUES(2,X'9061DADDFE07B40E28C91546BB4B6856215517D9BFB9052CD3670E74FCD086AD',X'9061DADDFE07B40E28C91546BB4B6856215517D9BFB9052CD3670E74FCD086AD',1795793082602,1795879482000,0);
CREATE TABLE refresh_tokens (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users (id),
    provider       TEXT NOT NULL,
    client_id      TEXT NOT NULL,
    token_hash     BLOB NOT NULL,
    token_random   BLOB NOT NULL,
    previous_hash  BLOB,
    generation     INTEGER NOT NULL,
    rotated_at     INTEGER NOT NULL, -- when the current token was issued
    expires_at     INTEGER NOT NULL,
    revoked_at     INTEGER,
    revoke_reason  TEXT,
    user_agent     TEXT,
    address        TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
, last_user_agent TEXT, last_address TEXT, identity_token_hash BLOB, confirmed_at INTEGER, repeats INTEGER NOT NULL DEFAULT 0, repeat_user_agent TEXT, repeat_address TEXT, token_seed BLOB, burst_generation INTEGER, burst_at INTEGER, repeats_elsewhere INTEGER NOT NULL DEFAULT 0, jkt TEXT, used_proofs BLOB) STRICT, WITHOUT ROWID;
INSERT INTO "refresh_tokens" VALUES('sess_01M8ESQP53T59Y6SSEB4V8JNC5','user_01M8ESQP531PEQAV6WDBHQBQ4Q','DEV','com.example.app',X'26D5F9486F53BC9650D2225A91D834D8B4E0CF9DC5608B2244EE5C1F8DC879C7',X'FB73D8A26835F2661A8259B8C7E7AD4A',X'9BFE7F9864442A7D1C2C13D68738B7AE0E4B611920E7ACACFF180ECAA433B5B1',3,1795793082559,2111153082000,NULL,NULL,'Older/1','192.0.2.1',1795793082531,1795793082559,'Older/1','192.0.2.1',NULL,NULL,0,NULL,NULL,X'5F963291DC85EDE15AC24F5EB694E191',1,1795793082553,0,NULL,NULL);
INSERT INTO "refresh_tokens" VALUES('sess_01M8ESQP69AB53A74JVH00WHGM','user_01M8ESQP69QF5CSE1HE6X9EF6Q','DEV','com.example.app',X'30DF923C931400763B43790F192B1B25802CAC0E43153AF99D449A3C1B3A0633',X'F2600838180274C47510819EEA6DCFB9',X'FBD42DEEFDA2349E286F9FA9C39631DFE3E57D20673F03682ED7F259FC13FF3F',2,1795793082591,2111153082000,NULL,NULL,'Older/1','192.0.2.1',1795793082569,1795793082591,'Older/1','192.0.2.1',NULL,NULL,0,NULL,NULL,X'33A5E4AEFECA4EA034E844743361B615',1,1795793082591,0,NULL,NULL);
INSERT INTO "refresh_tokens" VALUES('sess_01M8ESQP7ASTZ3X4CWFP2BEVQC','user_01M8ESQP7AP17SJAXQTDV5G3HF','APPLE','com.example.app',X'264645EAFA45CAD30242BE4A6FE603F3B860026AF7B4206F1939D7776CD06FDF',X'A5C938D97B1277FA73D741010CCF37C3',NULL,1,1795793082602,2111153082000,NULL,NULL,'Older/1','192.0.2.1',1795793082602,1795793082602,NULL,NULL,X'9061DADDFE07B40E28C91546BB4B6856215517D9BFB9052CD3670E74FCD086AD',NULL,0,NULL,NULL,X'3F8E6C0CD2C86BE82336155D672C0E77',NULL,NULL,0,NULL,NULL);
CREATE TABLE revocations (
    place      INTEGER PRIMARY KEY AUTOINCREMENT,
    moment     INTEGER NOT NULL,
    session_id TEXT,
    user_id    TEXT, -- whose role or status has changed
    CHECK ((session_id IS NULL) <> (user_id IS NULL))
) STRICT;
INSERT INTO "revocations" VALUES(1,1795793083000,NULL,'user_01M8ESQP75RXJ0SHZGPX061B85');
INSERT INTO "revocations" VALUES(2,1795793083000,'sess_01M8ESQP75ED6R4V60R6KMX5FZ',NULL);
CREATE TABLE users (
    id                   TEXT PRIMARY KEY,
    email                TEXT,
    nickname             TEXT,
    avatar_url           TEXT,
    role                 TEXT NOT NULL DEFAULT 'USER' CHECK (role = 'USER' OR role = 'ADMIN' OR role = 'SUPER_ADMIN'),
    status               TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status = 'ACTIVE' OR status = 'DISABLED' OR status = 'DELETED'),
    onboarding_completed INTEGER NOT NULL DEFAULT 0 CHECK (onboarding_completed IN (0, 1)),
    last_login_at        INTEGER,
    last_login_provider  TEXT,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
, email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)), phone TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "users" VALUES('user_01M8ESQP531PEQAV6WDBHQBQ4Q','ada@example.com',NULL,NULL,'USER','ACTIVE',0,1795793082531,'DEV',1795793082531,1795793082531,0,NULL);
INSERT INTO "users" VALUES('user_01M8ESQP69QF5CSE1HE6X9EF6Q','bea@example.com',NULL,NULL,'USER','ACTIVE',0,1795793082569,'DEV',1795793082569,1795793082569,0,NULL);
INSERT INTO "users" VALUES('user_01M8ESQP75RXJ0SHZGPX061B85',NULL,NULL,NULL,'USER','DELETED',0,NULL,NULL,1795793082597,1795793083647,0,NULL);
INSERT INTO "users" VALUES('user_01M8ESQP7AP17SJAXQTDV5G3HF','22v8cne120@privaterelay.appleid.com',NULL,NULL,'USER','ACTIVE',0,1795793082602,'APPLE',1795793082602,1795793082602,1,NULL);
CREATE INDEX auth_accounts_by_user ON auth_accounts (user_id);
CREATE INDEX refresh_tokens_by_user ON refresh_tokens (user_id);
CREATE TRIGGER session_revoked AFTER UPDATE OF revoked_at ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
BEGIN
    INSERT INTO revocations (moment, session_id) VALUES (unixepoch() * 1000, NEW.id);
END;
CREATE TRIGGER session_removed AFTER DELETE ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND OLD.expires_at > unixepoch() * 1000
BEGIN
    INSERT INTO revocations (moment, session_id) VALUES (unixepoch() * 1000, OLD.id);
END;
CREATE TRIGGER user_standing_changed AFTER UPDATE OF role, status ON users
WHEN OLD.role <> NEW.role OR OLD.status <> NEW.status
BEGIN
    INSERT INTO revocations (moment, user_id) VALUES (unixepoch() * 1000, NEW.id);
END;
CREATE TRIGGER user_removed AFTER DELETE ON users
BEGIN
    INSERT INTO revocations (moment, user_id) VALUES (unixepoch() * 1000, OLD.id);
END;
CREATE INDEX audit_events_by_user ON audit_events (user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX auth_accounts_by_transfer_sub ON auth_accounts (transfer_sub) WHERE transfer_sub IS NOT NULL;
CREATE INDEX apple_tasks_by_due ON apple_tasks (due_at);
CREATE TRIGGER revoked_session_closes_redemptions AFTER UPDATE OF revoked_at ON refresh_tokens
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND NEW.revoke_reason IS NOT 'session_limit'
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = NEW.identity_token_hash
        OR hash IN (SELECT identity_token_hash FROM auth_accounts WHERE user_id = NEW.user_id);
END;
CREATE TRIGGER removed_session_closes_redemption AFTER DELETE ON refresh_tokens
WHEN OLD.identity_token_hash IS NOT NULL
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = OLD.identity_token_hash;
END;
CREATE TRIGGER removed_account_closes_redemptions AFTER DELETE ON auth_accounts
BEGIN
    UPDATE redemptions SET closed = 1 WHERE hash = OLD.identity_token_hash
        OR hash IN (SELECT identity_token_hash FROM refresh_tokens WHERE user_id = OLD.user_id);
END;
CREATE UNIQUE INDEX auth_accounts_by_union_sub ON auth_accounts (provider, union_sub) WHERE union_sub IS NOT NULL;
CREATE TRIGGER phone_linked AFTER INSERT ON auth_accounts WHEN NEW.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NEW.provider_user_id WHERE id = NEW.user_id;
END;
CREATE TRIGGER phone_unlinked AFTER DELETE ON auth_accounts WHEN OLD.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NULL WHERE id = OLD.user_id;
END;
CREATE TRIGGER phone_moved AFTER UPDATE OF user_id, provider_user_id ON auth_accounts WHEN NEW.provider = 'PHONE'
BEGIN
    UPDATE users SET phone = NULL WHERE id = OLD.user_id;
    UPDATE users SET phone = NEW.provider_user_id WHERE id = NEW.user_id;
END;
CREATE INDEX code_sends_by_code ON code_sends (code);
CREATE INDEX code_sends_by_provider ON code_sends (provider, moment);
CREATE INDEX code_sends_by_country ON code_sends (country, moment) WHERE country IS NOT NULL;
CREATE INDEX code_sends_by_address ON code_sends (address, moment);
CREATE INDEX code_sends_by_prefix ON code_sends (prefix, moment) WHERE prefix IS NOT NULL;
CREATE INDEX code_sends_by_prefix_network ON code_sends (prefix_network, moment) WHERE prefix_network IS NOT NULL;
CREATE INDEX code_sends_by_client ON code_sends (client, moment) WHERE client IS NOT NULL;
CREATE INDEX code_sends_by_network ON code_sends (network, moment) WHERE network IS NOT NULL;
CREATE INDEX events_waiting ON events (receiver, number) WHERE dead_at IS NULL;
CREATE INDEX events_waiting_by_user ON events (receiver, user_id, number) WHERE dead_at IS NULL;
CREATE INDEX events_dead ON events (receiver, number) WHERE dead_at IS NOT NULL;
CREATE INDEX auth_accounts_by_former_sub ON auth_accounts (provider, former_sub) WHERE former_sub IS NOT NULL;
CREATE INDEX users_by_email ON users (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX auth_accounts_by_email ON auth_accounts (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX users_by_role ON users (role, id) WHERE role <> 'USER';
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'ACTIVE';
CREATE INDEX notices_by_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_by_user ON notices (user_id, moment);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('revocations',2);
INSERT INTO "sqlite_sequence" VALUES('events',5);
INSERT INTO "sqlite_sequence" VALUES('apple_tasks',3);
COMMIT;
PRAGMA user_version = 17;
