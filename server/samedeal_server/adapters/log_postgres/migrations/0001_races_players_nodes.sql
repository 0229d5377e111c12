-- Everything of ours is in the schema `samedeal`. Instants are milliseconds of UTC.
-- What has to be one decision under everybody's eyes is one function here, so that it is one round
-- trip as well. A refusal is an error of the class SD; its detail is for the program.

create schema samedeal;

create table samedeal.schema_versions (
    version integer primary key,
    title text not null,
    migrated_at timestamptz not null default now()
);

-- A node as it last was. `alive_at` is its last renewal by the database's clock, null when it has
-- not joined or has left; `beat_at` is the last sign of life by the node's own clock.
create table samedeal.nodes (
    node text collate "C" primary key,
    incarnation text collate "C",
    alive_at bigint,
    lease_until bigint not null default 0,
    has_bus boolean not null default false,
    beat_at bigint
) with (fillfactor = 50);

-- `head` is the hash chain's value after the race's first `last_seq` events, which are all.
-- A race without an owner was given up at `left_at`.
create table samedeal.races (
    race text collate "C" primary key,
    opened_at bigint not null,
    is_listed boolean not null,
    phrase_hash bytea,
    is_over boolean not null default false,
    owner text collate "C",
    incarnation text collate "C",
    epoch bigint not null default 1,
    left_at bigint,
    last_seq bigint not null,
    head bytea not null
) with (fillfactor = 50);  -- every append changes a row here: leave it room on its page

create index unfinished on samedeal.races (opened_at, race) where not is_over;
create index owned on samedeal.races (incarnation);

create table samedeal.events (
    race text collate "C" not null,
    seq bigint not null,
    line bytea not null,
    primary key (race, seq)
);

create table samedeal.players (
    player text collate "C" primary key,
    name text not null,
    folded text collate "C" not null constraint name_is_one_players unique,
    bot boolean not null,
    token_hash bytea not null unique,
    seen_at bigint not null
) with (fillfactor = 80);

create table samedeal.entries (
    number bigint generated always as identity primary key,
    player text collate "C" not null,
    race text collate "C" not null,
    unique (player, race)
);

create index entries_of_player on samedeal.entries (player, number);

create function samedeal.now_ms() returns bigint
language sql stable
as $$ select (extract(epoch from now()) * 1000)::bigint $$;

create function samedeal.chained(head bytea, lines bytea[]) returns bytea
language plpgsql immutable
as $$
declare
    line bytea;
begin
    foreach line in array lines loop
        head := sha256(head || line);
    end loop;
    return head;
end $$;

-- Appends events, all or none. Each race's row says who may append what: its owner of this very
-- epoch, and what follows on its last event. Changing the row makes appends and claims wait for each
-- other. Race by race, because a join may be planned for a smaller table than there is by now.
-- SD001: the detail names the races that refused, one a line.
create function samedeal.append(
    by_node text, by_incarnation text,
    races text[], seqs bigint[], epochs bigint[], lines bytea[], ended text[]
) returns void
language plpgsql
as $$
declare
    given record;
    refused text[] := '{}';
begin
    for given in
        select race, min(seq) as first, max(seq) as last, min(epoch) as epoch,
            array_agg(line) as lines,
            min(seq - place) = max(seq - place) and min(epoch) = max(epoch) as is_sound
        from (
            select *, row_number() over (partition by race order by seq) as place
            from unnest(races, seqs, epochs, lines) as event (race, seq, epoch, line)
        ) as placed
        group by race
    loop
        update samedeal.races as r
        set last_seq = given.last, head = samedeal.chained(r.head, given.lines)
        where r.race = given.race and given.is_sound and r.last_seq = given.first - 1
            and r.owner = by_node and r.incarnation = by_incarnation and r.epoch = given.epoch;
        if not found then
            refused := refused || given.race;
        end if;
    end loop;

    if cardinality(ended) > 0 then
        update samedeal.races as r set is_over = true
        where r.race = any (ended) and not r.is_over
            and r.owner = by_node and r.incarnation = by_incarnation;
        refused := refused || array(
            select r.race from samedeal.races as r where r.race = any (ended) and not r.is_over);
    end if;

    if cardinality(refused) > 0 then
        raise exception 'not the next event, or not its owner''s' using
            errcode = 'SD001', detail = array_to_string(refused, e'\n');
    end if;

    insert into samedeal.events (race, seq, line)
    select * from unnest(races, seqs, lines);
end $$;

-- Makes a name free for a player, as of an instant: an earlier holder who has not been seen for
-- `unseen_ms` and is in no unfinished race is called by the first free one of `aside` from then on,
-- if it is `holder`, called `held`. SD002: the name is in use. SD003: the detail names another
-- holder and its name, to be told what it may be called.
create function samedeal.free_name(
    name_folded text, for_player text, as_of bigint, unseen_ms bigint,
    holder text, held text, aside text[], aside_folded text[]
) returns void
language plpgsql
as $$
declare
    other samedeal.players%rowtype;
begin
    select * into other from samedeal.players
    where folded = name_folded and player <> for_player for update;
    if not found then
        return;
    end if;
    if other.seen_at > as_of - unseen_ms or exists (
        select from samedeal.entries join samedeal.races using (race)
        where player = other.player and not is_over
    ) then
        raise exception 'the name is in use' using errcode = 'SD002';
    end if;
    if (other.player, other.name) = (holder, held) then
        for number in 1 .. cardinality(aside) loop
            if not exists (select from samedeal.players where folded = aside_folded[number]) then
                update samedeal.players set name = aside[number], folded = aside_folded[number]
                where player = other.player;
                return;
            end if;
        end loop;
    end if;
    raise exception 'the name is to be freed' using
        errcode = 'SD003', detail = other.player || e'\n' || other.name;
end $$;

-- Adds a player, once the name is free.
create function samedeal.add_player(
    its_player text, its_name text, its_folded text, is_bot boolean, its_token_hash bytea,
    its_seen_at bigint, unseen_ms bigint,
    holder text, held text, aside text[], aside_folded text[]
) returns void
language plpgsql
as $$
begin
    perform samedeal.free_name(
        its_folded, its_player, its_seen_at, unseen_ms, holder, held, aside, aside_folded);
    insert into samedeal.players (player, name, folded, bot, token_hash, seen_at)
    values (its_player, its_name, its_folded, is_bot, its_token_hash, its_seen_at);
end $$;

-- Renames a player, once the name is free; says whether there is such a player.
create function samedeal.rename(
    its_player text, its_name text, its_folded text, unseen_ms bigint,
    holder text, held text, aside text[], aside_folded text[]
) returns boolean
language plpgsql
as $$
declare
    last_seen bigint;
begin
    select seen_at into last_seen from samedeal.players where player = its_player for update;
    if not found then
        return false;
    end if;
    perform samedeal.free_name(
        its_folded, its_player, last_seen, unseen_ms, holder, held, aside, aside_folded);
    update samedeal.players set name = its_name, folded = its_folded where player = its_player;
    return true;
end $$;

-- Gives a node its place. What an earlier incarnation owned is without an owner from then on, since
-- it last lived.
create function samedeal.take_place(its_node text, its_incarnation text, ttl_ms bigint) returns void
language plpgsql
as $$
declare
    before samedeal.nodes%rowtype;
begin
    insert into samedeal.nodes (node) values (its_node) on conflict do nothing;
    select * into before from samedeal.nodes where node = its_node for update;
    update samedeal.races set owner = null, incarnation = null, left_at = before.alive_at
    where not is_over and owner = its_node and incarnation <> its_incarnation;
    update samedeal.nodes set incarnation = its_incarnation, alive_at = samedeal.now_ms(),
        lease_until = samedeal.now_ms() + ttl_ms, has_bus = false
    where node = its_node;
end $$;

-- Takes the race that is named, or without a name up to `at_most` unfinished ones, which nobody alive
-- owns; the named one also when it is this node's own. Whoever is at a row just now keeps it: only a
-- race that was named is waited for. Ownership is judged after the rows are locked, by a statement of
-- its own, which sees what was committed meanwhile.
create function samedeal.claim(
    by_node text, by_incarnation text, named text, at_most integer
) returns table (claimed text, its_epoch bigint, since bigint)
language plpgsql
as $$
declare
    candidates text[];
begin
    if named is not null then
        select array_agg(race) into candidates from (
            select r.race from samedeal.races as r
            where r.race = named for no key update
        ) as locked;
    else
        select array_agg(race) into candidates from (
            select r.race from samedeal.races as r
            where not r.is_over
                and (r.incarnation is null or r.incarnation <> all (array(
                    select n.incarnation from samedeal.nodes as n
                    where n.lease_until > samedeal.now_ms())))
            order by r.opened_at, r.race limit at_most for no key update skip locked
        ) as locked;
    end if;
    return query
    with free as (
        select r.race, r.opened_at,
            case when r.owner is null then r.left_at else n.alive_at end as lived_at
        from samedeal.races as r
        left join samedeal.nodes as n on n.node = r.owner and n.incarnation = r.incarnation
        where r.race = any (candidates) and case when named is null
            then not r.is_over and (n.node is null or n.lease_until <= samedeal.now_ms())
            else n.node is null or n.lease_until <= samedeal.now_ms()
                or (r.owner = by_node and r.incarnation = by_incarnation) end
    ), taken as (
        update samedeal.races as r
        set owner = by_node, incarnation = by_incarnation, epoch = r.epoch + 1, left_at = null
        from free where r.race = free.race
        returning r.race, r.epoch, free.lived_at, free.opened_at
    )
    select taken.race, taken.epoch, taken.lived_at from taken order by taken.opened_at, taken.race;
end $$;
