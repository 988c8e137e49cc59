package com.wookler.river.benchmarks.system;

import com.wookler.river.benchmarks.harness.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A queue system, as the harness drives it.
 *
 * @param part what it does of a work that is asked for: a log has no acknowledgements
 * @param can whether it can do that at all
 * @param opener opens a queue in a directory that is empty or was left by an earlier one
 * @param notes how it is configured, for the notes below a table
 */
public record QueueSystem(
    String name, UnaryOperator<Work> part, Predicate<Work> can, Opener opener, String notes) {
  /** The bare loop. */
  public static final String LIMIT = "limit";

  /** The system that all are compared with. */
  public static final String BASE = "chronicle";

  /** Its best mode for several threads. */
  public static final String SHARED = "chronicle-shared";

  /** River first, plain Chronicle next, then what the machine allows, then the peers. */
  public static final List<QueueSystem> ALL =
      List.of(
          new QueueSystem(
              "river",
              UnaryOperator.identity(),
              work -> work.disk() || work.underWay() == 0,
              RiverQueue::new,
              "default settings: blocks of 64 MB, recycled, and archived once all subscribers have"
                  + " finished them, background force, counters and monitor; without subscribers"
                  + " where the work has no consumer"),
          new QueueSystem(
              BASE,
              Work::ofPlainLog,
              work -> work.equals(work.ofPlainLog()),
              (directory, work) -> new PlainChronicle(directory, work, false),
              "default settings, an appender a thread, writeBytes; a batch is one document of"
                  + " lengths and bytes (and each document is, if the work is in batches); a tailer"
                  + " copies each message into an array of its own, and spins where it waits; DISK"
                  + " is an fdatasync of our own after each append, because the appender's sync()"
                  + " brings nothing to the device; no checksums, no acknowledgements, nothing is"
                  + " removed"),
          new QueueSystem(
              SHARED,
              Work::ofPlainLog,
              work ->
                  work.equals(work.ofPlainLog()) && work.publishers() > 1 && work.consumers() == 0,
              (directory, work) -> new PlainChronicle(directory, work, true),
              "default settings, one appender for all threads under a lock, writeBytes; DISK is an"
                  + " fdatasync of each thread's own, outside the lock; no checksums, nothing is"
                  + " removed"),
          new QueueSystem(
              LIMIT,
              Work::withoutAck,
              work -> work.equals(work.withoutAck()) && !work.disk() && work.underWay() == 0,
              LimitQueue::new,
              "no queue: a loop that copies length, CRC32C and bytes into mapped files of 64 MB,"
                  + " zeroed and touched before, under one lock; read with the checksum compared,"
                  + " into an array of its own or as a view; no acknowledgements, nothing is forced"
                  + " or removed"),
          new QueueSystem(
              "rocksdb",
              UnaryOperator.identity(),
              work -> work.consumers() <= 1 && work.underWay() == 0 && !work.view(),
              RocksQueue::open,
              "keys are 8 byte sequence numbers; universal compaction by"
                  + " optimizeUniversalStyleCompaction (memtables of 128 MB),"
                  + " CompactOnDeletionCollector, pipelined writes, WAL written with each publish"
                  + " and synced with each for DISK; a batch is a WriteBatch; a tailing iterator"
                  + " that continues where it was; a message is removed by SingleDelete when"
                  + " acknowledged, a batch by one WriteBatch of them (DeleteRange is not advised"
                  + " for many small ranges, nor do tailing iterators know it); no way to wait, so a"
                  + " waiting consumer looks every 50 µs; one consumer"),
          new QueueSystem(
              "artemis",
              UnaryOperator.identity(),
              work -> work.underWay() == 0 && !work.view(),
              ArtemisQueue::new,
              "embedded, in-VM connections (one a publisher, one a consumer), core client, durable"
                  + " messages, blockOnDurableSend; a durable queue a consumer on one multicast"
                  + " address; NIO journal of 10 MiB files, waited for by each send: MEMORY with"
                  + " journal-datasync off and journal-buffer-timeout 0, so written to the operating"
                  + " system at once, DISK with journal-datasync and a journal-buffer-timeout of 50"
                  + " µs; a batch is one commit of a transacted session; ackBatchSize 0, individual acknowledgements, for a"
                  + " batch one cumulative, none waited for (blockOnAcknowledge off, as by default);"
                  + " without acknowledgement means pre-acknowledge; PAGE beyond half of the heap"
                  + " (by default); no security, JMX, message counters or limit of disk usage"),
          new QueueSystem(
              "mvstore",
              UnaryOperator.identity(),
              work -> work.consumers() <= 1 && work.underWay() == 0 && !work.view(),
              MvStoreQueue::open,
              "one map, keys are sequence numbers; commit() after each publish, or once a batch,"
                  + " because the automatic commit comes after up to a second only; DISK is commit()"
                  + " and sync(); all else by default (that automatic commit for housekeeping, 45 s"
                  + " retention, 16 MB of cache, no compression); the consumer keeps its position"
                  + " and removes and commits when it acknowledges, once a batch; no way to wait, so"
                  + " a waiting consumer looks every 50 µs; one consumer"));

  /** Opens a queue. */
  @FunctionalInterface
  public interface Opener {
    /** Opens it. */
    OpenQueue open(Path directory, Work work) throws Exception;
  }

  /** Returns whether it is a queue of another make, which is slow beside a plain log. */
  public boolean peer() {
    return !List.of("river", BASE, SHARED, LIMIT).contains(name);
  }

  /** Returns the names of all. */
  public static List<String> names() {
    return ALL.stream().map(QueueSystem::name).toList();
  }

  /** Returns the system of this name. */
  public static QueueSystem named(String name) {
    return ALL.stream()
        .filter(system -> system.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageException("no system '" + name + "'; there are " + names()));
  }
}
