package com.wookler.river.test;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one test has: a clock, a directory with queues that die together when the process is killed,
 * faults and a trace. Confined to the test's thread.
 */
final class TestProcess implements AutoCloseable {
  private final Path root;
  private final TestClock clock = new TestClock();
  private final Map<String, TestQueue<?>> queues = new LinkedHashMap<>();
  private final List<String> trace = new ArrayList<>();
  private FaultSource faults = new FaultSource(0, null);
  private int generation;
  private int kills;

  TestProcess(@Nullable Path base) {
    root = TestFiles.create(base);
  }

  TestClock clock() {
    return clock;
  }

  FaultSource faults() {
    return faults;
  }

  void faults(FaultSource source) {
    faults = source;
  }

  /** Returns the base directory of all queues of this life of the process. */
  Path directory() {
    return root.resolve("life" + generation);
  }

  int kills() {
    return kills;
  }

  /** Returns the queue of a name, which is opened if there is none. */
  @SuppressWarnings("unchecked") // of one name there is one converter
  <M> TestQueue<M> queue(
      String name,
      MessageConverter<M> converter,
      UnaryOperator<MessageQueue.Builder<M>> configuration) {
    TestQueue<?> known = queues.get(name);
    if (known == null) {
      known = new TestQueue<>(this, name, converter, configuration);
      queues.put(name, known);
    }
    return (TestQueue<M>) known;
  }

  /** Kills the process and starts it again: all queues are opened on what a kill leaves. */
  void kill() {
    clock.awaitIdle();
    Path before = directory();
    Path after = root.resolve("life" + (generation + 1));
    TestFiles.copy(before, after);
    closeQueues();
    TestFiles.delete(before);
    generation++;
    kills++;
    queues.values().forEach(TestQueue::open);
  }

  /** Stops the process in order, and starts it again. */
  void restart() {
    closeQueues();
    queues.values().forEach(TestQueue::open);
  }

  private void closeQueues() {
    List<TestQueue<?>> latestFirst = new ArrayList<>(queues.values());
    for (int i = latestFirst.size() - 1; i >= 0; i--) {
      latestFirst.get(i).closeQueue();
    }
  }

  /** Adds a line to the trace, with the time by the clock. */
  void note(String line) {
    trace.add(clock.elapsed() + " " + line);
  }

  String trace() {
    return String.join(System.lineSeparator(), trace);
  }

  /** Returns the names of threads that should have ended with this. */
  Set<String> threadsLeft() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(clock.suffix() + "-"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public void close() {
    try {
      closeQueues();
    } finally {
      clock.close();
      TestFiles.delete(root);
    }
  }
}
