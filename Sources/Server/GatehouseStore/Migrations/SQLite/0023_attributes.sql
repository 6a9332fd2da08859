-- What the operator's services keep of a user: a JSON object without white space, its members sorted by their names. The
-- version counts its changes.
ALTER TABLE users ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
ALTER TABLE users ADD COLUMN attributes_version INTEGER NOT NULL DEFAULT 0;

-- Those of the user who went away, for undoing the merge; NULL if there were none.
ALTER TABLE merges ADD COLUMN attributes TEXT;

-- A trigger, because a program of the version before may delete or merge the user.
CREATE TRIGGER deleted_user_loses_attributes AFTER UPDATE OF status ON users
WHEN NEW.status = 'DELETED' AND NEW.attributes <> '{}'
BEGIN
    UPDATE merges SET attributes = NEW.attributes WHERE user_id = NEW.id AND attributes IS NULL;
    UPDATE users SET attributes = '{}', attributes_version = attributes_version + 1 WHERE id = NEW.id;
END;
