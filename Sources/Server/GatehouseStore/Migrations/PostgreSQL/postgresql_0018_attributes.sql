-- What the operator's services keep of a user: a JSON object without white space, its members sorted by their names. The
-- version counts its changes.
ALTER TABLE users ADD COLUMN attributes TEXT COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE users ADD COLUMN attributes_version BIGINT NOT NULL DEFAULT 0;

-- Those of the user who went away, for undoing the merge; NULL if there were none.
ALTER TABLE merges ADD COLUMN attributes TEXT COLLATE "C";

-- A trigger, because a program of the version before may delete or merge the user.
CREATE FUNCTION gatehouse_clear_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merges SET attributes = OLD.attributes WHERE user_id = NEW.id AND attributes IS NULL;
    NEW.attributes := '{}';
    NEW.attributes_version := OLD.attributes_version + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER deleted_user_loses_attributes BEFORE UPDATE OF status ON users FOR EACH ROW
WHEN (NEW.status = 'DELETED' AND OLD.attributes <> '{}') EXECUTE FUNCTION gatehouse_clear_attributes();
