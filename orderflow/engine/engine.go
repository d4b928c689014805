// Package engine answers: on which goroutine does an operation on a key run, and how many
// hand-overs between goroutines does that cost?
//
// Keys are hashed to partitions; a partition has one owner at a time, so two operations on one
// key never run side by side. An operation is a Task with three steps: Run (decide, append
// the events, update the views), Publish (write the outbox) and Done (tell the caller, or
// continue a saga). The two engines run the same steps:
//
//   - Community hands a task through queues between worker pools: operation queue, partition
//     worker, publish queue, publish worker, response queue, responder, and from there to the
//     caller. The maps that the steps touch are shared by the workers, so they are locked, and a
//     registry of pending completions is locked too.
//   - TPC (thread per core) has one event loop per core. A loop owns its partitions and their maps
//     and runs all three steps in one go, without locks. A task for the same loop costs no
//     hand-over, one for another loop costs one. A loop may be pinned: locked to an operating
//     system thread and bound to a processor where the kernel allows it. In Go that is a choice
//     with a price, because waking a goroutine that is locked to a thread is a switch of threads:
//     a call that takes 0.5 us on a free loop and 1 us on Community took 24 us on a pinned
//     loop when measured on two cores (BenchmarkCall). So pinning is an option.
//
// A hand-over ("hop") is one crossing of a queue or channel between two goroutines. Stats counts
// hops, locks and tasks; nothing here waits except for work.
package engine

import "sync"

// Kind names an engine.
type Kind string

// The engines.
const (
	Community Kind = "community"
	TPC       Kind = "tpc"
)

// Task is one operation on one partition.
type Task struct {
	Partition int
	// Run is called by the owner of the partition, with the index of the shard it may touch.
	Run func(shard int)
	// Publish follows Run; a task that only reads leaves it nil and skips that step.
	Publish func(shard int)
	// Done is called last. Tasks submitted from it should be given the same Turn.
	Done func(Turn)
	// Stats receives the counts of this task.
	Stats *Stats
}

// Turn says from where a task is submitted: the zero Turn is any goroutine, another one is a
// turn of an event loop, which can keep the task for itself without a hand-over.
type Turn struct{ loop *loop }

// Engine runs tasks. Close it only when no more tasks will be submitted.
type Engine interface {
	Kind() Kind
	// Shards is the number of independent shards of state: 1 when the workers share the maps,
	// one per loop when each loop owns its own.
	Shards() int
	// Shard returns the shard of a partition.
	Shard(partition int) int
	// NewLock returns the lock that guards one map of a shard; it does nothing where a shard has
	// one owner.
	NewLock(*Stats) sync.Locker
	Submit(Turn, Task)
	// Access runs f where the maps of a shard may be touched and returns when it has run. f takes
	// the locks of the maps it touches.
	Access(shard int, stats *Stats, f func())
	// Pinned is the number of event loops that are pinned to a processor.
	Pinned() int
	Close()
}

// Partitions is the number of partitions; it is the count that Hazelcast uses.
const Partitions = 271

// PartitionOf returns the partition of a key: FNV-1a, 64 bits, modulo Partitions.
func PartitionOf(key string) int {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h ^= uint64(key[i])
		h *= 1099511628211
	}
	return int(h % Partitions)
}

// New starts an engine with the given number of workers (Community) or loops (TPC); pin asks for
// pinned loops.
func New(kind Kind, workers int, pin bool) Engine {
	if kind == TPC {
		return newTPC(workers, pin)
	}
	return newCommunity(workers)
}

// Call runs the task and waits until it is done. It must not be called from a Task.
func Call(e Engine, t Task) {
	done := make(chan struct{}, 1)
	t.Done = func(Turn) {
		t.Stats.Hops.Add(1)
		done <- struct{}{}
	}
	e.Submit(Turn{}, t)
	<-done
}
