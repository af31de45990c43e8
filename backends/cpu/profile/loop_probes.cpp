// kevolve-loop-probes.so: a pass plugin for clang 19 that counts what every loop of a source does, and times some
// loops. It works before the optimiser, where each loop is still one of the source's, also if it is unrolled or
// vectorised later. The counters are local variables that become induction variables, so the loops are optimised as
// without them. Each function adds its own to the table when it returns. Timing reads the clock around a loop, and is
// for loops alone that the caller knows to be long.
//
// The module's text chooses the loops: static const char kevolve_probe_request[] = "time 0,3;" The driver
// (call_driver.cpp) reads kevolve_probe_table, kevolve_probe_count and kevolve_probe_names.
#include "backends/cpu/profile/probe_table.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace llvm;

// A loop's counters within one call of its function.
struct local_counters {
  AllocaInst* entries = nullptr;
  AllocaInst* trips = nullptr;
  AllocaInst* ticks = nullptr; // these are there for timed loops only
  AllocaInst* outermost = nullptr;
  AllocaInst* nested = nullptr;
};

class prober {
public:
  explicit prober(Module& module) : module_(module), word_(Type::getInt64Ty(module.getContext())) {}

  bool run(FunctionAnalysisManager& analyses) {
    read_request();
    for (auto& f : module_)
      if (!f.isDeclaration() && !f.getName().starts_with("kevolve_"))
        number_loops(f, analyses.getResult<LoopAnalysis>(f));
    make_globals();
    uint64_t first = 0;
    for (auto& f : module_)
      if (!f.isDeclaration() && !f.getName().starts_with("kevolve_"))
        first = instrument(f, analyses.getResult<LoopAnalysis>(f), first);
    finish_globals();
    return true;
  }

private:
  void read_request() {
    auto* request = module_.getGlobalVariable("kevolve_probe_request", true);
    auto* text = request != nullptr && request->hasInitializer()
                     ? dyn_cast<ConstantDataSequential>(request->getInitializer())
                     : nullptr;
    if (text == nullptr || !text->isCString())
      return;
    auto words = text->getAsCString();
    if (!words.consume_front("time "))
      return;
    SmallVector<StringRef, 16> numbers;
    words.split(';').first.split(numbers, ',', -1, false);
    for (const auto number : numbers)
      if (uint64_t id = 0; !number.getAsInteger(10, id))
        timed_.insert(id);
  }

  // Returns the loops in the order of the module's functions, outer ones first.
  static std::vector<Loop*> loops_of(LoopInfo& info) {
    auto found = info.getLoopsInPreorder();
    return {found.begin(), found.end()};
  }

  void number_loops(Function& f, LoopInfo& info) {
    const auto first = count_;
    const auto all = loops_of(info);
    for (auto* loop : all) {
      int64_t parent = -1;
      for (size_t i = 0; i < all.size(); ++i)
        if (all[i] == loop->getParentLoop())
          parent = static_cast<int64_t>(first + i);
      const auto range = loop->getLocRange();
      const auto begin = range.getStart() ? range.getStart() : loop->getStartLoc();
      auto line = begin ? begin.getLine() : 0;
      auto end = range.getEnd() ? range.getEnd().getLine() : line;
      auto file = begin ? cast<DIScope>(begin.getScope())->getFilename().str() : std::string{};
      names_ += std::to_string(count_) + "\t" + f.getName().str() + "\t" + file + "\t" + std::to_string(line) + "\t"
                + std::to_string(begin ? begin.getCol() : 0) + "\t" + std::to_string(end) + "\t"
                + std::to_string(loop->getLoopDepth()) + "\t" + std::to_string(parent) + "\n";
      ++count_;
    }
  }

  GlobalVariable* define(const char* name, Type* type, bool constant, Constant* value) {
    auto* old = module_.getGlobalVariable(name);
    if (old != nullptr)
      old->setName("");
    return new GlobalVariable{module_, type, constant, GlobalValue::ExternalLinkage, value, name};
  }

  void make_globals() {
    auto* table = ArrayType::get(word_, std::max<uint64_t>(count_, 1) * kevolve::probe_words);
    table_ = define("kevolve_probe_table", table, false, ConstantAggregateZero::get(table));
    depth_ = define("kevolve_probe_depth", word_, false, ConstantInt::get(word_, 0));
    started_ = define("kevolve_probe_started", word_, false, ConstantInt::get(word_, 0));
  }

  void finish_globals() {
    define("kevolve_probe_count", word_, true, ConstantInt::get(word_, count_));
    auto* text = ConstantDataArray::getString(module_.getContext(), names_);
    define("kevolve_probe_names", text->getType(), true, text);
  }

  void add(IRBuilder<>& at, Value* to, Value* what) {
    at.CreateStore(at.CreateAdd(at.CreateLoad(word_, to), what), to);
  }

  // The fence keeps the loop's instructions out of the time before it. Without a memory clobber, values may still stay
  // in registers around the loop.
  Value* read_clock(IRBuilder<>& at) {
    auto* type = FunctionType::get(word_, false);
    auto* clock = InlineAsm::get(type, "lfence\n\trdtsc\n\tshlq $$32, %rdx\n\torq %rdx, %rax",
                                 "={rax},~{rdx},~{dirflag},~{fpsr},~{flags}", true);
    return at.CreateCall(type, clock);
  }

  // Returns the first block of the body: rounds that end by `break` count, the last look at the condition does not.
  static BasicBlock* body_of(const Loop& loop) {
    auto* header = loop.getHeader();
    if (!loop.isLoopExiting(header))
      return header;
    BasicBlock* inside = nullptr;
    for (auto* next : successors(header))
      if (loop.contains(next))
        inside = inside == nullptr ? next : header;
    return inside != nullptr && inside->getSinglePredecessor() == header ? inside : header;
  }

  uint64_t instrument(Function& f, LoopInfo& info, uint64_t first) {
    const auto all = loops_of(info);
    if (all.empty())
      return first;
    std::vector<local_counters> counters(all.size());
    IRBuilder<> entry{&f.getEntryBlock(), f.getEntryBlock().getFirstInsertionPt()};
    auto variable = [&] {
      auto* out = entry.CreateAlloca(word_);
      entry.CreateStore(ConstantInt::get(word_, 0), out);
      return out;
    };
    for (size_t i = 0; i < all.size(); ++i) {
      counters[i] = {variable(), variable()};
      if (timed_.contains(first + i)) {
        counters[i].ticks = variable();
        counters[i].outermost = variable();
        counters[i].nested = variable();
      }
    }
    for (size_t i = 0; i < all.size(); ++i) {
      auto* before = all[i]->getLoopPreheader();
      if (before == nullptr)
        continue; // entered by a computed goto
      auto* body = body_of(*all[i]);
      IRBuilder<> round{body, body->getFirstInsertionPt()};
      add(round, counters[i].trips, ConstantInt::get(word_, 1));
      IRBuilder<> start{before->getTerminator()};
      add(start, counters[i].entries, ConstantInt::get(word_, 1));
      if (counters[i].ticks != nullptr)
        time(*all[i], counters[i], start, entry);
    }
    for (auto& block : f)
      if (auto* end = dyn_cast<ReturnInst>(block.getTerminator())) {
        // Nothing may stand between a call that must be a tail call and its return.
        auto* call = block.getTerminatingMustTailCall();
        IRBuilder<> flush{call != nullptr ? static_cast<Instruction*>(call) : end};
        for (size_t i = 0; i < all.size(); ++i)
          add_to_table(flush, first + i, counters[i]);
      }
    return first + all.size();
  }

  void time(Loop& loop, const local_counters& to, IRBuilder<>& start, IRBuilder<>& entry) {
    auto* begin = entry.CreateAlloca(word_);
    auto* depth = entry.CreateAlloca(word_);
    auto* before = entry.CreateAlloca(word_);
    auto* outside = start.CreateLoad(word_, depth_);
    start.CreateStore(outside, depth);
    start.CreateStore(start.CreateAdd(outside, ConstantInt::get(word_, 1)), depth_);
    add(start, started_, ConstantInt::get(word_, 1));
    start.CreateStore(start.CreateLoad(word_, started_), before);
    start.CreateStore(read_clock(start), begin);
    SmallVector<BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (auto* block : exits) {
      IRBuilder<> end{block, block->getFirstInsertionPt()};
      auto* took = end.CreateSub(read_clock(end), end.CreateLoad(word_, begin));
      auto* level = end.CreateLoad(word_, depth);
      end.CreateStore(level, depth_);
      add(end, to.ticks, took);
      auto* zero = ConstantInt::get(word_, 0);
      add(end, to.outermost, end.CreateSelect(end.CreateICmpEQ(level, zero), took, zero));
      add(end, to.nested, end.CreateSub(end.CreateLoad(word_, started_), end.CreateLoad(word_, before)));
    }
  }

  void add_to_table(IRBuilder<>& at, uint64_t id, const local_counters& from) {
    size_t word = 0;
    for (auto* local : {from.entries, from.trips, from.ticks, from.outermost, from.nested}) {
      auto* to = at.CreateConstInBoundsGEP2_64(table_->getValueType(), table_, 0, id * kevolve::probe_words + word++);
      if (local != nullptr) // atomic: threads of one task may return at once
        at.CreateAtomicRMW(AtomicRMWInst::Add, to, at.CreateLoad(word_, local), MaybeAlign{},
                           AtomicOrdering::Monotonic);
    }
  }

  Module& module_;
  IntegerType* word_;
  GlobalVariable* table_ = nullptr;
  GlobalVariable* depth_ = nullptr;   // of timed loops that run now
  GlobalVariable* started_ = nullptr; // timed loops entered so far
  uint64_t count_ = 0;
  std::string names_;
  std::set<uint64_t> timed_;
};

struct loop_probes : PassInfoMixin<loop_probes> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    prober{module}.run(analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager());
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void add_probes(ModulePassManager& passes, OptimizationLevel /*level*/) {
  passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass{}));
  passes.addPass(loop_probes{});
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kevolve-loop-probes", "1",
          [](PassBuilder& builder) { builder.registerPipelineStartEPCallback(add_probes); }};
}
