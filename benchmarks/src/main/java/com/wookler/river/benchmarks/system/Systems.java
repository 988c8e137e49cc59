package com.wookler.river.benchmarks.system;

import com.wookler.river.benchmarks.harness.UsageException;
import java.util.List;

/** All systems by name. */
public final class Systems {
  private static final List<QueueSystem> ALL =
      List.of(
          new RiverSystem(),
          new ChronicleSystem(false),
          new ChronicleSystem(true),
          new RocksSystem(),
          new ArtemisSystem(),
          new MvStoreSystem());

  private Systems() {}

  /** Returns River first, plain Chronicle next, then the peers. */
  public static List<QueueSystem> all() {
    return ALL;
  }

  /**
   * Returns the system of this name.
   *
   * @throws UsageException there is none
   */
  public static QueueSystem byName(String name) {
    return ALL.stream()
        .filter(system -> system.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no system '"
                        + name
                        + "'; there are "
                        + ALL.stream().map(QueueSystem::name).toList()));
  }
}
