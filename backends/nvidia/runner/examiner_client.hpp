// The runner's side of the examiner starts it when it is needed, keeps sets on the device between requests, and asks. A
// failure here is a fault, never a verdict; the next request starts a fresh examiner.
#pragma once

#include "backends/judge/shared_arena.hpp"
#include "backends/nvidia/runner/examination.hpp"
#include "backends/nvidia/runner/examiner_wire.hpp"
#include "backends/nvidia/runner/worker_client.hpp"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace kevolve::cuda {

class examiner_client {
public:
  examiner_client() = default;
  examiner_client(const examiner_client&) = delete;
  examiner_client& operator=(const examiner_client&) = delete;
  ~examiner_client() { end(); }

  // Makes an arena of at least that size, with an examiner that serves it. False: this device and driver cannot; why()
  // has the reason.
  attempt<bool> ready(const worker_options& options, uint64_t bytes);
  const std::string& why() const { return unfit_; }
  bool serves() const { return arena_fd_ >= 0 && process_.alive(); }
  bool alive() const { return process_.alive(); }
  int arena_fd() const { return arena_fd_; }
  uint64_t arena_bytes() const { return arena_bytes_; }
  // Returns the number of the present arena; no other arena of this client has it.
  uint64_t arena_number() const { return arenas_; }

  // Puts the call's data into the arena. No kernel may use the arena until finish_lay_out() has reported that all data
  // is there.
  attempt<void> begin_lay_out(const contract& task, const input_set& set, uint64_t poison, uint64_t rotation);
  attempt<void> finish_lay_out();
  // Checks the arena after a call on the data that was laid out last; takes the same arguments.
  attempt<examined> check(const contract& task, const input_set& set, const input_sets& inputs, uint64_t poison,
                          uint64_t rotation, bool full, rerun again);
  // Makes room for copies of `bytes` in the memory of host().
  attempt<void> grow_host(uint64_t bytes);
  // Copies the arena's bytes from `rotation` on into the memory of host(), which must have room.
  attempt<void> bring_back(uint64_t rotation, uint64_t bytes);

  // Sets that are made on the device (device_sets.hpp). remake_with() takes the function that makes one again that had
  // to give its memory back.
  using set_maker = std::function<attempt<void>(const input_set&)>;
  void remake_with(set_maker remake) { remake_ = std::move(remake); }
  // Makes room for a set on the device, and brings the arrays that are here.
  attempt<void> place(const input_set& set);
  attempt<void> draw(const input_set& set, const std::string& orders);
  void forget(uint64_t number);
  // Returns the set with all of its arrays here.
  attempt<input_set> fetch(const input_set& set);
  // Copies a part of a set on the device to `to`.
  attempt<void> bring_set(const input_set& set, uint64_t from, uint64_t bytes, std::byte* to);
  // Makes the pool ready: device memory that the reference's process maps, and no candidate.
  attempt<void> ready_pool(uint64_t bytes);
  void drop_pool();
  int pool_fd() const { return pool_fd_; }
  uint64_t pool_bytes() const { return pool_bytes_; }
  uint64_t pool_number() const { return pools_; }
  // Works on a set and the pool; the findings are those of each piece.
  attempt<std::vector<finding>> work_in_pool(const input_set& set, const std::vector<piece>& pieces);
  // Returns the bytes that sets may take.
  uint64_t budget() const { return budget_; }
  shared_arena& host() { return host_; }

  // Lets the next ready() make another arena: work of a lost process that still runs on the device must not write into
  // it.
  void abandon_arena();
  // Ends the examiner because a process could not map the arena: from now on the host does all the work.
  void give_up(const std::string& why);

  double work_ns() const { return work_ns_; }   // of the device, since it was made: laying out and checking
  uint64_t uploads() const { return uploads_; } // sets, since it was made
  uint64_t drawn() const { return drawn_; }     // sets that were drawn on the device, since it was made
  void end();

private:
  struct held {
    uint64_t number;
    uint64_t bytes;
  };

  attempt<void> start(const worker_options& options);
  attempt<void> make_arena(uint64_t bytes);
  attempt<void> attach();
  attempt<void> have(const input_set& set, const resident_set& where);
  bool holds(uint64_t number);
  attempt<void> drop_oldest();
  attempt<void> order_drop(uint64_t number);
  attempt<void> make_room(uint64_t number, uint64_t bytes);
  attempt<void> upload(const input_set& set, const resident_set& where);
  static cuda_wire::work order_of(const input_set& set, const std::vector<piece>& pieces, bool answered);
  template <class Order>
  attempt<void> order(cuda_wire::word kind, const Order& what);
  // Both end it: nothing that it holds is to be trusted any more.
  tl::unexpected<evaluation_error> fault(const cuda_wire::answer& how);
  tl::unexpected<evaluation_error> lost(const failure& why);

  worker_client process_;
  std::string unfit_;
  shared_arena host_;
  int arena_fd_ = -1;
  uint64_t arena_bytes_ = 0;
  uint64_t arenas_ = 0;
  uint64_t budget_ = 0;
  uint64_t held_bytes_ = 0;
  uint64_t kept_bytes_ = 0;
  std::list<held> held_; // the one used last in front
  uint64_t uploads_ = 0;
  uint64_t drawn_ = 0;
  double work_ns_ = 0.0;
  bool laying_out_ = false; // its answer is to come
  int pool_fd_ = -1;
  uint64_t pool_bytes_ = 0;
  uint64_t pools_ = 0;
  set_maker remake_;
};

} // namespace kevolve::cuda
