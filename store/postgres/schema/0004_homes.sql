-- Version 4 of the schema of a cluster: where campaigns live.

-- Returns campaigns with records that have not ended, and those asked for. It ends a silence, as every word of a node
-- does: whoever asks first must not take those that were not heard for gone.
create function campaign_homes(a_asked uuid[])
returns table (campaign uuid, home text, live boolean, ended boolean, events bigint)
language plpgsql security definer set search_path = kevolve, pg_temp as $$
#variable_conflict use_column
begin
  perform note_pulse();
  return query select c.id, c.home, is_live(n), c.ended, c.events from campaigns c join nodes n on n.name = c.home
    where c.events > 0 and (not c.ended or c.id = any(a_asked)) order by c.taken_at;
end $$;
drop function orphaned_campaigns();

revoke execute on function campaign_homes(uuid[]) from public;
grant execute on function campaign_homes(uuid[]) to kevolve_home;
