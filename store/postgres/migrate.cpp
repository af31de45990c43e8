#include "store/postgres/migrate.hpp"

#include "store/postgres/schema_texts.hpp"

#include <array>
#include <string_view>

namespace kevolve::postgres {

namespace {

// The migrations in order; the first makes version 1.
constexpr std::array<std::string_view (*)(), schema_version> migrations{schema_0001, schema_0002, schema_0003,
                                                                        schema_0004, schema_0005};

constexpr auto ground = R"(
do $$ begin create role kevolve_worker nologin; exception when duplicate_object then null; end $$;
do $$ begin create role kevolve_home nologin; exception when duplicate_object then null; end $$;
create schema if not exists kevolve;
create table if not exists kevolve.migrations (
  version integer primary key,
  made_at timestamptz not null default clock_timestamp());
set local search_path = kevolve, pg_temp;
)";

result<int> apply_missing(connection& c, const std::string& deployment) {
  if (auto r = c.run_script(ground); !r)
    return tl::unexpected(r.error());
  if (auto r = c.run({"lock table migrations in exclusive mode", {}}); !r)
    return tl::unexpected(r.error());
  auto there = c.run({"select coalesce(max(version), 0) from migrations", {}});
  if (!there)
    return tl::unexpected(there.error());
  const auto before = static_cast<int>(there->integer(0, 0));
  if (before > schema_version)
    return fail(errc::newer_format, "the database has version " + std::to_string(before)
                                        + " of the schema, made by a newer kevolve; this one knows "
                                        + std::to_string(schema_version));
  for (auto v = before; v < schema_version; ++v) {
    if (auto r = c.run_script(std::string{migrations[static_cast<size_t>(v)]()}); !r)
      return tl::unexpected(r.error());
    if (auto r = c.run({"insert into migrations (version) values ($1)", {{std::to_string(v + 1)}}}); !r)
      return tl::unexpected(r.error());
  }
  auto made = c.run({"insert into deployment (name) values ($1) on conflict (single) do nothing", {{deployment}}});
  if (!made)
    return tl::unexpected(made.error());
  auto owner = c.run({"select name from deployment", {}});
  if (!owner)
    return tl::unexpected(owner.error());
  if (owner->text(0, 0) != deployment)
    return fail(errc::bad_input,
                "this database belongs to deployment '" + owner->text(0, 0) + "'; give that name, or another database");
  return before;
}

} // namespace

result<int> initialise(connection& c, const std::string& deployment) {
  if (auto r = c.run_script("begin"); !r)
    return tl::unexpected(r.error());
  auto before = apply_missing(c, deployment);
  if (auto r = c.run_script(before ? "commit" : "rollback"); !r && before)
    return tl::unexpected(r.error());
  return before;
}

result<void> check_schema(connection& c) {
  auto there = c.run({"select kevolve.schema_version()", {}});
  if (!there && there.error().code == errc::not_found)
    return fail(errc::not_found,
                "the database has no schema of kevolve; run kevolve cluster init once, by a login that "
                "may create roles and schemas");
  if (!there && there.error().code == errc::unauthorised)
    return fail(errc::unauthorised,
                there.error().detail + "; grant kevolve_worker or kevolve_home to the node's login");
  if (!there)
    return tl::unexpected(there.error());
  const auto version = static_cast<int>(there->integer(0, 0));
  if (version == schema_version)
    return {};
  return fail(version > schema_version ? errc::newer_format : errc::conflict,
              "the database has version " + std::to_string(version) + " of the schema, this kevolve works with "
                  + std::to_string(schema_version)
                  + (version > schema_version ? ": install the newer kevolve here" : ": run kevolve cluster init"));
}

} // namespace kevolve::postgres
