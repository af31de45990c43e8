#include "backends/loop_obstacle.hpp"

#include <cstddef>

namespace kevolve {

namespace {

constexpr std::array<obstacle_row, obstacle_texts.size()> rows{{
    {loop_obstacle::none, "", ""},
    {loop_obstacle::overlap, "Give each array its own parameter and write through one of them only.",
     "no alias: take `alias = true` away"},
    {loop_obstacle::computed_pointer,
     "Address the array by its parameter and an index: x[i] in place of *p++ or a pointer that is chosen at run time.",
     ""},
    {loop_obstacle::same_place,
     "Split the loop where its iterations meet: a first pass into an array of its own, a second one that combines; or "
     "write the sizes so that rows are visibly apart (x[i * n + j] with j below n).",
     "[[assert]] kind = \"independent\""},
    {loop_obstacle::indirect_place,
     "Sort or group the work by the element that it writes (offsets of segments instead of scattered indices), or give "
     "each part of the loop its own copy of the output and add the copies up.",
     "[[assert]] kind = \"independent\", or kind = \"sorted\" of the indices with strict = true"},
    {loop_obstacle::carried_value,
     "Carry the value in a form that combines: a sum, product, minimum or maximum of terms that depend on the index "
     "alone; or run several independent rows side by side in one loop.",
     ""},
    {loop_obstacle::order_of_sum, "Sum into several partial results that are added at the end.",
     "a tolerance that allows another order of the sum"},
    {loop_obstacle::call, "Define the function in the same file, without side effects, so that it can be inlined.", ""},
    {loop_obstacle::early_end,
     "Count the iterations in a loop of their own first, or let the loop run to a fixed end and select the result.",
     ""},
    {loop_obstacle::kept_text, "Write the construct as counted for-loops over arrays, with plain ifs.", ""},
    {loop_obstacle::no_vector_form,
     "Move the operation out of the loop or into a loop of its own: divide by reciprocals, replace the call by "
     "arithmetic, make the type one that vectors hold.",
     ""},
    {loop_obstacle::guarded_access,
     "Read or write the element in every iteration and select the value by the condition, where the element always "
     "exists; or let the loop run over those iterations alone for which the condition holds.",
     ""},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < rows.size(); ++i)
    if (static_cast<size_t>(rows[i].obstacle) != i)
      return false;
  return true;
}
static_assert(in_order());

} // namespace

const obstacle_row& row_of(loop_obstacle o) {
  const auto at = static_cast<size_t>(o);
  return rows[at < rows.size() ? at : 0];
}

} // namespace kevolve
