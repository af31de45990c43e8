-- Version 5 of the schema of a cluster: a database without room keeps everybody's claims, and skills are shared.

-- The second of the epoch in which a result last found no room. A sequence keeps it although the statement fails.
create sequence no_room_at minvalue 0;

create function lacked_room() returns boolean language sql volatile as $$
  select last_value > extract(epoch from clock_timestamp() - gone_after()) from no_room_at $$;

-- Raises disk_full unless the job could take a result now. It writes one, and takes it away.
create function demand_room(a_job bigint) returns void language plpgsql as $$
begin
  update jobs set result = decode(repeat(md5(gen_random_uuid()::text), 4096), 'hex') where id = a_job;
  update jobs set result = null where id = a_job;
exception when disk_full then
  perform setval('no_room_at', extract(epoch from clock_timestamp())::bigint);
  raise;
end $$;
alter table jobs alter column result set storage external; -- or the bytes above would shrink

-- As in version 3, but nobody is gone while a node could not say that it lives.
create or replace function is_live(n nodes) returns boolean language sql volatile as $$
  select n.left_at is null and (still_valid(n.seen_at + gone_after()) or lacked_room()) $$;

-- As in version 3, but it raises disk_full, and every node learns of it, where a lease may have run out because its
-- result found no room. Afterwards that result has some time to come.
create or replace function expire_leases() returns integer language plpgsql as $$
declare r record; found_some integer := 0;
begin
  for r in select id, node from jobs where state = 'claimed' and lease_until <= clock_timestamp()
             and not still_valid(lease_until)
           order by lease_until limit 200 for update skip locked loop
    if found_some = 0 then
      perform demand_room(r.id);
      exit when lacked_room();
    end if;
    perform fail_job(r.id, 'node ' || r.node || ' held the job until its lease ran out', r.node, true);
    found_some := found_some + 1;
  end loop;
  delete from jobs where id in (
    select id from jobs where state in ('done', 'dead') and ended_at < clock_timestamp() - kept_after_end()
      limit 200 for update skip locked);
  perform forget_blobs();
  return found_some;
end $$;

-- Skills by the node that shared them first.
create sequence skill_changes;
create table skills (
  id uuid primary key,
  text text not null,                 -- an export of this skill alone; empty: its node has withdrawn it
  node text not null references nodes,
  number bigint not null unique,      -- of its latest change
  login name not null,
  stored_at timestamptz not null default clock_timestamp());

create function share_skill(a_node text, a_instance uuid, a_id uuid, a_text text) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform home_row(a_node, a_instance);
  lock table skills in share row exclusive mode; -- numbers become visible in their order
  insert into skills (id, text, node, number, login)
    values (a_id, a_text, a_node, nextval('skill_changes'), session_user)
    on conflict (id) do update set text = excluded.text, number = excluded.number, login = excluded.login,
      stored_at = clock_timestamp()
      where skills.node = excluded.node and skills.text <> excluded.text;
end $$;

create function skills_of_others(a_node text, a_instance uuid, a_after bigint, most integer)
returns table (id uuid, text text, node text, number bigint)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
begin
  perform home_row(a_node, a_instance);
  return query select s.id, s.text, s.node, s.number from skills s
    where s.number > a_after and s.node <> a_node and s.text <> '' order by s.number limit most;
end $$;

revoke execute on all functions in schema kevolve from public;
grant execute on function share_skill(text, uuid, uuid, text), skills_of_others(text, uuid, bigint, integer)
  to kevolve_home;
