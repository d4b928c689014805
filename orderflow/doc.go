// Package orderflow is the bundled system under test: a small event-sourced shop that answers the
// question "does the instrument find a difference that is really there, and none that is not?"
// Its variants differ by mechanisms that do their work for real; nothing sleeps or invents a
// number, except the faults, which are asked for by name.
//
// # Services
//
// Account, inventory, order and payment each have an address and an HTTP/1.1 server of their own.
// They run in one process, where they call each other directly, or apart (Config.Services and
// Config.Peers), where they call each other over HTTP. Each answers /actuator/health,
// /actuator/prometheus and /actuator/info; the last reports the settings as the running parts
// report them, which is how a variant's setting is proven to have arrived.
//
//	POST /api/customers                    201, or 409 CUSTOMER_EXISTS for the same email
//	GET  /api/customers/{id}
//	POST /api/products                     201, or 409 PRODUCT_EXISTS for the same sku
//	GET  /api/products/{id}
//	POST /api/products/{id}/stock/reserve  200, 404 PRODUCT_NOT_FOUND or 409 INSUFFICIENT_STOCK
//	POST /api/products/{id}/stock/release  200
//	POST /api/orders                       201 PENDING at once
//	GET  /api/orders/{id}                  PENDING, CONFIRMED, CANCELLED or FAILED
//	GET  /api/sagas/{id}                   by the id of the order
//	POST /api/payments                     201, or 402 PAYMENT_DECLINED over 100,000.00
//	GET  /api/payments/{id}                by the id of the order
//	POST /api/payments/{id}/void           200
//
// # Events
//
// A command is decided against the view of its aggregate and becomes events. They are appended as
// bytes to the event store, applied to the view, and written to the outbox; then the command is
// done. A view is always what its events give, and can be rebuilt from them.
//
// An order starts a saga: it reserves each line, takes the payment, and confirms the order. Each
// outcome is an event, and the state that follows from it says which command comes next. When a
// step is refused the saga undoes what was done and cancels the order; a step that had no answer
// is undone too, for it may have been done. A step backward that fails ends the saga as failed.
// Commands of a saga carry ids that make them safe to repeat. At rest
//
//	started = completed + compensated + failed + timed out + active
//
// # Mechanisms
//
// Engine. Community hands each operation through queues between worker pools and locks the maps
// that they share: three hops and, for an order of one line with its saga, 16. TPC has one event
// loop per core that owns its partitions and runs an operation in one go: 2 hops for the same
// order when one loop owns all of it, 3 on average with two loops. On two cores a call costs 1.0
// us against 0.5 us (package engine); that is little beside the 170 us of processor time that a
// request costs the HTTP server, the same under both. But each hop is also a wait for a turn, so
// on a busy machine it shows in time: with 2,000 orders/s and their generator on two shared
// cores, the mean saga took 1.1 to 2.7 ms on community and 0.2 to 0.5 ms on TPC. Config.Pin binds
// the loops to processors, at the price described in package engine.
//
// Store. Heap keeps views as Go values. Hd-memory keeps each value serialised in memory outside
// the heap and decodes it at every access: less for the collector to do, more for each access.
//
// Memory. The event store keeps every event, so the heap grows with the orders accepted, by about
// 3 kB for one of two lines. Under a memory limit (GOMEMLIMIT or Config.MemoryLimit) the
// collector runs more often the closer the heap is to it; twice the limit postpones that.
// Config.EventStoreLimit bounds the events kept, by folding old ones into snapshots; the views
// and snapshots still grow with the number of orders, by about 2.3 kB (BenchmarkHeapOfAnOrder).
//
// Outbox. A publisher tells the other services about each event, where an audit projection counts
// them. Sagas do not wait for it. Scan looks at every entry at each tick, delivered ones until
// their retention has passed; indexed looks at the pending ones. The cost of scan is events per
// second x retention / tick, so it grows during the first minute and then stays.
//
// Replicas. The order address is a round-robin balancer over the replicas. With private orders a
// replica knows those that it accepted, so a poll misses (404) with probability 1 - 1/n when
// other requests come between; when none do, round-robin makes the misses regular. Shared
// replicas share one map.
//
// Each mechanism counts its effect: engine_hops_total, engine_lock_acquisitions_total,
// store_decodes_total, store_off_heap_bytes, outbox_entries_scanned_total,
// eventsourcing_events_retained, order_replica_misses_total.
//
// # Limits
//
// Nothing outlives the process. Outbox deliveries are at least once and the audit counts repeats.
// The order service asks nobody whether a customer exists. In one process the faults, the memory
// limit and the process metrics are common to the services; the pid in /actuator/info tells which
// share them.
package orderflow
