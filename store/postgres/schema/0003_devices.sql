-- Version 3 of the schema of a cluster: what nodes measure of their devices, times without any node, profiles.

-- What nodes have measured of the devices behind a fingerprint.
create table device_figures (
  node text not null references nodes,
  hardware text not null,             -- as the node offers it
  name text not null,                 -- such as peak.flops_per_s
  value double precision not null,    -- the best reading
  measured_at timestamptz not null default clock_timestamp(), -- the first reading
  login name not null,
  primary key (node, hardware, name));
create index device_figures_hardware on device_figures (hardware, name);

-- When nodes were heard last. After a silence of all of them it was the database that was away, not they.
create table pulse (
  single boolean primary key default true check (single),
  heard_at timestamptz not null default clock_timestamp(),
  silent_since timestamptz not null default '-infinity',
  grace_until timestamptz not null default '-infinity');
insert into pulse default values;

-- Several nodes beat within this time as long as the database answers.
create function silence() returns interval language sql immutable as $$ select interval '5 seconds' $$;

create function note_pulse() returns void language sql as $$
  update pulse set
    silent_since = case when heard_at < clock_timestamp() - silence() then heard_at else silent_since end,
    grace_until = case when heard_at < clock_timestamp() - silence() then clock_timestamp() + gone_after()
                       else grace_until end,
    heard_at = clock_timestamp()
    where heard_at < clock_timestamp() - interval '500 milliseconds' $$;

-- True until that time. If it came while the database was away, true for a while longer.
create function still_valid(a_until timestamptz) returns boolean language sql stable as $$
  select a_until > clock_timestamp()
    or exists (select 1 from pulse where grace_until > clock_timestamp() and a_until > silent_since) $$;

create or replace function is_live(n nodes) returns boolean language sql stable as $$
  select n.left_at is null and still_valid(n.seen_at + gone_after()) $$;

-- As in version 1, but leases that ran out while the database was away count for a while longer.
create or replace function expire_leases() returns integer language plpgsql as $$
declare r record; found_some integer := 0;
begin
  for r in select id, node from jobs where state = 'claimed' and lease_until <= clock_timestamp()
             and not still_valid(lease_until)
           order by lease_until limit 200 for update skip locked loop
    perform fail_job(r.id, 'node ' || r.node || ' held the job until its lease ran out', r.node, true);
    found_some := found_some + 1;
  end loop;
  delete from jobs where id in (
    select id from jobs where state in ('done', 'dead') and ended_at < clock_timestamp() - kept_after_end()
      limit 200 for update skip locked);
  perform forget_blobs();
  return found_some;
end $$;

-- As in version 1, but a process that comes back keeps its claims and its quarantine.
create or replace function join_cluster(a_deployment text, a_node text, a_instance uuid, a_id uuid, a_role text,
                                        a_version text, a_labels text[], a_memory_mib bigint, a_resources jsonb)
returns bigint language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare n nodes; d text; allowed boolean; e bigint;
begin
  select name into d from deployment;
  if d <> a_deployment then
    raise exception 'this database belongs to deployment ''%'', the node to ''%''', d, a_deployment
      using errcode = 'KV410';
  end if;
  allowed := pg_has_role(session_user, case a_role when 'home' then 'kevolve_home' else 'kevolve_worker' end, 'member');
  if not allowed then
    raise exception 'the login % may not join as %', session_user, a_role using errcode = 'KV401',
      hint = 'grant kevolve_' || a_role || ' to it';
  end if;
  perform pg_advisory_xact_lock(hashtext('kevolve node ' || a_node));
  select * into n from nodes where name = a_node for update;
  if n.name is not null and n.instance <> a_instance and is_live(n) then
    raise exception 'there is a live node ''%'' already, seen % s ago', a_node,
      round(extract(epoch from clock_timestamp() - n.seen_at)::numeric, 1) using errcode = 'KV409',
      hint = 'give each node a name of its own, or wait until the other one is gone';
  end if;
  if n.name is not null and n.login <> session_user then
    raise exception 'node ''%'' belongs to the login %', a_node, n.login using errcode = 'KV401';
  end if;
  -- After that check: this process's own word must not make the one before it live again.
  perform note_pulse();
  insert into nodes (name, instance, epoch, id, role, version, labels, memory_mib, resources, joined_at, seen_at, login)
    values (a_node, a_instance, 1, a_id, a_role, a_version, a_labels, a_memory_mib, a_resources, clock_timestamp(),
            clock_timestamp(), session_user)
    on conflict (name) do update set instance = excluded.instance, epoch = nodes.epoch + 1, id = excluded.id,
      role = excluded.role, version = excluded.version, labels = excluded.labels, memory_mib = excluded.memory_mib,
      resources = excluded.resources, joined_at = excluded.joined_at, seen_at = excluded.seen_at, left_at = null,
      quarantined = case when nodes.instance = excluded.instance then nodes.quarantined end
    returning epoch into e;
  -- What an earlier process of this name held runs elsewhere at once.
  if n.instance is distinct from a_instance then
    update jobs set lease_until = '-infinity' where state = 'claimed' and node = a_node;
  end if;
  perform expire_leases();
  perform pg_notify('kevolve_nodes', a_node);
  return e;
end $$;

-- As in version 1, and it ends a silence.
create or replace function heartbeat(a_node text, a_instance uuid, a_resources jsonb, a_tokens uuid[])
returns table (draining boolean, quarantined text, lost uuid[])
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
declare n nodes; kept uuid[];
begin
  n := own_row(a_node, a_instance);
  perform note_pulse();
  update nodes set seen_at = clock_timestamp(), resources = coalesce(a_resources, resources) where name = a_node;
  with extended as (
    update jobs set lease_until = clock_timestamp() + gone_after()
      where token = any(a_tokens) and state = 'claimed' returning token)
    select coalesce(array_agg(token), '{}') into kept from extended;
  perform expire_leases();
  return query select n.draining, n.quarantined,
    array(select t from unnest(a_tokens) t where t <> all(kept));
end $$;

-- As in version 1, and its claims go to other nodes. A call of a model goes on: it may have been paid for.
create or replace function quarantine_self(a_node text, a_instance uuid, a_reason text) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare r record;
begin
  perform own_row(a_node, a_instance);
  update nodes set quarantined = nullif(a_reason, '') where name = a_node;
  for r in select id from jobs where node = a_node and state = 'claimed' and kind <> 'model' for update loop
    perform fail_job(r.id, 'node ' || a_node || ' is quarantined: ' || a_reason, a_node, false);
  end loop;
  perform pg_notify('kevolve_nodes', a_node);
end $$;

-- As in version 1. A node that is let in again is measured anew, and its earlier readings do not count.
create or replace function drain_node(a_name text, a_drain boolean) returns boolean
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  update nodes set draining = a_drain, quarantined = case when a_drain then quarantined end where name = a_name;
  if not found then
    return false;
  end if;
  if not a_drain then
    delete from device_figures where node = a_name;
  end if;
  perform pg_notify('kevolve_nodes', a_name);
  return true;
end $$;

-- Notes what a node has measured, {"name": value}, and returns what is expected of this fingerprint: the median of the
-- nodes that measured it before and get jobs, or else this node's own best. Nothing is expected of a first reading.
create function note_device_figures(a_node text, a_instance uuid, a_hardware text, a_figures jsonb)
returns table (name text, expected double precision, of_nodes bigint)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
begin
  perform own_row(a_node, a_instance);
  return query
    select m.key, coalesce(o.median, own.value), coalesce(o.many, 0)
    from jsonb_each_text(a_figures) m
    left join device_figures own on own.node = a_node and own.hardware = a_hardware and own.name = m.key
    left join lateral (
      select percentile_cont(0.5) within group (order by d.value) as median, count(*) as many
      from device_figures d join nodes n on n.name = d.node
      where d.hardware = a_hardware and d.name = m.key and d.node <> a_node
        and d.measured_at < coalesce(own.measured_at, clock_timestamp())
        and n.quarantined is null and not n.draining
        and n.seen_at > clock_timestamp() - interval '30 days') o on true
    where coalesce(o.median, own.value) is not null;
  insert into device_figures (node, hardware, name, value, login)
    select a_node, a_hardware, m.key, m.value::double precision, session_user from jsonb_each_text(a_figures) m
    on conflict (node, hardware, name) do update set value = greatest(device_figures.value, excluded.value),
      login = excluded.login;
end $$;

-- The process that owns a campaign: one whose answer was lost comes back as the owner.
alter table campaigns add column instance uuid;
drop function own_campaign(text, uuid, uuid);
-- As in version 2, but with a_events it refuses, and changes nothing, if another process has written since those.
create function own_campaign(a_node text, a_instance uuid, a_campaign uuid, a_events bigint)
returns table (epoch bigint, events bigint)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
declare c campaigns; h nodes;
begin
  perform home_row(a_node, a_instance);
  perform note_pulse();
  insert into campaigns (id, home, epoch, login) values (a_campaign, a_node, 0, session_user) on conflict do nothing;
  select * into c from campaigns where id = a_campaign for update;
  select * into h from nodes where name = c.home;
  if c.home <> a_node and is_live(h) then
    raise exception 'the campaign lives on node ''%'' now', c.home using errcode = 'KV411';
  end if;
  if c.instance is distinct from a_instance and c.events not in (0, a_events) then
    raise exception 'node ''%'' has written records of the campaign meanwhile', c.home using errcode = 'KV411';
  end if;
  return query update campaigns set home = a_node, epoch = campaigns.epoch + 1, taken_at = clock_timestamp(),
      login = session_user, instance = a_instance
    where id = a_campaign returning campaigns.epoch, campaigns.events;
end $$;

-- As in version 2, but it ends a silence: whoever asks first must not take those that were not heard for gone.
create or replace function orphaned_campaigns() returns setof uuid
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform note_pulse();
  return query select c.id from campaigns c join nodes n on n.name = c.home
    where not c.ended and c.events > 0 and not is_live(n) order by c.taken_at;
end $$;

-- Profiles are made where the device is.
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in ('compile', 'judge', 'profile', 'model', 'wait'));

revoke execute on all functions in schema kevolve from public;
grant execute on function note_device_figures(text, uuid, text, jsonb) to kevolve_worker, kevolve_home;
grant execute on function own_campaign(text, uuid, uuid, bigint) to kevolve_home;
