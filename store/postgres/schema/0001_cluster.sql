-- Version 1 of the schema of a cluster: membership, the work queue, blobs. README.md describes it.
-- The migration runs in one transaction with search_path = kevolve, pg_temp. Nodes call functions only: they have no
-- right on any table. A time is the database's own, never a node's.

create table deployment (
  single boolean primary key default true check (single),
  id uuid not null default gen_random_uuid(),
  name text not null,
  made timestamptz not null default clock_timestamp());

-- One row a node. It stays when the node leaves, so that its epoch never repeats.
create table nodes (
  name text primary key check (length(name) between 1 and 64),
  instance uuid not null,             -- the process that holds the name
  epoch bigint not null,              -- rises with each process that takes the name
  id uuid not null,                   -- of its data directory
  role text not null check (role in ('home', 'worker')),
  version text not null,
  labels text[] not null,
  memory_mib bigint not null,
  resources jsonb not null,           -- [{"kind", "target", "hardware", "slots", "about"}]
  draining boolean not null default false,
  quarantined text,                   -- the reason why it gets no jobs
  left_at timestamptz,                -- it has ended in order
  joined_at timestamptz not null,
  seen_at timestamptz not null,
  login name not null);

create table blobs (
  digest bytea primary key check (octet_length(digest) = 32),
  bytes bytea not null,
  login name not null,
  stored_at timestamptz not null default clock_timestamp(),
  used_at timestamptz not null default clock_timestamp());
create index blobs_used on blobs (used_at);
alter table blobs alter column bytes set storage external; -- objects do not compress

create table jobs (
  id bigint generated always as identity primary key,
  key uuid not null unique,           -- the same work has the same key
  campaign uuid not null,
  kind text not null check (kind in ('compile', 'judge', 'model', 'wait')),
  target text not null,
  hardware text not null,             -- fingerprint that the node must offer; empty: any
  labels text[] not null,
  memory_mib bigint not null,
  priority integer not null,
  tag double precision not null,      -- virtual start time of its campaign's share
  payload bytea not null,
  blobs bytea[] not null,
  state text not null default 'queued' check (state in ('queued', 'claimed', 'done', 'dead')),
  claims bigint not null default 0,   -- fencing: a result counts only for the latest claim
  failures integer not null default 0,
  not_before timestamptz not null,
  avoided text[] not null default '{}', -- nodes on which it failed
  node text,
  token uuid,
  lease_until timestamptz,
  result bytea,
  reason text not null default '',
  home_login name not null,
  node_login name,
  made_at timestamptz not null default clock_timestamp(),
  claimed_at timestamptz,
  ended_at timestamptz);
create index jobs_queued on jobs (kind, target, priority desc, tag, id) where state = 'queued';
create index jobs_tags on jobs (tag) where state = 'queued';
create index jobs_leases on jobs (lease_until) where state = 'claimed';
create unique index jobs_tokens on jobs (token) where token is not null;
create index jobs_ended on jobs (ended_at) where state in ('done', 'dead');

-- The homes that wait for a job.
create table waiters (
  job bigint not null references jobs on delete cascade,
  home text not null,
  told boolean not null default false, -- the home has stored the result
  primary key (job, home));
create index waiters_untold on waiters (home, job) where not told;

-- Virtual time of each campaign's share (start-time fair queueing).
create table shares (
  campaign uuid primary key,
  tag double precision not null);

-- Limits in one place. A lease is as long as the time after which a silent node is gone.
create function gone_after() returns interval language sql immutable as $$ select interval '8 seconds' $$;
create function failures_allowed() returns integer language sql immutable as $$ select 4 $$;
create function kept_after_end() returns interval language sql immutable as $$ select interval '10 minutes' $$;

create function is_live(n nodes) returns boolean language sql stable as $$
  select n.left_at is null and n.seen_at > clock_timestamp() - gone_after() $$;

-- Raises unless the process holds the node's name, and returns its row.
create function own_row(a_node text, a_instance uuid) returns nodes
language plpgsql as $$
declare n nodes;
begin
  select * into n from nodes where name = a_node;
  if n.name is null or n.instance <> a_instance then
    raise exception 'node ''%'' is another process now', a_node using errcode = 'KV409';
  end if;
  if n.login <> session_user then
    raise exception 'node ''%'' belongs to the login %', a_node, n.login using errcode = 'KV401';
  end if;
  return n;
end $$;

-- Takes a node's name. Two live nodes of one name are refused.
create function join_cluster(a_deployment text, a_node text, a_instance uuid, a_id uuid, a_role text, a_version text,
                             a_labels text[], a_memory_mib bigint, a_resources jsonb)
returns bigint language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare n nodes; d text; allowed boolean;
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
  insert into nodes (name, instance, epoch, id, role, version, labels, memory_mib, resources, joined_at, seen_at, login)
    values (a_node, a_instance, 1, a_id, a_role, a_version, a_labels, a_memory_mib, a_resources, clock_timestamp(),
            clock_timestamp(), session_user)
    on conflict (name) do update set instance = excluded.instance, epoch = nodes.epoch + 1, id = excluded.id,
      role = excluded.role, version = excluded.version, labels = excluded.labels, memory_mib = excluded.memory_mib,
      resources = excluded.resources, joined_at = excluded.joined_at, seen_at = excluded.seen_at, left_at = null,
      quarantined = null
    returning epoch into n.epoch;
  -- What an earlier process of this name held runs elsewhere at once.
  update jobs set lease_until = clock_timestamp() where state = 'claimed' and node = a_node;
  perform expire_leases();
  perform pg_notify('kevolve_nodes', a_node);
  return n.epoch;
end $$;

-- Puts a failed job back, or aside once it failed too often. A call of a model may have been paid for: its home decides
-- whether it is made again.
create function fail_job(a_id bigint, a_reason text, a_node text, blamed boolean) returns void
language plpgsql as $$
declare j jobs; ends boolean;
begin
  select * into j from jobs where id = a_id;
  ends := j.kind = 'model' or j.failures + blamed::integer >= failures_allowed();
  update jobs set
    failures = failures + blamed::integer,
    state = case when ends then 'dead' else 'queued' end,
    reason = a_reason,
    not_before = clock_timestamp()
      + case when blamed then interval '250 milliseconds' * power(2, failures) else interval '0' end,
    avoided = case when blamed then array_append(avoided, a_node) else avoided end,
    token = null, lease_until = null, node = null,
    ended_at = case when ends then clock_timestamp() end
    where id = a_id;
  if ends then
    perform pg_notify('kevolve_done', w.home) from waiters w where w.job = a_id;
  else
    perform pg_notify('kevolve_jobs', j.kind || ' ' || j.target);
  end if;
end $$;

-- Deletes blobs that nothing names.
create function forget_blobs() returns void language sql as $$
  delete from blobs where digest in (
    select digest from blobs b where used_at < clock_timestamp() - interval '1 day'
      and not exists (select 1 from jobs j where j.state in ('queued', 'claimed') and b.digest = any(j.blobs))
      limit 20 for update skip locked) $$;

-- Gives jobs back whose leases have run out, and deletes what nobody needs any more.
create function expire_leases() returns integer language plpgsql as $$
declare r record; found_some integer := 0;
begin
  for r in select id, node from jobs where state = 'claimed' and lease_until <= clock_timestamp()
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

-- Says that the node lives, extends the leases of these tokens, and returns those that are no longer its own.
create function heartbeat(a_node text, a_instance uuid, a_resources jsonb, a_tokens uuid[])
returns table (draining boolean, quarantined text, lost uuid[])
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
declare n nodes; kept uuid[];
begin
  n := own_row(a_node, a_instance);
  update nodes set seen_at = clock_timestamp(), resources = coalesce(a_resources, resources) where name = a_node;
  with extended as (
    update jobs set lease_until = clock_timestamp() + gone_after()
      where token = any(a_tokens) and state = 'claimed' returning token)
    select coalesce(array_agg(token), '{}') into kept from extended;
  perform expire_leases();
  return query select n.draining, n.quarantined,
    array(select t from unnest(a_tokens) t where t <> all(kept));
end $$;

create function leave_cluster(a_node text, a_instance uuid) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare r record;
begin
  perform own_row(a_node, a_instance);
  for r in select id from jobs where node = a_node and state = 'claimed' for update loop
    perform fail_job(r.id, 'node ' || a_node || ' left', a_node, false);
  end loop;
  update nodes set left_at = clock_timestamp() where name = a_node;
  perform pg_notify('kevolve_nodes', a_node);
end $$;

-- Takes up to `most` jobs that the node may do, under fresh random tokens.
create function claim_jobs(a_node text, a_instance uuid, a_kind text, a_target text, a_hardware text[], most integer)
returns table (id bigint, key uuid, campaign uuid, kind text, target text, hardware text, claim bigint, token uuid,
               payload bytea, waited_ms double precision)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
declare n nodes; now_is timestamptz := clock_timestamp();
begin
  n := own_row(a_node, a_instance);
  if n.draining or n.quarantined is not null then
    return;
  end if;
  return query
    with picked as (
      select j.id from jobs j
        where j.state = 'queued' and j.kind = a_kind and j.target = a_target
          and (j.hardware = '' or j.hardware = any(a_hardware))
          and j.labels <@ n.labels and j.memory_mib <= n.memory_mib and j.not_before <= now_is
          and not exists (select 1 from waiters w where w.job = j.id and w.home = a_node) -- its home has no room for it
          -- A job goes to a node on which it failed only when no other took it for a while.
          and (a_node <> all(j.avoided) or j.not_before < now_is - gone_after())
        order by j.priority desc, j.tag, j.id limit most for update skip locked)
    update jobs j set state = 'claimed', claims = j.claims + 1, node = a_node, token = gen_random_uuid(),
        lease_until = now_is + gone_after(), claimed_at = now_is, node_login = session_user
      from picked where j.id = picked.id
      returning j.id, j.key, j.campaign, j.kind, j.target, a_hardware[1], j.claims, j.token, j.payload,
        extract(epoch from now_is - greatest(j.made_at, j.not_before))::double precision * 1000;
end $$;

-- Returns a blob that the claimed job names.
create function fetch_blob(a_token uuid, a_digest bytea) returns bytea
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  if not exists (select 1 from jobs where token = a_token and state = 'claimed' and a_digest = any(blobs)) then
    raise exception 'the claim of this job has ended, or it does not name the blob' using errcode = 'KV409';
  end if;
  return (select bytes from blobs where digest = a_digest);
end $$;

-- Ends a claimed job with its result. False: the claim is no longer this node's, and the result counts nothing.
create function finish_job(a_token uuid, a_result bytea) returns boolean
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare j bigint;
begin
  update jobs set state = 'done', result = a_result, token = null, lease_until = null, ended_at = clock_timestamp()
    where token = a_token and state = 'claimed' and node_login = session_user returning id into j;
  if j is null then
    return false;
  end if;
  perform pg_notify('kevolve_done', w.home) from waiters w where w.job = j;
  return true;
end $$;

-- Gives a claimed job back. `blamed`: it failed on this node, so another one tries it.
create function return_job(a_token uuid, a_reason text, blamed boolean) returns boolean
language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare j jobs;
begin
  select * into j from jobs where token = a_token and state = 'claimed' and node_login = session_user for update;
  if j.id is null then
    return false;
  end if;
  perform fail_job(j.id, a_reason, j.node, blamed);
  return true;
end $$;

-- The worker whose measured device differs from its fingerprint gets no more jobs.
create function quarantine_self(a_node text, a_instance uuid, a_reason text) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform own_row(a_node, a_instance);
  update nodes set quarantined = nullif(a_reason, '') where name = a_node;
  perform pg_notify('kevolve_nodes', a_node);
end $$;

-- Raises unless the login is a home's.
create function home_row(a_node text, a_instance uuid) returns nodes
language plpgsql as $$
declare n nodes := own_row(a_node, a_instance);
begin
  if n.role <> 'home' then
    raise exception 'node ''%'' is a worker', a_node using errcode = 'KV401';
  end if;
  return n;
end $$;

create function put_blob(a_node text, a_instance uuid, a_bytes bytea) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform home_row(a_node, a_instance);
  insert into blobs (digest, bytes, login) values (sha256(a_bytes), a_bytes, session_user)
    on conflict (digest) do update set used_at = clock_timestamp();
end $$;

create function missing_blobs(a_digests bytea[]) returns setof bytea
language sql security definer set search_path = kevolve, pg_temp as $$
  select d from unnest(a_digests) d where not exists (select 1 from blobs where digest = d) $$;

-- Puts a job into the queue, or joins those who wait for the same one. A dead one is tried again.
create function put_job(a_node text, a_instance uuid, a_key uuid, a_campaign uuid, a_weight double precision,
                        a_kind text, a_target text, a_hardware text, a_labels text[], a_memory_mib bigint,
                        a_priority integer, a_payload bytea, a_blobs bytea[])
returns text language plpgsql security definer set search_path = kevolve, pg_temp as $$
declare n nodes; j jobs; start_tag double precision;
begin
  n := home_row(a_node, a_instance);
  select * into j from jobs where key = a_key for update;
  if j.id is null then
    select greatest(coalesce((select tag from shares where campaign = a_campaign), 0),
                    coalesce((select min(tag) from jobs where state = 'queued'),
                             (select max(tag) from shares), 0)) into start_tag;
    insert into shares (campaign, tag) values (a_campaign, start_tag + 1 / a_weight)
      on conflict (campaign) do update set tag = excluded.tag;
    insert into jobs (key, campaign, kind, target, hardware, labels, memory_mib, priority, tag, payload, blobs,
                      not_before, home_login)
      values (a_key, a_campaign, a_kind, a_target, a_hardware, a_labels, a_memory_mib, a_priority, start_tag, a_payload,
              a_blobs, clock_timestamp(), session_user)
      on conflict (key) do nothing returning * into j;
    if j.id is null then
      select * into j from jobs where key = a_key for update;
    end if;
  elsif j.state = 'dead' then
    update jobs set state = 'queued', failures = 0, avoided = '{}', reason = '', not_before = clock_timestamp(),
      ended_at = null where id = j.id returning * into j;
  end if;
  update blobs set used_at = clock_timestamp()
    where digest = any(a_blobs) and used_at < clock_timestamp() - interval '1 hour';
  insert into waiters (job, home) values (j.id, a_node) on conflict (job, home) do update set told = false;
  if j.state = 'queued' then
    perform pg_notify('kevolve_jobs', a_kind || ' ' || a_target);
  end if;
  return j.state;
end $$;

-- Returns results that this home has not acknowledged.
create function collect_jobs(a_node text, a_instance uuid, most integer)
returns table (key uuid, state text, result bytea, reason text, node text, node_version text)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
begin
  perform home_row(a_node, a_instance);
  return query select j.key, j.state, coalesce(j.result, ''::bytea), j.reason, coalesce(j.node, ''),
      coalesce(n.version, '')
    from waiters w join jobs j on j.id = w.job left join nodes n on n.name = j.node
    where w.home = a_node and not w.told and j.state in ('done', 'dead') order by j.ended_at limit most;
end $$;

create function acknowledge_jobs(a_node text, a_instance uuid, a_keys uuid[]) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform home_row(a_node, a_instance);
  update waiters w set told = true from jobs j where j.id = w.job and w.home = a_node and j.key = any(a_keys);
end $$;

-- Nobody waits for the job any more: a queued one disappears, a claimed one runs to its end.
create function withdraw_job(a_node text, a_instance uuid, a_key uuid) returns void
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  perform home_row(a_node, a_instance);
  delete from waiters w using jobs j where j.id = w.job and w.home = a_node and j.key = a_key;
  delete from jobs j where j.key = a_key and j.state = 'queued'
    and not exists (select 1 from waiters w where w.job = j.id);
end $$;

create function drain_node(a_name text, a_drain boolean) returns boolean
language plpgsql security definer set search_path = kevolve, pg_temp as $$
begin
  update nodes set draining = a_drain, quarantined = case when a_drain then quarantined end where name = a_name;
  if found then
    perform pg_notify('kevolve_nodes', a_name);
  end if;
  return found;
end $$;

create function list_nodes()
returns table (name text, role text, version text, state text, reason text, epoch bigint, seen_s double precision,
               labels text[], resources jsonb, claimed bigint)
language sql security definer set search_path = kevolve, pg_temp as $$
  select n.name, n.role, n.version,
    case when n.left_at is not null then 'left' when not is_live(n) then 'gone'
         when n.quarantined is not null then 'quarantined' when n.draining then 'draining' else 'live' end,
    coalesce(n.quarantined, ''), n.epoch, extract(epoch from clock_timestamp() - n.seen_at)::double precision, n.labels,
    n.resources, (select count(*) from jobs j where j.state = 'claimed' and j.node = n.name)
  from nodes n order by n.name $$;

-- Counts of the queue by kind and target, and how long the oldest waits.
create function queue_figures()
returns table (kind text, target text, queued bigint, claimed bigint, dead bigint, oldest_s double precision)
language sql security definer set search_path = kevolve, pg_temp as $$
  select kind, target, count(*) filter (where state = 'queued'), count(*) filter (where state = 'claimed'),
    count(*) filter (where state = 'dead'),
    coalesce(extract(epoch from clock_timestamp() - min(made_at) filter (where state = 'queued')), 0)::double precision
  from jobs group by kind, target order by kind, target $$;

create function dead_letters(most integer)
returns table (key uuid, campaign uuid, kind text, target text, failures integer, reason text, avoided text[],
               ended_s double precision)
language sql security definer set search_path = kevolve, pg_temp as $$
  select key, campaign, kind, target, failures, reason, avoided,
    extract(epoch from clock_timestamp() - ended_at)::double precision
  from jobs where state = 'dead' order by ended_at desc limit most $$;

create function schema_version() returns integer language sql stable security definer
set search_path = kevolve, pg_temp as $$ select max(version) from migrations $$;

grant usage on schema kevolve to kevolve_worker, kevolve_home;
revoke execute on all functions in schema kevolve from public;
grant execute on function schema_version(), join_cluster(text, text, uuid, uuid, text, text, text[], bigint, jsonb),
  heartbeat(text, uuid, jsonb, uuid[]), leave_cluster(text, uuid),
  claim_jobs(text, uuid, text, text, text[], integer), fetch_blob(uuid, bytea), finish_job(uuid, bytea),
  return_job(uuid, text, boolean), quarantine_self(text, uuid, text)
  to kevolve_worker, kevolve_home;
grant execute on function put_blob(text, uuid, bytea), missing_blobs(bytea[]),
  put_job(text, uuid, uuid, uuid, double precision, text, text, text, text[], bigint, integer, bytea, bytea[]),
  collect_jobs(text, uuid, integer), acknowledge_jobs(text, uuid, uuid[]), withdraw_job(text, uuid, uuid),
  drain_node(text, boolean), list_nodes(), queue_figures(), dead_letters(integer)
  to kevolve_home;
