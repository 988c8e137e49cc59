package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The queues that run in this JVM, by name, for those that know no more of a queue. */
public final class Queues {
  private static final Map<Path, RunningQueue<?>> RUNNING = new ConcurrentHashMap<>();

  private Queues() {}

  static void add(Path directory, RunningQueue<?> queue) {
    RUNNING.put(directory, queue);
  }

  static void remove(Path directory) {
    RUNNING.remove(directory);
  }

  /**
   * Returns the publisher of the queue of this name, or empty if none runs now. Its data has the
   * type that the queue's converter takes; the caller must know it.
   *
   * @throws ConfigurationException several run, in different directories
   */
  @SuppressWarnings("unchecked")
  public static <M> Optional<Publisher<M>> publisher(String queue) {
    List<Map.Entry<Path, RunningQueue<?>>> found =
        RUNNING.entrySet().stream().filter(one -> one.getValue().name().equals(queue)).toList();
    if (found.size() > 1) {
      List<Path> directories = found.stream().map(Map.Entry::getKey).toList();
      throw new ConfigurationException(
          "several queues of the name " + queue + " run: " + directories);
    }
    return found.stream().findFirst().map(one -> (Publisher<M>) one.getValue().publisher());
  }
}
