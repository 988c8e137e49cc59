package com.wookler.river.rest.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The Chromium of this machine; tests are skipped where there is none. */
final class Chromium {
  private static final List<Path> PLACES =
      List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/chromium-browser"));

  private Chromium() {}

  static Path path() {
    Optional<Path> found = PLACES.stream().filter(Files::isExecutable).findFirst();
    assumeTrue(found.isPresent(), "there is no Chromium");
    return found.orElseThrow();
  }
}
