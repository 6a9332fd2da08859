-- As before, but with one comparison: where two are joined by OR, and one of them is with a subquery, PostgreSQL reads all
-- redemptions, which are the logins of a day.
CREATE OR REPLACE FUNCTION gatehouse_close_redemptions_of_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE redemptions SET closed = TRUE WHERE NOT closed AND hash = ANY (ARRAY(
        SELECT NEW.identity_token_hash
        UNION ALL SELECT identity_token_hash FROM auth_accounts WHERE user_id = NEW.user_id));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION gatehouse_close_redemptions_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE redemptions SET closed = TRUE WHERE NOT closed AND hash = ANY (ARRAY(
        SELECT OLD.identity_token_hash
        UNION ALL SELECT identity_token_hash FROM refresh_tokens WHERE user_id = OLD.user_id));
    RETURN NULL;
END $$;
