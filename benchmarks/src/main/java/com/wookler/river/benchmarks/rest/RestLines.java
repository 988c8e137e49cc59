package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.rest.PublishLine.Requests;
import com.wookler.river.benchmarks.utils.UsageException;
import java.util.List;

/** All lines by name. */
final class RestLines {
  private static final int KIB = 1_024;

  private static final List<RestLine> ALL =
      List.of(
          new PublishLine("publish-1k", "publish 1 KiB over HTTP", Requests.of(64, 1, KIB), true),
          new PublishLine(
              "publish-1k-ids",
              "publish 1 KiB over HTTP, each with an id",
              Requests.of(64, 1, KIB).withIds(),
              true),
          new PublishLine(
              "batch-100",
              "publish 100 B over HTTP, batches of 100",
              Requests.of(16, 100, 100),
              true),
          new PublishLine(
              "batch-1k",
              "publish 1 KiB over HTTP, batches of 100",
              Requests.of(16, 100, KIB),
              true),
          new PublishLine(
              "forced-1k",
              "publish 1 KiB to the device over HTTP",
              Requests.of(64, 1, KIB).forced(),
              false),
          new PublishLine(
              "publishers",
              "publish 1 KiB over HTTP, 500 publishers",
              Requests.of(500, 1, KIB),
              false),
          new PublishLine(
              "publishers-forced",
              "publish 1 KiB to the device over HTTP, 500 publishers",
              Requests.of(500, 1, KIB).forced(),
              false),
          new ClientLine(1),
          new ClientLine(10),
          new ClientLine(100),
          new PollsLine(),
          new IdleLine());

  private RestLines() {}

  static List<RestLine> all() {
    return ALL;
  }

  static List<RestLine> named(List<String> names) {
    return names.isEmpty() ? ALL : names.stream().map(RestLines::named).toList();
  }

  private static RestLine named(String name) {
    return ALL.stream()
        .filter(line -> line.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no line '"
                        + name
                        + "'; there are "
                        + ALL.stream().map(RestLine::name).toList()));
  }
}
