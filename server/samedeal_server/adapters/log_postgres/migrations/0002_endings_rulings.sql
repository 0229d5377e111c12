-- The races that have ended, in the order in which they became visible, and what was ruled about them.
-- A number must not appear after a greater one was read: whoever draws one holds a lock until it is
-- visible. Nobody who holds it waits for anything else, so it is taken last.

-- `summary` is what was made of the race's log, to be made again from it when lost.
create table samedeal.endings (
    number bigint generated always as identity primary key,
    race text collate "C" not null unique,
    summary bytea
);

insert into samedeal.endings (race)
select race from samedeal.races where is_over order by opened_at, race;

create table samedeal.rulings (
    number bigint generated always as identity primary key,
    at bigint not null,
    race text collate "C" not null,
    is_annulled boolean not null,
    reason text not null,
    differences bytea not null
);

-- 0x53444C32 is the number of that lock.
create function samedeal.numbering() returns void
language sql
as $$ select pg_advisory_xact_lock(1396984882) $$;

create function samedeal.rule(
    its_at bigint, its_race text, annuls boolean, its_reason text, its_differences bytea
) returns void
language plpgsql
as $$
begin
    perform samedeal.numbering();
    insert into samedeal.rulings (at, race, is_annulled, reason, differences)
    values (its_at, its_race, annuls, its_reason, its_differences);
end $$;

-- As before, and what has ended is numbered.
create or replace function samedeal.append(
    by_node text, by_incarnation text,
    races text[], seqs bigint[], epochs bigint[], lines bytea[], ended text[]
) returns void
language plpgsql
as $$
declare
    given record;
    refused text[] := '{}';
    ending text[] := '{}';
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
        with marked as (
            update samedeal.races as r set is_over = true
            where r.race = any (ended) and not r.is_over
                and r.owner = by_node and r.incarnation = by_incarnation
            returning r.race
        )
        select coalesce(array_agg(race order by race), '{}') into ending from marked;
        refused := refused || array(
            select r.race from samedeal.races as r where r.race = any (ended) and not r.is_over);
    end if;

    if cardinality(refused) > 0 then
        raise exception 'not the next event, or not its owner''s' using
            errcode = 'SD001', detail = array_to_string(refused, e'\n');
    end if;

    insert into samedeal.events (race, seq, line)
    select * from unnest(races, seqs, lines);

    if cardinality(ending) > 0 then
        perform samedeal.numbering();
        insert into samedeal.endings (race) select unnest(ending);
    end if;
end $$;
