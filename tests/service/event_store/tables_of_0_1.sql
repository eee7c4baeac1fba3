-- What `arbiter migrate` of an older release has made on PostgreSQL, word for word but for line
-- breaks and for the lists, which carry the number of their format. Never to be changed: where a
-- release makes something else, that is recorded in another file beside this one.
CREATE TABLE IF NOT EXISTS "public"."arbiter_events" (
    originator_id "uuid" NOT NULL, originator_version bigint NOT NULL, topic text, state bytea,
    notification_id bigserial, PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true, autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5, autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
);
CREATE TYPE "public"."stored_event_uuid" AS (
    originator_id "uuid", originator_version bigint, topic text, state bytea
);
CREATE UNIQUE INDEX IF NOT EXISTS "arbiter_events_notification_id_idx"
    ON "public"."arbiter_events" (notification_id ASC);
CREATE OR REPLACE FUNCTION "public"."arbiter_events_append_1"(
    streams uuid[], versions bigint[], topics text[], states bytea[],
    unchanged uuid[], lengths bigint[]
) RETURNS bigint[] LANGUAGE plpgsql AS $BODY$
DECLARE
    positions bigint[];
BEGIN
    LOCK TABLE "public"."arbiter_events" IN EXCLUSIVE MODE;
    IF EXISTS (
        SELECT FROM unnest("unchanged", "lengths") AS read (stream, length)
        WHERE length < (
            SELECT max(originator_version) FROM "public"."arbiter_events"
            WHERE originator_id = read.stream
        )
    ) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'integrity_constraint_violation',
            MESSAGE = 'a stream has grown behind the length it was read to';
    END IF;
    NOTIFY "arbiter_events";
    WITH inserted AS (
        INSERT INTO "public"."arbiter_events" (originator_id, originator_version, topic, state)
        SELECT * FROM unnest(streams, versions, topics, states)
        RETURNING notification_id
    )
    SELECT array_agg(notification_id) INTO positions FROM inserted;
    RETURN positions;
END
$BODY$;
CREATE TABLE IF NOT EXISTS "public"."arbiter_secrets" (
    originator_id "uuid" NOT NULL, originator_version bigint NOT NULL, topic text, state bytea,
    PRIMARY KEY (originator_id, originator_version)
);
CREATE TABLE IF NOT EXISTS "public"."arbiter_keys" (
    originator_id "uuid" NOT NULL, originator_version bigint NOT NULL, topic text, state bytea,
    PRIMARY KEY (originator_id, originator_version)
);
CREATE TABLE IF NOT EXISTS arbiter_index (format INTEGER PRIMARY KEY, position BIGINT);
INSERT INTO arbiter_index VALUES (2, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS arbiter_snapshots (
    match TEXT COLLATE "C" NOT NULL, part TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL,
    shape BYTEA NOT NULL, digest BYTEA NOT NULL, content BYTEA NOT NULL, PRIMARY KEY (match, part)
);
