// Pool: the workers' loop, the list of runnable queues, launches to share, teams to fill.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "spin.hpp"
#include "worker_thread.hpp"

namespace bascule::cpu {

namespace {

thread_local Worker* t_worker = nullptr;
thread_local const Frame* t_frame = nullptr;

}  // namespace

const Frame*& Pool::current_frame() noexcept { return t_frame; }

Pool::Pool(std::uint32_t compute_units, std::chrono::microseconds spin, WorkSink& sink)
    : units_(std::max(1u, compute_units)), spin_(spin), sink_(sink) {}

Pool::~Pool() {
  {
    const auto lock = lock_briefly_held(mutex_);
    stopping_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  // A worker may still be starting another one; that one stands later in the vector and is complete once its starter has
  // been joined.
  for (std::size_t i = 0;; ++i) {
    Worker* worker = nullptr;
    {
      const auto lock = lock_briefly_held(mutex_);
      if (i < workers_.size()) worker = workers_[i].get();
    }
    if (worker == nullptr) return;
    if (worker->thread.joinable()) worker->thread.join();
  }
}

std::uint32_t Pool::thread_count() const {
  const auto lock = lock_briefly_held(mutex_);
  return threads_;
}

bool Pool::admit_queue() {
  bool first = false;
  {
    const auto lock = lock_briefly_held(mutex_);
    published_.reserve(queues_ + 1);
    published_queues_.reserve(queues_ + 1);
    teams_.reserve(queues_ + 1);
    ++queues_;
    first = threads_ == 0;
    if (first) {
      ++threads_;
      ++searching_;
    }
  }
  if (!first || start_thread()) return true;
  dismiss_queue();
  return false;
}

void Pool::dismiss_queue() noexcept {
  const auto lock = lock_briefly_held(mutex_);
  --queues_;
}

// ---- what a worker does ----------------------------------------------------------------------------------------------

void Pool::work(Worker& self) {
  t_worker = &self;
  auto lock = lock_briefly_held(mutex_);
  for (;;) {  // here it counts as searching
    if (Work work = find(self); work.kind != Work::Kind::none) {
      --searching_;
      const Wakes wakes = plan_wakes();
      lock.unlock();
      perform(wakes);
      sink_.run(std::move(work));
      lock = lock_briefly_held(mutex_);
      --running_;
      self.holds_unit = false;
      ++searching_;
      continue;
    }
    if (stopping_) break;
    if (spin_for_work(lock)) continue;
    --searching_;
    ++sleeping_;
    wake_.wait(lock, [&] { return wake_tokens_ != 0 || stopping_; });
    if (wake_tokens_ != 0) {
      --wake_tokens_;  // whoever woke it already counts it as searching
    } else {
      --sleeping_;
      ++searching_;
    }
  }
  --searching_;
  --threads_;
}

// True if something may have come. Half of the units may spin at a time, and none where there is only one: the waiting
// thread needs that processor.
bool Pool::spin_for_work(std::unique_lock<std::mutex>& lock) {
  if (units_ == 1 || spinning_ >= std::max(1u, units_ / 2)) return false;
  ++spinning_;
  const std::uint64_t seen = epoch_.load(std::memory_order_relaxed);
  lock.unlock();
  (void)spin_until(spin_, [&] { return epoch_.load(std::memory_order_acquire) != seen; });
  lock = lock_briefly_held(mutex_);
  --spinning_;
  return epoch_.load(std::memory_order_relaxed) != seen;
}

Work Pool::find(Worker& self) {
  if (!teams_.empty()) return sit(self);
  if (running_ >= units_) return {};
  const WorkQueue* first = front();
  const bool fits = first != nullptr && first->seats_.load(std::memory_order_relaxed) <= free_units();
  const std::uint64_t held_back_from = first != nullptr && !fits ? first->ticket_ : UINT64_MAX;
  if (Work work = join_published(self, held_back_from); work.kind != Work::Kind::none) return work;
  return fits ? claim_front(self) : Work{};
}

// The unit of a team's seat was set aside when the team was started.
Work Pool::sit(Worker& self) {
  WorkQueue* queue = teams_.front();
  Launch& launch = queue->launch_;
  Work work{Work::Kind::sit, queue->shared_from_this(), launch.joined_++};
  launch.members_.push_back(&self);
  self.holds_unit = true;
  if (launch.sleepers_ != 0) block(self);
  if (--launch.open_seats_ == 0) teams_.erase(teams_.begin());
  return work;
}

Work Pool::join_published(Worker& self, std::uint64_t before) {
  for (std::size_t i = 0; i < published_.size(); ++i) {
    Launch& launch = *published_[i];
    if (launch.ticket_ >= before || launch.joined_ >= launch.limit_ || !launch.has_chunks()) continue;
    ++launch.participants_;
    ++running_;
    self.holds_unit = true;
    return {Work::Kind::help, published_queues_[i]->shared_from_this(), launch.joined_++};
  }
  return {};
}

Work Pool::claim_front(Worker& self) {
  while (WorkQueue* first = front()) {
    auto expected = WorkQueue::State::runnable;
    if (!first->state_.compare_exchange_strong(expected, WorkQueue::State::owned)) continue;  // stale now: front() drops it
    const std::uint32_t seats = first->seats_.load(std::memory_order_relaxed);
    if (seats > free_units()) {  // it was taken and given back in between, with a team first
      first->state_.store(WorkQueue::State::runnable);
      return {};
    }
    running_ += seats;
    self.holds_unit = true;
    first->reserved_seats_ = seats - 1;
    return {Work::Kind::drain, pop(lists_[static_cast<int>(first->priority_)])};
  }
  return {};
}

// The first queue of the highest priority; drops the ones that somebody has taken meanwhile.
WorkQueue* Pool::front() {
  for (List& list : lists_) {
    while (list.head) {
      if (list.head->state_.load(std::memory_order_acquire) == WorkQueue::State::runnable) return list.head.get();
      (void)pop(list);
    }
  }
  return nullptr;
}

std::shared_ptr<WorkQueue> Pool::pop(List& list) noexcept {
  std::shared_ptr<WorkQueue> queue = std::move(list.head);
  list.head = std::move(queue->next_listed_);
  if (!list.head) list.tail = nullptr;
  queue->listed_ = false;
  waiting_queues_.fetch_sub(1, std::memory_order_relaxed);
  return queue;
}

// ---- offering work ---------------------------------------------------------------------------------------------------

void Pool::enqueue(const std::shared_ptr<WorkQueue>& queue) {
  Wakes wakes;
  {
    const auto lock = lock_briefly_held(mutex_);
    if (!queue->listed_) {
      List& list = lists_[static_cast<int>(queue->priority_)];
      queue->listed_ = true;
      queue->ticket_ = next_ticket_++;
      WorkQueue* added = queue.get();
      (list.tail != nullptr ? list.tail->next_listed_ : list.head) = queue;
      list.tail = added;
      waiting_queues_.fetch_add(1, std::memory_order_relaxed);
    }
    epoch_.fetch_add(1, std::memory_order_release);
    wakes = plan_wakes();
  }
  perform(wakes);
}

void Pool::publish(Launch& launch, WorkQueue& queue) {
  Wakes wakes;
  {
    const auto lock = lock_briefly_held(mutex_);
    launch.listed_ = true;
    launch.joined_ = 1;
    launch.participants_ = 1;
    launch.ticket_ = next_ticket_++;
    published_.push_back(&launch);
    published_queues_.push_back(&queue);
    epoch_.fetch_add(1, std::memory_order_release);
    wakes = plan_wakes();
  }
  perform(wakes);
}

bool Pool::try_join(WorkQueue& queue, std::uint32_t& index) {
  const auto lock = lock_briefly_held(mutex_);
  Launch& launch = queue.launch_;
  if (!launch.listed_ || launch.joined_ >= launch.limit_ || !launch.has_chunks()) return false;
  ++launch.participants_;
  index = launch.joined_++;
  return true;
}

Pool::TeamStart Pool::start_team(Launch& launch, WorkQueue& queue) {
  const std::uint32_t others = launch.limit_ - 1;
  auto lock = lock_briefly_held(mutex_);
  if (const std::uint32_t reserved = std::exchange(queue.reserved_seats_, 0); reserved == 0 && others != 0) {
    const WorkQueue* first = front();
    const bool older_team_waits = first != nullptr && first->seats_.load(std::memory_order_relaxed) > free_units();
    if (older_team_waits || free_units() < others) return TeamStart::no_room;
    running_ += others;
  }
  const auto open_seats = [&] {
    std::uint32_t seats = others;
    for (const WorkQueue* team : teams_) seats += team->launch_.open_seats_;
    return seats;
  };
  while (searching_ + sleeping_ < open_seats()) {
    ++threads_;
    ++searching_;
    lock.unlock();
    const bool started = start_thread();
    lock = lock_briefly_held(mutex_);
    if (!started) {
      queue.reserved_seats_ = others;
      lock.unlock();
      return_reserved(queue);
      return TeamStart::no_threads;
    }
  }
  launch.joined_ = 1;
  launch.participants_ = launch.limit_;
  launch.open_seats_ = others;
  launch.sleepers_ = 0;
  launch.members_.clear();
  if (t_worker != nullptr && t_worker->pool == this) launch.members_.push_back(t_worker);
  if (others != 0) teams_.push_back(&queue);
  epoch_.fetch_add(1, std::memory_order_release);
  const Wakes wakes = plan_wakes();
  lock.unlock();
  perform(wakes);
  return TeamStart::started;
}

void Pool::return_reserved(WorkQueue& queue) {
  Wakes wakes;
  {
    const auto lock = lock_briefly_held(mutex_);
    running_ -= std::exchange(queue.reserved_seats_, 0);
    epoch_.fetch_add(1, std::memory_order_release);
    wakes = plan_wakes();
  }
  perform(wakes);
}

bool Pool::leave(Launch& launch) {
  const auto lock = lock_briefly_held(mutex_);
  if (launch.listed_) {
    launch.listed_ = false;
    const auto at = std::find(published_.begin(), published_.end(), &launch) - published_.begin();
    published_.erase(published_.begin() + at);
    published_queues_.erase(published_queues_.begin() + at);
  }
  if (const auto self = std::find(launch.members_.begin(), launch.members_.end(), t_worker);
      self != launch.members_.end()) {
    launch.members_.erase(self);
    if (launch.sleepers_ != 0) unblock(*t_worker);
  }
  return --launch.participants_ == 0;
}

// ---- waking ----------------------------------------------------------------------------------------------------------

// How many to wake for what there is to do: all members of teams, else at most two at a time, each of whom wakes two more
// if there is more, so that waking many costs no single thread much. Whoever is searching already counts.
Pool::Wakes Pool::plan_wakes() noexcept {
  constexpr std::uint32_t kAtOnce = 2;
  std::uint32_t seats = 0;
  for (const WorkQueue* team : teams_) seats += team->launch_.open_seats_;
  std::uint32_t other = 0;
  if (free_units() != 0) {
    other = waiting_queues_.load(std::memory_order_relaxed);
    for (const Launch* launch : published_) {
      if (launch->has_chunks()) other += launch->limit_ - std::min(launch->limit_, launch->joined_);
    }
  }
  const std::uint32_t wanted = seats + std::min({other, free_units(), kAtOnce});
  std::uint32_t missing = wanted > searching_ ? wanted - searching_ : 0;
  Wakes wakes;
  wakes.sleepers = std::min(missing, sleeping_);
  missing -= wakes.sleepers;
  const std::uint32_t unblocked = threads_ - blocked_;
  wakes.threads = stopping_ ? 0 : std::min(missing, units_ > unblocked ? units_ - unblocked : 0);
  sleeping_ -= wakes.sleepers;
  wake_tokens_ += wakes.sleepers;
  threads_ += wakes.threads;
  searching_ += wakes.sleepers + wakes.threads;
  return wakes;
}

// A thread that cannot be started is no error here: the workers that there are do the work.
void Pool::perform(Wakes wakes) {
  for (; wakes.sleepers != 0; --wakes.sleepers) wake_.notify_one();
  for (; wakes.threads != 0; --wakes.threads) (void)start_thread();
}

// For a thread already counted in threads_ and searching_; takes it out again if the system gives none.
bool Pool::start_thread() {
  Worker* worker = nullptr;
  try {
    const auto lock = lock_briefly_held(mutex_);
    if (unused_ == nullptr) {
      workers_.push_back(std::make_unique<Worker>());
      unused_ = workers_.back().get();
      unused_->pool = this;
    }
    worker = std::exchange(unused_, nullptr);
  } catch (const std::bad_alloc&) {
    worker = nullptr;
  }
  if (worker != nullptr && start_worker_thread(worker->thread, [this, worker] { work(*worker); })) return true;
  const auto lock = lock_briefly_held(mutex_);
  --threads_;
  --searching_;
  unused_ = worker;
  return false;
}

// ---- sleeping inside a kernel ----------------------------------------------------------------------------------------

void Pool::block(Worker& worker) noexcept {
  if (worker.blocked_by++ != 0) return;
  --running_;
  ++blocked_;
}

void Pool::unblock(Worker& worker) noexcept {
  if (--worker.blocked_by != 0) return;
  ++running_;
  --blocked_;
}

void Pool::block_team(Launch& launch) {
  Wakes wakes;
  {
    const auto lock = lock_briefly_held(mutex_);
    if (launch.sleepers_++ != 0) return;
    for (Worker* member : launch.members_) block(*member);
    epoch_.fetch_add(1, std::memory_order_release);
    wakes = plan_wakes();
  }
  perform(wakes);
}

void Pool::unblock_team(Launch& launch) {
  const auto lock = lock_briefly_held(mutex_);
  if (--launch.sleepers_ != 0) return;
  for (Worker* member : launch.members_) unblock(*member);
}

void Pool::block_worker(Worker& worker) {
  Wakes wakes;
  {
    const auto lock = lock_briefly_held(mutex_);
    block(worker);
    epoch_.fetch_add(1, std::memory_order_release);
    wakes = plan_wakes();
  }
  perform(wakes);
}

void Pool::unblock_worker(Worker& worker) {
  const auto lock = lock_briefly_held(mutex_);
  unblock(worker);
}

Pool::BlockedScope::BlockedScope() {
  for (const Frame* frame = t_frame; frame != nullptr; frame = frame->outer) {
    if (frame->team != nullptr) frame->pool->block_team(*frame->team);
  }
  if (t_worker != nullptr && t_frame != nullptr) t_worker->pool->block_worker(*t_worker);
}

Pool::BlockedScope::~BlockedScope() {
  if (t_worker != nullptr && t_frame != nullptr) t_worker->pool->unblock_worker(*t_worker);
  for (const Frame* frame = t_frame; frame != nullptr; frame = frame->outer) {
    if (frame->team != nullptr) frame->pool->unblock_team(*frame->team);
  }
}

}  // namespace bascule::cpu
