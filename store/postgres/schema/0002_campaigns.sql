-- Version 2 of the schema of a cluster: campaigns that survive their node, and results that all nodes share.

create table campaigns (
  id uuid primary key,
  home text not null references nodes,
  epoch bigint not null,              -- rises with each process that takes the campaign: fencing for its records
  ended boolean not null default false,
  events bigint not null default 0,
  taken_at timestamptz not null default clock_timestamp(),
  login name not null);

create table campaign_events (
  campaign uuid not null references campaigns on delete cascade,
  sequence bigint not null,           -- from 1, without gaps
  kind integer not null,
  version integer not null,
  time_ns bigint not null,            -- as the node's journal noted it, for people
  payload bytea not null,
  login name not null,
  primary key (campaign, sequence));

-- The records that a campaign's events name: the newest value of each key.
create table campaign_values (
  campaign uuid not null references campaigns on delete cascade,
  family text not null,
  key bytea not null,
  value bytea not null,
  login name not null,
  primary key (campaign, family, key));

create table campaign_blobs (
  campaign uuid not null references campaigns on delete cascade,
  digest bytea not null references blobs,
  primary key (campaign, digest));

-- Results of evaluations by their key, which names task, candidate, tools, device and judge.
create table evaluations (
  key bytea primary key,
  value bytea not null,
  object bytea,                       -- digest of the object that it names; null: none
  node text not null,
  login name not null,
  stored_at timestamptz not null default clock_timestamp());

-- Takes a campaign for this process: a new one, its own, or that of a node that is gone.
create function own_campaign(a_node text, a_instance uuid, a_campaign uuid) returns table (epoch bigint, events bigint)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
declare c campaigns; h nodes;
begin
  perform home_row(a_node, a_instance);
  insert into campaigns (id, home, epoch, login) values (a_campaign, a_node, 0, session_user) on conflict do nothing;
  select * into c from campaigns where id = a_campaign for update;
  select * into h from nodes where name = c.home;
  if c.home <> a_node and is_live(h) then
    raise exception 'the campaign lives on node ''%'' now', c.home using errcode = 'KV411';
  end if;
  return query update campaigns set home = a_node, epoch = campaigns.epoch + 1, taken_at = clock_timestamp(),
      login = session_user
    where id = a_campaign returning campaigns.epoch, campaigns.events;
end $$;

-- Raises unless the campaign is this process's still.
create function own_campaign_row(a_campaign uuid, a_epoch bigint) returns campaigns
language plpgsql as $$
declare c campaigns;
begin
  select * into c from campaigns where id = a_campaign for update;
  if c.epoch is distinct from a_epoch then
    raise exception 'the campaign lives on node ''%'' now, epoch %', c.home, c.epoch using errcode = 'KV411';
  end if;
  return c;
end $$;

create function append_event(a_campaign uuid, a_epoch bigint, a_sequence bigint, a_kind integer, a_version integer,
                             a_time_ns bigint, a_payload bytea) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare c campaigns := own_campaign_row(a_campaign, a_epoch);
begin
  if a_sequence <> c.events + 1 then
    raise exception 'event % does not follow event % of the campaign', a_sequence, c.events using errcode = 'KV411';
  end if;
  insert into campaign_events values (a_campaign, a_sequence, a_kind, a_version, a_time_ns, a_payload, session_user);
  update campaigns set events = a_sequence where id = a_campaign;
end $$;

create function put_campaign_value(a_campaign uuid, a_epoch bigint, a_family text, a_key bytea, a_value bytea)
returns void language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform own_campaign_row(a_campaign, a_epoch);
  insert into campaign_values values (a_campaign, a_family, a_key, a_value, session_user)
    on conflict (campaign, family, key) do update set value = excluded.value, login = excluded.login;
end $$;

create function put_campaign_blob(a_campaign uuid, a_epoch bigint, a_bytes bytea)
returns void language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform own_campaign_row(a_campaign, a_epoch);
  insert into blobs (digest, bytes, login) values (sha256(a_bytes), a_bytes, session_user) on conflict do nothing;
  insert into campaign_blobs values (a_campaign, sha256(a_bytes)) on conflict do nothing;
end $$;

create function end_campaign(a_campaign uuid, a_epoch bigint, a_ended boolean) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform own_campaign_row(a_campaign, a_epoch);
  update campaigns set ended = a_ended where id = a_campaign and ended <> a_ended;
end $$;

-- Campaigns that have not ended and whose node is gone.
create function orphaned_campaigns() returns setof uuid
language sql security definer set search_path = kevolve, pg_temp as $$
  select c.id from campaigns c join nodes n on n.name = c.home
    where not c.ended and c.events > 0 and not is_live(n) order by c.taken_at $$;

create function list_campaigns() returns table (id uuid, home text, epoch bigint, ended boolean, events bigint)
language sql security definer set search_path = kevolve, pg_temp as $$
  select id, home, epoch, ended, events from campaigns order by taken_at desc limit 1000 $$;

create function read_campaign_events(a_campaign uuid, a_after bigint, most integer)
returns table (sequence bigint, kind integer, version integer, time_ns bigint, payload bytea)
language sql security definer set search_path = kevolve, pg_temp as $$
  select sequence, kind, version, time_ns, payload from campaign_events
    where campaign = a_campaign and sequence > a_after order by sequence limit most $$;

create function read_campaign_values(a_campaign uuid, a_family text, a_after bytea, most integer)
returns table (family text, key bytea, value bytea)
language sql security definer set search_path = kevolve, pg_temp as $$
  select family, key, value from campaign_values
    where campaign = a_campaign and (family, key) > (a_family, a_after) order by family, key limit most $$;

create function read_campaign_blobs(a_campaign uuid, a_after bytea, most integer)
returns table (digest bytea, bytes bytea)
language sql security definer set search_path = kevolve, pg_temp as $$
  select b.digest, b.bytes from campaign_blobs c join blobs b on b.digest = c.digest
    where c.campaign = a_campaign and c.digest > a_after order by c.digest limit most $$;

create function share_evaluation(a_node text, a_instance uuid, a_key bytea, a_value bytea, a_object bytea) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare d bytea := case when a_object is not null then sha256(a_object) end;
begin
  perform home_row(a_node, a_instance);
  if a_object is not null then
    insert into blobs (digest, bytes, login) values (d, a_object, session_user)
      on conflict (digest) do update set used_at = clock_timestamp();
  end if;
  insert into evaluations (key, value, object, node, login) values (a_key, a_value, d, a_node, session_user)
    on conflict (key) do nothing;
end $$;

create function find_evaluation(a_key bytea) returns table (value bytea, object bytea)
language sql security definer set search_path = kevolve, pg_temp as $$
  select e.value, b.bytes from evaluations e left join blobs b on b.digest = e.object where e.key = a_key $$;

-- As in version 1, but blobs of campaigns and of shared results are kept.
create or replace function forget_blobs() returns void language sql as $$
  delete from blobs where digest in (
    select digest from blobs b where used_at < clock_timestamp() - interval '1 day'
      and not exists (select 1 from jobs j where j.state in ('queued', 'claimed') and b.digest = any(j.blobs))
      and not exists (select 1 from campaign_blobs c where c.digest = b.digest)
      and not exists (select 1 from evaluations e where e.object = b.digest)
      limit 20 for update skip locked) $$;
create index evaluations_objects on evaluations (object) where object is not null;
create index campaign_blobs_digests on campaign_blobs (digest);

revoke execute on all functions in schema kevolve from public;
grant execute on function own_campaign(text, uuid, uuid),
  append_event(uuid, bigint, bigint, integer, integer, bigint, bytea),
  put_campaign_value(uuid, bigint, text, bytea, bytea), put_campaign_blob(uuid, bigint, bytea),
  end_campaign(uuid, bigint, boolean), orphaned_campaigns(), list_campaigns(),
  read_campaign_events(uuid, bigint, integer), read_campaign_values(uuid, text, bytea, integer),
  read_campaign_blobs(uuid, bytea, integer), share_evaluation(text, uuid, bytea, bytea, bytea), find_evaluation(bytea)
  to kevolve_home;
