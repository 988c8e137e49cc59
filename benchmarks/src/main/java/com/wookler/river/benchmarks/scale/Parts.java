package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.utils.UsageException;
import java.util.List;

/** All parts by name. */
final class Parts {
  private static final List<Part> ALL =
      List.of(
          new BlocksPart(),
          new SubscribersPart(),
          new BacklogPart(),
          new AcksPart(),
          new RestartPart(),
          new ReopenPart(),
          new RedeliveryPart(),
          new QueuesPart(),
          new ArchivePart(),
          new PausesPart());

  private Parts() {}

  static List<Part> all() {
    return ALL;
  }

  static List<Part> named(List<String> names) {
    return names.isEmpty() ? ALL : names.stream().map(Parts::named).toList();
  }

  static Part named(String name) {
    return ALL.stream()
        .filter(part -> part.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no part '" + name + "'; there are " + ALL.stream().map(Part::name).toList()));
  }
}
